"""Tests of nccl-tests at work: one process, many under srun, failures, and what others see meanwhile."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from engine.control import boot, communicators
from engine.control.files import write
from engine.faults import driver_library_mismatch, gpu_hung
from engine.kernel.actions import decode, encode
from engine.kernel.events import Bus, Event
from engine.kernel.simulation import Recorded, Simulation, replay
from engine.kernel.units import SECOND
from engine.physics import links
from engine.physics.traffic import exchange
from engine.shell.play import Play
from engine.simulation import handlers, open_site
from engine.world.records import Flow
from engine.world.world import World
from tests.engine.commands.nccl.conftest import Typed
from tests.support.run import run_command
from tests.support.sessions import type_lines

TWO_NODES = "srun -N2 --ntasks-per-node=8 --gpus-per-node=8"
_ROW = re.compile(r" +(\d+) +(\d+) +(\w+) +(\w*) +(-?\d+) +([\d.e+]+) +[\d.]+ +([\d.]+) +(\S+) +([\d.e+]+) ", re.M)


def buses(text: str) -> dict[int, float]:
    """Out-of-place bus bandwidth by size."""
    return {int(match[1]): float(match[7]) for match in _ROW.finditer(text)}


def ranks(text: str) -> list[tuple[int, str, int]]:
    """(rank, host, device) of the header's lines."""
    found = re.findall(r"^#  Rank +(\d+) Group  0 Pid +\d+ on +(\S+) device +(\d+) \[", text, re.M)
    return [(int(rank), host, int(device)) for rank, host, device in found]


def nothing_left(site: Simulation[World]) -> bool:
    """No meeting, no process, no flow."""
    running = [each for host in site.world.inventory.node_names for each in site.world.systems[host].processes]
    owners = [owner for owner in site.world.bundles.changed() if site.world.bundles[owner].flows]
    tests = [each for each in running if "_perf" in each.command]
    return not (site.world.communicators.changed() or tests or owners)


def test_eight_gpus_of_one_process(typed: Typed, site: Simulation[World]) -> None:
    text, status = typed("ssh dgx-04 all_reduce_perf -b 8 -e 8G -f 2 -g 8")
    assert status == 0
    assert ranks(text) == [(index, "dgx-04", index) for index in range(8)]
    found = buses(text)
    assert list(found) == [8 << power for power in range(31)]
    assert 440 < found[8 << 30] < 490
    assert text.splitlines()[-6].startswith("# Out of bounds values : 0 OK")
    assert text.endswith("#\n# Collective test concluded: all_reduce_perf\n#\n\n")
    assert nothing_left(site)


def test_two_nodes_under_srun_meet(typed: Typed, site: Simulation[World]) -> None:
    text, status = typed(f"{TWO_NODES} all_reduce_perf -b 1G -e 16G -f 2")
    assert status == 0
    assert ranks(text) == [(rank, f"dgx-0{1 + rank // 8}", rank % 8) for rank in range(16)]
    assert text.count("# nccl-tests version") == 1
    assert 440 < buses(text)[16 << 30] < 500
    assert nothing_left(site)


def test_without_mpi_everybody_is_alone(typed: Typed) -> None:
    text, status = typed("srun --mpi=none -N1 -n3 --gpus-per-node=3 all_reduce_perf")
    assert status == 0
    assert text.count("# nccl-tests version") == 3
    assert ranks(text) == [(0, "dgx-01", 0)] * 3


def test_a_shell_between_srun_and_the_test_changes_nothing(typed: Typed) -> None:
    line = "all_gather_perf -b 1G -e 1G"
    plain, _ = typed(f"srun -N1 -n4 --gpus-per-node=4 {line}")
    wrapped, status = typed(f"srun -N1 -n4 --gpus-per-node=4 bash -c 'X=1 {line}'")
    assert status == 0
    assert [rank for rank, _, _ in ranks(wrapped)] == [0, 1, 2, 3]
    assert buses(plain) == buses(wrapped)


def test_the_same_seed_gives_the_same_text(idle: Simulation[World]) -> None:
    line = "reduce_scatter_perf -b 8 -e 64M -f 4 -g 8"
    first, second = (run_command(idle.fork(), "dgx-04", "priya", line).stdout for _ in range(2))
    other = open_site("dgx-h100-4", seed=2)
    assert first == second
    assert first != run_command(other, "dgx-04", "priya", line).stdout


def test_time_passes_as_the_rows_say(site: Simulation[World]) -> None:
    before = site.now
    run_command(site, "dgx-04", "priya", "all_reduce_perf -b 8G -e 8G -g 8 -n 100 -c 0")
    took = (site.now - before) / SECOND
    assert 4 + 2 * 101 * 0.031 < took < 7 + 2 * 101 * 0.033


