"""lspci: lost and absent GPUs, links below their best, what users see, editions, mistakes."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from engine.control import journald
from engine.control.accounts import identity
from engine.hostfs.host_tree import HostTree
from engine.kernel.simulation import Simulation
from engine.simulation import open_site
from engine.world.records import BusState
from engine.world.world import World
from tests.support.run import Result, run_command

MakeSimulation = Callable[..., Simulation[World]]
HOST = "dgx-01"
GPUS = "lspci -d 10de:2330"


@pytest.fixture
def simulation(make_simulation: MakeSimulation) -> Simulation[World]:
    return make_simulation()


def on(simulation: Simulation[World], line: str, user: str = "root") -> Result:
    return run_command(simulation, HOST, user, line)


def address(simulation: Simulation[World], index: int) -> str:
    return simulation.world.node(HOST).gpus[index].address.removeprefix("0000:")


def test_names_and_numbers(simulation: Simulation[World]) -> None:
    rows = on(simulation, f"{GPUS} -nn", "alex").lines
    assert len(rows) == 8
    assert rows[0] == ("1b:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330] (rev a1)")


def test_a_lost_gpu_reads_all_ones(simulation: Simulation[World]) -> None:
    simulation.world.gpus.update("dgx-01/gpu2", bus=BusState.LOST)
    place = address(simulation, 2)
    name = "3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB]"
    rows = on(simulation, GPUS).lines
    assert len(rows) == 8 and f"{place} {name} (rev ff)" in rows
    assert sum("(rev a1)" in row for row in rows) == 7
    text = on(simulation, f"lspci -v -s {place}").stdout
    assert text.startswith(f"{place} {name} (rev ff) (prog-if ff)\n\t!!! Unknown header type 7f\n")
    assert "Capabilities" not in text and "Region" not in text


def test_since_3_8_the_kernel_s_word_is_shown(make_simulation: MakeSimulation) -> None:
    simulation = make_simulation(pciutils="3.10.0")
    simulation.world.gpus.update("dgx-01/gpu2", bus=BusState.LOST)
    assert all("(rev a1)" in row for row in on(simulation, GPUS).lines)
    assert "!!! Unknown header type 7f" in on(simulation, f"lspci -v -s {address(simulation, 2)}").stdout


def test_an_absent_gpu_is_not_listed(simulation: Simulation[World]) -> None:
    simulation.world.gpus.update("dgx-01/gpu5", bus=BusState.ABSENT)
    place = address(simulation, 5)
    rows = on(simulation, GPUS).lines
    assert len(rows) == 7 and not any(row.startswith(place) for row in rows)
    assert on(simulation, f"lspci -vvv -s {place}").stdout == ""
    assert f"-[{place[:2]}]--\n" in on(simulation, "lspci -t").stdout


def test_the_port_above_an_absent_gpu_has_no_link(simulation: Simulation[World]) -> None:
    port = next(
        device.parent for device in simulation.world.node(HOST).pcie if device.address.endswith(address(simulation, 5))
    )
    before = on(simulation, f"lspci -vv -s {port}").stdout
    simulation.world.gpus.update("dgx-01/gpu5", bus=BusState.ABSENT)
    after = on(simulation, f"lspci -vv -s {port}").stdout
    assert "LnkSta:\tSpeed 32GT/s (ok), Width x16 (ok)\n" in before
    assert "Width x0 (downgraded)\n" in after


def test_users_may_not_read_capabilities(simulation: Simulation[World]) -> None:
    text = on(simulation, f"{GPUS} -vvv", "alex").stdout
    assert text.count("\tCapabilities: <access denied>\n") == 8
    assert "LnkSta" not in text
    assert "<access denied>" not in on(simulation, f"{GPUS} -vvv").stdout


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, "Speed 32GT/s (ok), Width x16 (ok)"),
        ({"width": 8}, "Speed 32GT/s (ok), Width x8 (downgraded)"),
        ({"generation": 4}, "Speed 16GT/s (downgraded), Width x16 (ok)"),
        ({"generation": 1, "width": 4}, "Speed 2.5GT/s (downgraded), Width x4 (downgraded)"),
    ],
)
def test_links_below_their_best(simulation: Simulation[World], changes: dict[str, object], status: str) -> None:
    simulation.world.pcie_links.update(f"dgx-01/0000:{address(simulation, 4)}", **changes)
    text = on(simulation, f"lspci -vv -s {address(simulation, 4)}").stdout
    assert "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, " in text
    assert f"\t\tLnkSta:\t{status}\n" in text


def test_drivers_are_those_that_are_loaded(simulation: Simulation[World]) -> None:
    place = address(simulation, 0)
    assert "\tKernel driver in use: nvidia\n" in on(simulation, f"lspci -k -s {place}", "alex").stdout
    modules = {**simulation.world.systems[HOST].modules, "nvidia": None}
    simulation.world.systems.update(HOST, modules=modules)
    assert "Kernel driver in use" not in on(simulation, f"lspci -k -s {place}").stdout


def test_records_for_programs(simulation: Simulation[World]) -> None:
    assert on(simulation, "lspci -vmm -s 1b:00.0").stdout == (
        "Slot:\t1b:00.0\nClass:\t3D controller\nVendor:\tNVIDIA Corporation\n"
        "Device:\tGH100 [H100 SXM5 80GB]\nSVendor:\tNVIDIA Corporation\nSDevice:\tDevice 16c1\n"
        "Rev:\ta1\nNUMANode:\t0\n\n"
    )


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ("-s zz", "lspci: -s: Invalid slot number\n"),
        ("-d 1", "lspci: -d: ':' expected\n"),
    ],
)
def test_wrong_filters(simulation: Simulation[World], options: str, error: str) -> None:
    result = on(simulation, f"lspci {options}")
    assert (result.stderr, result.status) == (error, 1)


@pytest.mark.parametrize("line", ["lspci -i names", "lspci -F dump", "sudo setpci -s 1b:00.0 COMMAND=0"])
def test_what_is_not_modelled_says_so(simulation: Simulation[World], line: str) -> None:
    result = on(simulation, line)
    assert (result.status, result.stderr.startswith("breakfix: not modelled: ")) == (125, True)


def test_version(simulation: Simulation[World]) -> None:
    assert on(simulation, "lspci --version").stdout == "lspci version 3.7.0\n"


def test_regions_are_those_of_sysfs_and_of_the_boot_log() -> None:
    simulation = open_site("dgx-h100-4", 1)
    tree = HostTree(simulation, HOST, identity(simulation.world.inventory, "root"))
    boot = "\n".join(entry.text for entry in journald.entries(simulation.world, HOST))
    for device in simulation.world.node(HOST).pcie:
        text = on(simulation, f"lspci -vv -s {device.address}").stdout
        shown = re.findall(r"^\tRegion (\d): Memory at (\w+) ", text, re.MULTILINE)
        rows = tree.read(f"/sys/bus/pci/devices/{device.address}/resource").decode().splitlines()
        starts = {number: int(row.split()[0], 16) for number, row in enumerate(rows[:6]) if int(row.split()[0], 16)}
        assert {int(number): int(base, 16) for number, base in shown} == starts
        for number, start in starts.items():
            assert f"pci {device.address}: BAR {number} [mem {start:#010x}-" in boot
