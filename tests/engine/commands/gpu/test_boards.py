"""Other boards and drivers: what nvidia-smi shows of an A100, H200 or B200, and the forms of older releases."""

from __future__ import annotations

import pytest

from engine.control.processes import start
from engine.kernel.errors import BreakfixError
from engine.kernel.units import MINUTE
from engine.simulation import open_site
from tests.support.run import Result, run_command

BOARDS = {
    "h100-sxm5-80gb": ("NVIDIA H100 80GB HBM3", "81559 MiB", "700.00 W", "5", "26.562 GB/s"),
    "h200-sxm5-141gb": ("NVIDIA H200", "143771 MiB", "700.00 W", "5", "26.562 GB/s"),
    "a100-sxm4-80gb": ("NVIDIA A100-SXM4-80GB", "81920 MiB", "400.00 W", "4", "25 GB/s"),
    "b200-sxm6-180gb": ("NVIDIA B200", "183359 MiB", "1000.00 W", "5", "53.125 GB/s"),
}


def smi(words: str, board: str = "h100-sxm5-80gb", driver: str = "590.48.01") -> Result:
    simulation = open_site("dgx-h100-4", overrides={"hardware.gpu": board, "software.driver": driver})
    return run_command(simulation, "dgx-04", "alex", f"nvidia-smi {words}")


@pytest.mark.parametrize("board", sorted(BOARDS))
def test_figures_of_a_board(board: str) -> None:
    name, memory, power, generation, link = BOARDS[board]
    fields = "name,memory.total,power.default_limit,pcie.link.gen.max"
    assert smi(f"--query-gpu={fields} --format=csv,noheader -i 0", board).stdout == (
        f"{name}, {memory}, {power}, {generation}\n"
    )
    assert smi("nvlink -s -i 0", board).lines[1] == f"\t Link 0: {link}"
    assert len(smi("-L", board).lines) == 8


@pytest.mark.parametrize(
    ("driver", "frame"),
    [
        ("535.183.01", "|-----------------------------------------+----------------------+----------------------+"),
        ("550.90.07", "|-----------------------------------------+------------------------+----------------------+"),
        ("570.86.15", "|-----------------------------------------+------------------------+----------------------+"),
        ("580.65.06", "+-----------------------------------------+------------------------+----------------------+"),
        ("590.48.01", "+-----------------------------------------+------------------------+----------------------+"),
    ],
)
def test_the_frame_of_the_table_by_release(driver: str, frame: str) -> None:
    lines = smi("-i 0", driver=driver).lines
    assert lines[3] == frame and driver in lines[2]
    assert len({len(line) for line in lines[1:12]}) == 1


def test_only_ampere_has_other_ecc_lines_before_550() -> None:
    old = smi("-q -d ECC -i 0", "a100-sxm4-80gb", "535.183.01").stdout
    assert "SRAM Uncorrectable  " in old and "SRAM Uncorrectable Parity" not in old
    for board, driver in (("a100-sxm4-80gb", "570.86.15"), ("h100-sxm5-80gb", "535.183.01")):
        assert "SRAM Uncorrectable Parity" in smi("-q -d ECC -i 0", board, driver).stdout


@pytest.mark.parametrize(("board", "state"), [("a100-sxm4-80gb", "N/A"), ("h200-sxm5-141gb", "Completed")])
def test_boards_before_hopper_do_not_register_with_the_fabric(board: str, state: str) -> None:
    assert smi("--query-gpu=fabric.state --format=csv,noheader -i 0", board).stdout.strip() == state


def test_an_a100_takes_applications_clocks_under_older_drivers() -> None:
    simulation = open_site("dgx-h100-4", overrides={"hardware.gpu": "a100-sxm4-80gb", "software.driver": "535.183.01"})
    run_command(simulation, "dgx-04", "root", "nvidia-smi -ac 1593,1200 -i 0")
    query = "nvidia-smi --query-gpu=clocks.applications.graphics --format=csv,noheader -i 0"
    assert run_command(simulation, "dgx-04", "alex", query).stdout == "1200 MHz\n"
    start(simulation, "dgx-04", user="priya", command="./a", gpus=(0, 1), gpu_memory=600, workload="burn")
    simulation.advance(MINUTE)
    query = "nvidia-smi --query-gpu=clocks.sm,clocks_event_reasons.applications_clocks_setting --format=csv,noheader"
    held, free = run_command(simulation, "dgx-04", "alex", query).lines[:2]
    assert held == "1200 MHz, Active" and free.endswith("Not Active") and int(free.split()[0]) > 1200


def test_a_board_that_nobody_knows_is_refused() -> None:
    with pytest.raises(BreakfixError, match="h900"):
        open_site("dgx-h100-4", overrides={"hardware.gpu": "h900"})


def test_a_b200_tells_the_same_of_its_platform_and_fabric_in_all_reports() -> None:
    fields = "fabric.health.summary,platform.peer_type"
    query = smi(f"--query-gpu={fields} --format=csv,noheader -i 0", "b200-sxm6-180gb").stdout
    assert query == "Healthy, Switch Connected\n"
    report = smi("-q -i 0", "b200-sxm6-180gb").stdout
    assert "Healthy\n" in report and "Switch Connected\n" in report