def test_more_gpus_than_there_are(typed: Typed, site: Simulation[World]) -> None:
    text, status = typed("ssh dgx-04 all_reduce_perf -g 9")
    assert status == 5
    assert "Invalid number of GPUs: 9 requested but only 8 were found.\n" in text
    assert re.search(r"^ \.\. dgx-04 pid \d+: Test failure common.cu:1188$", text, re.M)
    assert nothing_left(site)


def test_tasks_beyond_the_gpus_break_the_step(typed: Typed, site: Simulation[World]) -> None:
    text, status = typed("srun -N1 -n3 --gpus-per-node=2 all_reduce_perf")
    assert status == 137
    assert "Invalid number of GPUs: 3 requested but only 2 were found.\n" in text
    assert "pmixp_client_v2.c:211: Error handler invoked: status = -61, source = [slurm.pmix." in text
    assert text.endswith(
        "srun: error: dgx-01: tasks 0-1: Killed\nsrun: error: dgx-01: task 2: Exited with exit code 5\n"
    )
    assert nothing_left(site)


def test_sizes_are_cut_to_the_memory(typed: Typed) -> None:
    text, _ = typed("ssh dgx-04 all_reduce_perf -b 16G -e 64G -f 2 -g 8")
    assert "maxBytes 68719476736 step" in text
    assert "#\n# Reducing maxBytes to 26524778496 due to memory limitation\n" in text
    assert list(buses(text)) == [16 << 30]


def test_gpus_that_others_fill(site: Simulation[World]) -> None:
    busy = open_site("dgx-h100-4")
    result = run_command(busy, "dgx-01", "priya", "all_reduce_perf -b 1G -e 8G -g 8")
    assert result.status == 3
    assert "dgx-01: Test NCCL failure common.cu:889 'unhandled cuda error" in result.stdout


def test_ctrl_c_leaves_nothing(site: Simulation[World]) -> None:
    result = run_command(site, "dgx-04", "priya", "all_reduce_perf -b 1G -e 8G -f 2 -g 8", interrupt_after=3 * SECOND)
    assert result.status == 130
    assert "# Using devices" in result.stdout
    assert "Out of bounds" not in result.stdout
    assert nothing_left(site)


def test_others_see_it_at_work(typed: Typed) -> None:
    text, _ = typed(
        "ssh dgx-04 all_reduce_perf -b 8G -e 8G -g 8 -n 200 > /dev/null & sleep 9; "
        "ssh dgx-04 'ps -C all_reduce_perf -o user,cmd; "
        "nvidia-smi --query-compute-apps=name,used_memory --format=csv,noheader | head -1; "
        "nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader -i 0'; wait"
    )
    assert "priya    all_reduce_perf -b 8G -e 8G -g 8 -n 200" in text
    memory = re.search(r"all_reduce_perf, (\d+) MiB", text)
    assert memory
    assert int(memory[1]) > 3 * 8 * 1024
    assert re.search(r"^(9\d|100) %$", text, re.M)


def test_a_killed_process(typed: Typed, site: Simulation[World]) -> None:
    text, _ = typed(
        "ssh dgx-04 all_reduce_perf -b 8G -e 8G -g 8 -n 300 > out & sleep 9; "
        "ssh dgx-04 pkill -9 all_reduce; wait $!; echo status $?; tail -1 out"
    )
    assert "status 137" in text
    assert nothing_left(site)


def test_a_killed_rank_takes_the_step_with_it(typed: Typed, site: Simulation[World]) -> None:
    text, _ = typed(
        f"{TWO_NODES} all_reduce_perf -b 8G -e 8G -n 300 > out 2>&1 & sleep 12; "
        "ssh dgx-02 pkill -9 -o all_reduce; wait $!; echo status $?; cat out"
    )
    assert "status 137" in text
    assert re.search(r"_errhandler: dgx-02 \[1\]: .* source = \[slurm\.pmix\.\d+\.0:\d+\]", text)
    assert "srun: error: dgx-01: tasks 0-7: Killed\n" in text
    assert "Out of bounds" not in text
    assert nothing_left(site)


def test_a_hung_gpu_stops_the_table_until_the_test_gives_up(site: Simulation[World]) -> None:
    gpu_hung.inject(site, "dgx-04/gpu3", {})
    before = site.now
    result = run_command(site, "dgx-04", "priya", "all_reduce_perf -b 1G -e 1G -g 8 -T 60")
    assert result.status == 4
    assert re.search(r"^dgx-04: Test timeout \(60s\) common\.cu:442$", result.stdout, re.M)
    assert re.search(r"^ \.\. dgx-04 pid \d+: Test failure all_reduce\.cu:561$", result.stdout, re.M)
    assert 60 * SECOND < site.now - before < 70 * SECOND
    assert nothing_left(site)


