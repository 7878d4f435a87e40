"""The summary table, the list, the versions."""

from __future__ import annotations

import re

import pytest

from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command


def test_the_summary_is_a_box_of_91_columns(smi) -> None:
    result = smi()
    assert result.status == 0
    assert {len(line) for line in result.lines[1:] if line} == {91}
    assert result.lines[0] == "Mon Nov 30 09:00:00 2026       "


def test_each_gpu_has_its_index_and_bus_id(smi) -> None:
    rows = re.findall(r"\|\s+(\d)  NVIDIA H100 80GB HBM3 +On  \|   (\S+) Off", smi().stdout)
    buses = ("1B", "43", "52", "61", "9D", "C3", "D1", "DF")
    assert rows == [(str(index), f"00000000:{bus}:00.0") for index, bus in enumerate(buses)]


def test_processes_stand_below(smi, burning: int) -> None:
    assert "No running processes found" in smi("-i 0").stdout
    assert (
        smi("-i 2").lines[-2]
        == f"|    2   N/A  N/A{burning:>16}      C   ./gpu_burn                            15690MiB |"
    )


def test_a_long_process_name_is_cut_and_keeps_the_box(smi, site: Simulation[World]) -> None:
    from engine.control.processes import start

    command = "/home/priya/miniconda3/envs/llama/bin/python3.11 train.py"
    start(site, "dgx-04", user="priya", command=command, gpus=(0,), gpu_memory=70123)
    row = smi("-i 0").lines[-2]
    assert len(row) == 91 and "..." in row and "bin/python3.11" in row and "70123MiB" in row


def test_pending_mig_modes_have_a_star(smi, site: Simulation[World]) -> None:
    site.world.gpus.update("dgx-04/gpu0", mig_pending=True)
    assert smi("-i 0").lines[10].endswith("Disabled* |")


@pytest.mark.parametrize(
    ("driver", "width", "rule", "cuda"),
    [
        ("610.57.04", 91, "+", "13.3"),
        ("570.158.01", 91, "|", "12.8"),
        ("550.90.07", 91, "|", "12.4"),
        ("525.60.13", 79, "|", "12.0"),
    ],
)
def test_the_box_follows_the_driver(driver: str, width: int, rule: str, cuda: str) -> None:
    site = open_site("dgx-h100-4", overrides={"software.driver": driver})
    lines = run_command(site, "dgx-04", "alex", "nvidia-smi").lines
    assert len(lines[2]) == width and driver in lines[2] and cuda in lines[2]
    assert lines[3].startswith(rule + "---")


def test_the_list_has_uuids(smi, site: Simulation[World]) -> None:
    lines = smi("-L").lines
    uuids = [site.world.gpus[f"dgx-04/gpu{index}"].uuid for index in range(8)]
    assert lines == [f"GPU {index}: NVIDIA H100 80GB HBM3 (UUID: {uuid})" for index, uuid in enumerate(uuids)]


@pytest.mark.parametrize("name", ["3", "00000000:61:00.0", "0000:61:00.0", "61:00.0", "uuid", "serial"])
def test_a_gpu_can_be_named_in_several_ways(smi, site: Simulation[World], name: str) -> None:
    state = site.world.gpus["dgx-04/gpu3"]
    given = {"uuid": state.uuid, "serial": state.serial}.get(name, name)
    assert smi(f"--query-gpu=index --format=csv,noheader -i {given}").stdout == "3\n"


def test_several_gpus_come_in_index_order(smi) -> None:
    assert smi("--query-gpu=index --format=csv,noheader --id=6,0,3").lines == ["0", "3", "6"]


@pytest.mark.parametrize("name", ["8", "GPU-00000000-0000-0000-0000-000000000000", "0000:ff:00.0", "x", ","])
def test_a_gpu_that_there_is_not(smi, name: str) -> None:
    result = smi(f"-i {name}")
    assert (result.stdout, result.status) == ("No devices were found\n", 6)


def test_gpus_that_nobody_holds_open_take_time(smi, site: Simulation[World]) -> None:
    smi("-L")
    assert site.now == 0
    site.world.gpus.update("dgx-04/gpu0", persistence=False)
    smi("-L")
    assert site.now > 0


def test_the_head_node_has_no_nvidia_smi(smi) -> None:
    assert smi("", host="head-01").status == 127
