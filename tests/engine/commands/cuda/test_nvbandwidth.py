"""nvbandwidth: its texts, its figures on a healthy and on a degraded node, how it fails, and what others see of it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from types import MappingProxyType

import pytest

from engine.control.processes import Kill, start
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.events import BusDefectStrikes
from engine.world.records import BusDefect
from engine.world.world import World
from tests.engine.commands.cuda.conftest import IDLE, Run
from tests.support.run import run_command

H2D, D2D = "host_to_device_memcpy_ce", "device_to_device_memcpy_write_ce"

LISTED = """\
nvbandwidth Version: v0.8
Built from Git version: v0.8

CUDA Runtime Version: 13010
CUDA Driver Version: 13010
Driver Version: 590.48.01

dgx-04
Device 0: NVIDIA H100 80GB HBM3 (00000000:1b:00)
Device 1: NVIDIA H100 80GB HBM3 (00000000:43:00)

Running host_to_device_memcpy_ce.
memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
           0         1
 0     55.xx     55.xx

SUM host_to_device_memcpy_ce 110.xx

NOTE: The reported results may not reflect the full capabilities of the platform.
Performance can vary with software drivers, hardware clocks, and system topology.

"""


def during(monkeypatch: pytest.MonkeyPatch, site: Simulation[World], after: int, action: Callable[[], object]) -> None:
    """Let something happen once, when `after` ns have passed."""
    begun, advance, due = site.now, site.advance, [action]

    def advancing(duration: int) -> None:
        advance(duration)
        if site.now - begun >= after and due:
            due.pop()()

    monkeypatch.setattr(site, "advance", advancing)


def rows(text: str, name: str) -> list[list[float | None]]:
    """The matrix of a test case, of the first of its matrices."""
    lines = text.partition(f"Running {name}.\n")[2].splitlines()[2:]
    cells = [line.split()[1:] for line in lines[: lines.index("")]]
    return [[None if cell == "N/A" else float(cell) for cell in row] for row in cells]


def first_row(text: str, name: str) -> list[float]:
    return [value for value in rows(text, name)[0] if value is not None]


def test_a_run_looks_like_the_real_one(run: Run) -> None:
    result = run(f"nvbandwidth -t {H2D}", environment={"CUDA_VISIBLE_DEVICES": "0,1"})
    assert result.status == 0 and result.stderr == ""
    assert re.sub(r"( \d+\.)\d\d\b(?!\.)", r"\1xx", result.stdout) == LISTED


@pytest.mark.parametrize(
    ("name", "figure"),
    [
        (H2D, 55.3),
        ("device_to_host_memcpy_ce", 55.2),
        ("host_to_device_memcpy_sm", 35.2),
        ("device_to_host_memcpy_sm", 52.8),
        ("device_local_copy", 1270.0),
        ("host_to_all_memcpy_ce", 55.2),
        ("all_to_one_write_ce", 382.0),
        ("host_device_latency_sm", 1190.0),
    ],
)
def test_one_row_of_a_healthy_node(run: Run, name: str, figure: float) -> None:
    cells = first_row(run(f"nvbandwidth -t {name}").stdout, name)
    assert len(cells) == 8
    assert cells == pytest.approx([figure] * 8, rel=0.01)
    assert len(set(cells)) > 1


@pytest.mark.parametrize(("name", "figure"), [(D2D, 382.0), ("device_to_device_latency_sm", 826.0)])
def test_pairs_of_a_healthy_node(run: Run, name: str, figure: float) -> None:
    matrix = rows(run(f"nvbandwidth -t {name}").stdout, name)
    assert [[value is None for value in row] for row in matrix] == [[i == j for j in range(8)] for i in range(8)]
    assert [value for row in matrix for value in row if value] == pytest.approx([figure] * 56, rel=0.01)


def test_both_ways_has_three_matrices(run: Run) -> None:
    name = "device_to_device_bidirectional_memcpy_write_ce"
    result = run(f"nvbandwidth -t {name}")
    sums = dict(re.findall(r"^SUM (\w+) ([\d.]+)$", result.stdout, flags=re.M))
    assert list(sums) == [f"{name}_{part}" for part in ("write1", "write2", "total")]
    assert float(sums[f"{name}_total"]) == pytest.approx(56 * 742, rel=0.01)
    assert "memcpy CE GPU(row) <-> GPU(column) Write2 bandwidth (GB/s)\n" in result.stdout


def test_numbers_prefixes_and_what_there_is_not(run: Run) -> None:
    assert "Running device_to_host_memcpy_ce." in run("nvbandwidth -t 1").stdout
    unknown = run("nvbandwidth -t nothing 35")
    assert "ERROR: Testcase nothing not found!\nERROR: Testcase index 35 out of bound!\n" in unknown.stdout
    assert unknown.status == 0
    ran = re.findall(r"^Running (\w+)\.$", run("nvbandwidth -p host_to_device device_local").stdout, flags=re.M)
    assert ran == [
        H2D,
        "host_to_device_bidirectional_memcpy_ce",
        "host_to_device_memcpy_sm",
        "host_to_device_bidirectional_memcpy_sm",
        "device_local_copy",
    ]
    none = run("nvbandwidth -p xyz")
    assert (none.stderr, none.status) == (
        "Specified list of testcase prefixes did not match any testcases\n",
        1,
    )
    both = run("nvbandwidth -p host -t 1")
    assert both.stderr == "You cannot specify both testcase and testcasePrefix options at the same time\n"


def test_without_test_cases_all_run_in_order(run: Run) -> None:
    result = run("nvbandwidth", environment={"CUDA_VISIBLE_DEVICES": "0,1"})
    ran = re.findall(r"^Running (\w+)\.$", result.stdout, flags=re.M)
    listed = re.findall(r"^\d+, (\w+):$", run("nvbandwidth -l").stdout, flags=re.M)
    assert ran == listed and len(listed) == 35
    assert "-" not in re.findall(r"^SUM \w+ (.*)$", result.stdout, flags=re.M)


def test_verbose_tells_samples_and_extremes(run: Run) -> None:
    text = run(f"nvbandwidth -v -i 5 -t {H2D}").stdout
    samples = re.findall(r"^\tSample (\d): Host -> Device 3: (\d\d\.\d\d) GB/s$", text, flags=re.M)
    assert [number for number, _ in samples] == list("01234")
    median = sorted(float(value) for _, value in samples)[2]
    shown = re.search(r"^ 0 (.*)$", text, flags=re.M)
    assert shown and float(shown[1].split()[3]) == median
    assert re.search(rf"^SUM {H2D} .*\nMIN {H2D} 55\.\d\d\nMAX {H2D} 55\.\d\d\nAVG {H2D} 55\.\d\d$", text, flags=re.M)


def test_the_mean_is_another_figure_than_the_median(run: Run, site: Simulation[World]) -> None:
    twin = site.fork()
    median = first_row(run(f"nvbandwidth -t {H2D}").stdout, H2D)
    mean = first_row(run_command(twin, IDLE, "alex", f"nvbandwidth -m -t {H2D}").stdout, H2D)
    assert median != mean and mean == pytest.approx(median, rel=0.004)


def test_json_is_one_document(run: Run) -> None:
    result = run(f"nvbandwidth -j -t {H2D} {D2D} nothing")
    document = json.loads(result.stdout)["nvbandwidth"]
    assert result.stdout.startswith('{\n\t"nvbandwidth" : \n\t{\n\t\t"CUDA Runtime Version" : 13010,\n')
    assert document["GPU Device list"][2] == "2: NVIDIA H100 80GB HBM3 (00000000:52:00): (dgx-04)"
    first, second, third = document["testcases"]
    assert first["name"] == H2D and first["status"] == "Passed" and len(first["bandwidth_matrix"][0]) == 8
    assert first["sum"] == pytest.approx(442.4, rel=0.005)
    assert second["bandwidth_matrix"][1][1] == "N/A"
    assert third == {"name": "nothing", "status": "ERROR"}


def test_a_small_buffer_is_remarked_and_slower(run: Run) -> None:
    result = run(f"nvbandwidth -b 1 -t {D2D}")
    assert result.stdout.splitlines()[3].startswith("NOTE: You have chosen a buffer size that is smaller")
    assert 190 < first_row(result.stdout, D2D)[0] < 240


def test_the_same_run_gives_the_same_bytes_and_another_run_others(run: Run, site: Simulation[World]) -> None:
    twin = site.fork()
    first = run(f"nvbandwidth -t {H2D}").stdout
    assert run_command(twin, IDLE, "alex", f"nvbandwidth -t {H2D}").stdout == first
    assert run(f"nvbandwidth -t {H2D}").stdout != first


# --- a degraded node ---------------------------------------------------------


def test_a_narrow_link_and_a_slow_uplink_halve_host_copies(run: Run, site: Simulation[World]) -> None:
    site.world.pcie_links.update(f"{IDLE}/0000:1b:00.0", width=8)
    site.world.pcie_links.update(f"{IDLE}/0000:3e:00.0", generation=4)
    cells = first_row(run(f"nvbandwidth -t {H2D}").stdout, H2D)
    assert cells[:3] == pytest.approx([27.7, 26.1, 55.3], rel=0.01)


def test_a_lost_nvlink_shows_in_a_row_and_a_column(run: Run, site: Simulation[World]) -> None:
    site.world.nvlinks.update(f"{IDLE}/gpu3", down=(4,))
    matrix = rows(run(f"nvbandwidth -t {D2D}").stdout, D2D)
    low = {(i, j) for i in range(8) for j in range(8) if (value := matrix[i][j]) and value < 370}
    assert low == {(i, j) for i in range(8) for j in range(8) if i != j and 3 in (i, j)}
    assert matrix[3][0] == pytest.approx(382.5 * 17 / 18, rel=0.01)


def test_a_gpu_without_nvlinks_has_no_pairs(run: Run, site: Simulation[World]) -> None:
    site.world.nvlinks.update(f"{IDLE}/gpu3", down=tuple(range(18)))
    matrix = rows(run(f"nvbandwidth -t {D2D}").stdout, D2D)
    assert matrix[3] == [None] * 8 and [row[3] for row in matrix] == [None] * 8
    pooled = run("nvbandwidth -t all_to_one_write_ce").stdout
    assert rows(pooled, "all_to_one_write_ce")[0][3] is None


def test_pairs_are_waived_without_a_routed_fabric(run: Run, site: Simulation[World]) -> None:
    site.world.nvlink_fabric.update(IDLE, peer_access=False)
    result = run(f"nvbandwidth -t {D2D} all_to_one_read_sm {H2D} device_to_device_latency_sm")
    assert re.findall(r"^(Waived: |Running .*)$", result.stdout, flags=re.M) == [
        "Waived: ",
        "Waived: ",
        f"Running {H2D}.",
        "Waived: ",
    ]


def test_memory_retries_slow_local_copies_only(run: Run, site: Simulation[World]) -> None:
    site.world.gpus.update(f"{IDLE}/gpu2", memory_permille=850)
    result = run(f"nvbandwidth -t device_local_copy {H2D}")
    cells = first_row(result.stdout, "device_local_copy")
    assert cells[2] / cells[1] == pytest.approx(0.85, rel=0.01)
    assert first_row(result.stdout, H2D)[2] == pytest.approx(55.3, rel=0.01)


def test_memory_of_the_other_socket_is_slower(run: Run) -> None:
    bound = first_row(run(f"numactl -m 1 nvbandwidth -t {H2D}").stdout, H2D)
    assert bound == pytest.approx([49.8] * 4 + [55.3] * 4, rel=0.01)
    settled = first_row(run(f"numactl -N 0 nvbandwidth -d -t {H2D}").stdout, H2D)
    assert settled == pytest.approx([55.3] * 4 + [49.8] * 4, rel=0.01)
    moved = first_row(run(f"numactl -N 0 nvbandwidth -t {H2D}").stdout, H2D)
    assert moved == pytest.approx([55.3] * 8, rel=0.01)


def test_what_changes_while_it_runs_shows_from_then_on(
    run: Run, site: Simulation[World], monkeypatch: pytest.MonkeyPatch
) -> None:
    narrow = partial(site.world.pcie_links.update, f"{IDLE}/0000:df:00.0", width=8)
    during(monkeypatch, site, 4 * SECOND, narrow)
    cells = first_row(run(f"nvbandwidth -t {H2D}").stdout, H2D)
    assert (cells[0], cells[7]) == pytest.approx((55.3, 27.7), rel=0.01)


# --- how it fails ------------------------------------------------------------


def failure(name: str, text: str) -> str:
    where = "in expression cuInit(0) in int main(int, char**)() : /usr/local/src/nvbandwidth/nvbandwidth.cpp:270"
    return f"[{name}] {text} {where}\n\n"


def test_without_a_module_there_is_no_device(run: Run, site: Simulation[World]) -> None:
    site.world.systems.update(IDLE, modules=MappingProxyType({"nvidia": None}))
    result = run("nvbandwidth")
    assert result.stdout == "nvbandwidth Version: v0.8\nBuilt from Git version: v0.8\n\n"
    assert (result.stderr, result.status) == (
        failure("CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"),
        1,
    )


def test_versions_that_do_not_fit(run: Run, site: Simulation[World]) -> None:
    site.world.systems.update(IDLE, modules=MappingProxyType({"nvidia": "590.44.01"}))
    text = "system has unsupported display driver / cuda driver combination"
    assert run("nvbandwidth").stderr == failure("CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", text)
    assert "NVRM: API mismatch" in run("dmesg", user="root").stdout


def test_no_device_is_visible(run: Run) -> None:
    for devices in ("", "-1", "GPU-nothing", "8"):
        result = run("nvbandwidth -t 0", environment={"CUDA_VISIBLE_DEVICES": devices})
        assert result.stderr.startswith("[CUDA_ERROR_NO_DEVICE]"), devices


def test_an_exclusive_gpu_that_is_taken(run: Run, site: Simulation[World]) -> None:
    site.world.gpus.update(f"{IDLE}/gpu1", compute_mode="Exclusive_Process")
    assert run(f"nvbandwidth -t {H2D}").status == 0
    start(site, IDLE, user="priya", command="python3 serve.py", gpus=(1,), gpu_memory=1000, workload="inference")
    result = run(f"nvbandwidth -t {H2D}")
    assert result.stderr == (
        "[CUDA_ERROR_DEVICE_UNAVAILABLE] CUDA-capable device(s) is/are busy or unavailable in expression "
        "cuDevicePrimaryCtxRetain(&targetCtx, targetDeviceId) in HostBuffer::HostBuffer(size_t, int)() : "
        "/usr/local/src/nvbandwidth/memcpy.cpp:213\n\n"
    )
    assert result.status == 1 and programs(site) == ["python3 serve.py"]


def test_a_full_gpu(run: Run, site: Simulation[World]) -> None:
    start(site, IDLE, user="priya", command="python3 train.py", gpus=(0,), gpu_memory=80_000, workload="training")
    result = run("nvbandwidth -t device_local_copy")
    assert result.stderr.startswith(
        "[CUDA_ERROR_OUT_OF_MEMORY] out of memory in expression cuMemAlloc((CUdeviceptr*)&buffer, bufferSize) in "
        "DeviceBuffer::DeviceBuffer(size_t, int)() : /usr/local/src/nvbandwidth/memcpy.cpp:244"
    )


def test_wrong_words(run: Run) -> None:
    for words in ("-x", "--buffer", "-b", "-b many", "-v -v", "word", "--verbose=1", "--testc 1"):
        result = run(f"nvbandwidth {words}")
        assert result.status == 1, words
        assert f"\nERROR: Invalid Arguments \nnvbandwidth {words} :\n\nnvbandwidth CLI:\n" in result.stdout, words


def test_shortened_and_joined_words(run: Run) -> None:
    result = run("nvbandwidth -vsb64 --testcase=0 --testS 1")
    assert "\tSample 0: Host -> Device 0:" in result.stdout and "\tSample 1:" not in result.stdout


# --- what others see ---------------------------------------------------------


def programs(site: Simulation[World]) -> Sequence[str]:
    return [process.command for process in site.world.systems[IDLE].processes]


def test_while_it_runs_it_holds_its_gpus(run: Run, site: Simulation[World]) -> None:
    seen: list[str] = []
    site.on_record = lambda recorded: seen.extend(programs(site))
    result = run(f"nvbandwidth -t {H2D}", environment={"CUDA_VISIBLE_DEVICES": "2,3"})
    site.on_record = None
    assert result.status == 0 and f"nvbandwidth -t {H2D}" in seen and not programs(site)


def test_a_lost_gpu_ends_it(run: Run, site: Simulation[World]) -> None:
    lost = f"{IDLE}/gpu6"
    site.world.gpus.update(lost, defect=BusDefect(None))
    state = site.world.gpus[lost]
    site.schedule(BusDefectStrikes(lost, state.serial, state.cold_starts), 5 * SECOND)
    result = run(f"nvbandwidth -t {H2D}")
    assert result.stderr == (
        "[CUDA_ERROR_UNKNOWN] unknown error in expression nodeHelper->streamSynchronizeWrapper(stream) in "
        "std::vector<double> MemcpyOperation::doMemcpyCore(MemcpyDispatchInfo&)() : "
        "/usr/local/src/nvbandwidth/memcpy.cpp:470\n\n"
    )
    assert result.status == 1 and site.now < 7 * SECOND
    assert run("nvbandwidth").stderr == failure("CUDA_ERROR_UNKNOWN", "unknown error")
    assert run("nvbandwidth -t 0", environment={"CUDA_VISIBLE_DEVICES": "0,1"}).status == 0


def test_kill_ends_it(run: Run, site: Simulation[World], monkeypatch: pytest.MonkeyPatch) -> None:
    def kill() -> None:
        site.apply(Kill(IDLE, site.world.systems[IDLE].processes[-1].pid, 15, "alex"))

    during(monkeypatch, site, 5 * SECOND, kill)
    result = run(f"nvbandwidth -t {H2D} {D2D}")
    assert (result.status, result.stderr) == (143, "Terminated\n")


def test_ctrl_c_ends_its_process(run: Run, site: Simulation[World]) -> None:
    result = run(f"nvbandwidth -t {H2D} {D2D}", interrupt_after=7 * SECOND)
    assert result.status == 130 and f"SUM {H2D}" not in result.stdout
    assert not programs(site)


def test_a_hung_gpu_never_ends_it(run: Run, site: Simulation[World]) -> None:
    site.world.gpus.update(f"{IDLE}/gpu5", hung=True)
    result = run(f"nvbandwidth -t {H2D}", interrupt_after=3600 * SECOND)
    assert result.status == 130 and result.stdout.endswith(f"Running {H2D}.\n")