def test_a_lost_gpu_ends_it_with_a_cuda_error(typed: Typed, site: Simulation[World]) -> None:
    from engine.world.events import GpuLost

    site.schedule(GpuLost("dgx-04/gpu2"), 9 * SECOND)
    text, status = typed("ssh dgx-04 all_reduce_perf -b 8G -e 8G -g 8 -n 300")
    assert status == 2
    assert re.search(r"dgx-04: Test CUDA failure common\.cu:418 '", text)
    assert " .. dgx-04 pid" in text


def test_two_people_on_different_nodes(typed: Typed) -> None:
    both, _ = typed(
        f"{TWO_NODES} -w dgx-01,dgx-02 all_reduce_perf -b 4G -e 4G > a & "
        f"{TWO_NODES} -w dgx-03,dgx-04 all_reduce_perf -b 4G -e 4G > b; wait; cat a b"
    )
    figures = [float(match[7]) for match in _ROW.finditer(both)]
    assert len(figures) == 2
    assert all(440 < figure < 500 for figure in figures)


def test_nccl_speaks_when_asked(typed: Typed, site: Simulation[World]) -> None:
    quiet, _ = typed("ssh dgx-04 all_reduce_perf -g 8")
    loud, _ = typed("ssh dgx-04 NCCL_DEBUG=INFO all_reduce_perf -g 8")
    assert "NCCL INFO" not in quiet
    assert "NCCL INFO" in loud
    write(site, "dgx-04", "/etc/nccl.conf", b"NCCL_DEBUG=INFO\n", uid=0, gid=0)
    assert "NCCL INFO" in typed("ssh dgx-04 all_reduce_perf -g 8")[0]


def test_a_slower_network_shows(typed: Typed, site: Simulation[World]) -> None:
    healthy, _ = typed(f"{TWO_NODES} -w dgx-01,dgx-02 all_gather_perf -b 4G -e 4G")
    links.change_cable(site, site.world.inventory.cables["dgx-02/mlx5_0/1"], rate_limit=100)
    slow, _ = typed(f"{TWO_NODES} -w dgx-01,dgx-02 all_gather_perf -b 4G -e 4G")
    assert buses(slow)[4 << 30] < 0.4 * buses(healthy)[4 << 30]


@dataclass(frozen=True, slots=True)
class CablePulled(Event):
    """Scheduled by a test: somebody pulls a cable."""

    port: str


def cut_power(simulation: Simulation[World], event: CablePulled) -> None:
    boot.ChassisPower(event.port, "off", "root").perform(simulation)


def pull(simulation: Simulation[World], event: CablePulled) -> None:
    links.change_cable(simulation, simulation.world.inventory.cables[event.port], plugged=False)


def test_a_cable_pulled_meanwhile_breaks_the_run_at_both_ends(typed: Typed, site: Simulation[World]) -> None:
    site._bus = Bus([*handlers(), (CablePulled, pull)])
    site.schedule(CablePulled("dgx-02/mlx5_0/1"), 10 * SECOND)
    began = site.now
    text, status = typed(f"{TWO_NODES} -w dgx-01,dgx-02 all_reduce_perf -b 1G -e 16G -f 2 -n 40")
    assert status == 137
    assert (1 << 30) in buses(text)
    assert "Out of bounds" not in text
    failure = (
        r"(dgx-0[12]): Test NCCL failure common.cu:430 'remote process exited or there was a network error / NET/IB"
    )
    assert re.findall(failure, text) == ["dgx-01", "dgx-02"]
    assert "srun: error: dgx-01: task 0: Exited with exit code 3\nsrun: error: dgx-01: tasks 1-7: Killed\n" in text
    assert 30 * SECOND < site.now - began < 60 * SECOND
    assert nothing_left(site)


def test_a_node_that_dies_ends_the_job_in_slurms_time(typed: Typed, site: Simulation[World]) -> None:
    site._bus = Bus([*handlers(), (CablePulled, cut_power)])
    site.schedule(CablePulled("dgx-02"), 15 * SECOND)
    text, status = typed(f"{TWO_NODES} -w dgx-01,dgx-02 all_reduce_perf -b 16G -e 16G -n 400")
    assert status == 143
    assert "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***\n" in text
    assert "_errhandler" not in text
    assert nothing_left(site)


def test_too_little_memory_to_lock(typed: Typed, site: Simulation[World]) -> None:
    for host in ("dgx-03", "dgx-04"):
        write(site, host, "/etc/security/limits.d/zz.conf", b"* - memlock 64\n", uid=0, gid=0)
    text, status = typed("mpirun -np 16 -H dgx-03:8,dgx-04:8 all_reduce_perf -b 1G -e 1G")
    assert status == 3
    assert (
        "Test NCCL failure all_reduce.cu:494 'unhandled system error (run with NCCL_DEBUG=INFO for details) / " in text
    )
    assert re.search(r"^ \.\. dgx-03 pid \d+: Test failure common\.cu:513\n .* common\.cu:722$", text, re.M)
    assert nothing_left(site)


