"""Options that change a GPU beyond power and clocks: accounting, memory clocks, counters, what a board cannot do."""

from __future__ import annotations

import pytest

from engine.control import processes
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.records import EccCounts
from engine.world.world import World

BUS, GPU = "00000000:43:00.0", "dgx-04/gpu1"


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("-am 1", f"Enabled Accounting Mode for GPU {BUS}."),
        ("-caa", f"Cleared Accounted PIDs for GPU {BUS}."),
        ("-lmc 2619", f'Memory clocks set to "(memClkMin 2619, memClkMax 2619)" for GPU {BUS}'),
        ("-p 0", f"Reset volatile ECC errors to zero for GPU {BUS}."),
        ("-p AGGREGATE", f"Reset aggregate ECC errors to zero for GPU {BUS}."),
        ("-c EXCLUSIVE_PROCESS", f"Set compute mode to EXCLUSIVE_PROCESS for GPU {BUS}."),
    ],
)
def test_what_is_set_is_said(smi, words: str, text: str) -> None:
    result = smi(f"{words} -i 1", user="root")
    assert (result.lines, result.status) == ([text, "All done."], 0)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("-ac 2619,1000", f"Setting applications clocks is not supported for GPU {BUS}."),
        ("--gom=0", f"Unable to set GPU operation mode for GPU {BUS}: Not Supported"),
        ("-gtt 80", f"Unable to set GPU target temperature for GPU {BUS}: Not Supported"),
    ],
)
def test_what_the_board_cannot_do_is_a_warning(smi, site: Simulation[World], words: str, text: str) -> None:
    before = site.world.gpus[GPU]
    result = smi(f"{words} -i 1", user="root")
    assert result.lines == [text, "Treating as warning and moving on.", "All done."]
    assert site.world.gpus[GPU] == before


def test_with_eow_a_warning_is_an_error(smi) -> None:
    result = smi("-eow -gtt 80 -i 1", user="root")
    assert result.status != 0 and "Treating as warning and moving on." not in result.lines


@pytest.mark.parametrize("words", ["-am 1", "-caa", "-lmc 2619", "-rmc", "-p 0", "-e 0", "-c 1"])
def test_nobody_but_root_may(smi, site: Simulation[World], words: str) -> None:
    before = site.world.gpus[GPU]
    result = smi(f"{words} -i 1")
    assert result.status == 4 and site.world.gpus[GPU] == before


def test_clearing_ecc_counts_shows(smi, site: Simulation[World]) -> None:
    counts = EccCounts(dram_uncorrected=3)
    site.world.gpus.update(GPU, volatile=counts, aggregate=counts)
    smi("-p 0 -i 1", user="root")
    fields = "ecc.errors.uncorrected.volatile.total,ecc.errors.uncorrected.aggregate.total"
    assert smi(f"--query-gpu={fields} --format=csv,noheader -i 1").stdout == "0, 3\n"


def test_accounting_shows_what_ended(smi, site: Simulation[World]) -> None:
    query = "--query-accounted-apps=gpu_uuid,pid,max_memory_usage,time --format=csv,noheader"
    smi("-am 1 -i 2", user="root")
    pid = processes.start(site, "dgx-04", user="priya", command="./a", gpus=(2,), gpu_memory=600, workload="burn")
    site.advance(20 * SECOND)
    processes.end(site, "dgx-04", [pid], "exit")
    uuid = site.world.gpus["dgx-04/gpu2"].uuid
    assert smi(query).lines == [f"{uuid}, {pid}, 600 MiB, 20000 ms"]
    assert smi("--query-gpu=accounting.mode --format=csv,noheader -i 2").stdout == "Enabled\n"
    smi("-caa -i 2", user="root")
    assert smi(query).lines == []


def test_output_goes_to_a_file(smi, site: Simulation[World]) -> None:
    assert smi("-q -d ECC -i 0 -f /tmp/list.txt").stdout == ""
    kept = site.world.files["dgx-04"].files["/tmp/list.txt"]
    assert kept is not None and b"ECC Mode" in (kept.content or b"")