def test_no_interface_to_meet_over(typed: Typed, site: Simulation[World]) -> None:
    text, status = typed("mpirun -np 16 -H dgx-03:8,dgx-04:8 -x NCCL_SOCKET_IFNAME=eth7 all_reduce_perf")
    assert status == 3
    assert re.findall(r"Test NCCL failure (\S+) '.* / (.*)'", text) == [
        ("common.cu:1284", "Bootstrap : no socket interface found")
    ]
    assert nothing_left(site)


def test_an_old_library(site: Simulation[World]) -> None:
    driver_library_mismatch.inject(site, "dgx-04", {"version": "", "fabric_manager": "upgraded"})
    result = run_command(site, "dgx-04", "priya", "all_reduce_perf -g 8")
    assert result.status == 2
    assert re.search(
        r"^dgx-04: Test CUDA failure util\.cu:555 'system has unsupported display driver", result.stdout, re.M
    )


class PressesCtrlC:
    """A pace at which somebody presses Ctrl-C when simulated time reaches `at`."""

    def __init__(self, at: int) -> None:
        self.at = at
        self.press: Callable[[], None] | None = None

    async def step(self, now: int, target: int) -> int:
        if self.press is None or target <= self.at:
            return target
        press, self.press = self.press, None
        press()
        return max(now, self.at)


@pytest.mark.parametrize(
    "line",
    [
        "all_reduce_perf -b 8G -e 8G -n 2000 -g 8",
        "srun -N2 -n16 --gpus-per-node=8 all_reduce_perf -b 8G -e 8G -n 2000",
        "mpirun -np 16 -H dgx-03:8,dgx-04:8 all_reduce_perf -b 8G -e 8G -n 2000",
    ],
)
def test_ctrl_c_at_a_terminal(site: Simulation[World], line: str) -> None:
    async def interrupted() -> tuple[int, bytes]:
        pace = PressesCtrlC(site.now + 15 * SECOND)
        play = Play(site, pace)
        terminal = play.open_terminal("dgx-04", "priya")
        pace.press = terminal.interrupt
        result = await asyncio.wait_for(play.run_line(terminal, line), 20)
        play.close()
        return result.status, result.output

    status, output = asyncio.run(interrupted())
    assert status == 130
    assert b"# Using devices" in output
    assert b"Out of bounds" not in output
    assert nothing_left(site)


def test_what_a_run_did_can_be_replayed(idle: Simulation[World]) -> None:
    played, again = idle.fork(), idle.fork()
    before = len(played.recorded)
    type_lines(played, [f"{TWO_NODES} all_reduce_perf -b 1G -e 2G -f 2"], user="priya")
    done = played.recorded[before:]
    assert {type(entry.action).__name__ for entry in done} >= {"Join", "Proceed", "Finish"}
    copies = [Recorded(entry.time, decode(json.loads(json.dumps(encode(entry.action))))) for entry in done]
    replay(again, copies, until=played.now)
    assert again.state_digest() == played.state_digest()


def test_other_traffic_takes_its_share(typed: Typed, site: Simulation[World]) -> None:
    line = f"{TWO_NODES} -w dgx-01,dgx-02 all_gather_perf -b 4G -e 4G"
    alone, _ = typed(line)
    exchange.open_bundle(site, "storage", [Flow("dgx-01/mlx5_0/1", "dgx-02/mlx5_0/1", 400_000_000_000)])
    shared, _ = typed(line)
    assert 0.4 < buses(shared)[4 << 30] / buses(alone)[4 << 30] < 0.65


@pytest.mark.parametrize(("words", "least"), [("1000", "FAILED"), ("100", "OK")])
def test_a_least_bandwidth_is_judged(site: Simulation[World], words: str, least: str) -> None:
    environment = {"NCCL_TESTS_MIN_BW": words}
    result = run_command(site, "dgx-04", "priya", "all_reduce_perf -b 8G -e 8G -g 8", environment=environment)
    assert re.search(rf"^# Avg bus bandwidth    : [\d.]+ {least}$", result.stdout, re.M)
    assert result.status == (7 if least == "FAILED" else 0)
    assert communicators.meeting(site.world, "") is None


def test_json(typed: Typed) -> None:
    text, _ = typed("cd; mpirun -np 2 -H dgx-04:2 all_reduce_perf -b 1M -e 2M -f 2 -J r.json; cat r.json")
    assert "# Writing JSON output to r.json\n" in text
    report = json.loads(text.splitlines()[-1])
    assert [row["size"] for row in report["results"]] == [1 << 20, 2 << 20]
    assert [device["rank"] for device in report["config"]["devices"]] == [0, 1]
    assert report["nccl_version"] == 22809
