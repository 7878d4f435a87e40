"""ibstat, ibstatus, ibv_devices, ibv_devinfo and ibdev2netdev: a host's own ports, from one state."""

from __future__ import annotations

import re

import pytest

from engine.control.systemd import StopUnit
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import links
from engine.simulation import open_site
from engine.sites import catalogue
from engine.sites.model import BoardModel
from engine.world.records import BootPhase
from engine.world.world import World
from tests.support.run import Result, run_command

HOST = "dgx-01"
RAILS = ("mlx5_0", "mlx5_3", "mlx5_4", "mlx5_5", "mlx5_6", "mlx5_9", "mlx5_10", "mlx5_11")


def on(simulation: Simulation[World], line: str, user: str = "alex", host: str = HOST) -> Result:
    return run_command(simulation, host, user, line)


def unplug(simulation: Simulation[World], port: str) -> None:
    found = links.cable(simulation.world.inventory, port)
    assert found
    links.change_cable(simulation, found, plugged=False)


def test_a_rail_is_active(simulation: Simulation[World]) -> None:
    hca = simulation.world.inventory.hca("dgx-01/mlx5_3")
    lid = re.search(r"Base lid: (\d+)", on(simulation, "ibstat mlx5_3").stdout)
    assert lid and int(lid[1]) > 1
    guid = f"0x{hca.guid:016x}"
    assert on(simulation, "ibstat mlx5_3").stdout == (
        "CA 'mlx5_3'\n\tCA type: MT4129\n\tNumber of ports: 1\n"
        f"\tFirmware version: {hca.firmware}\n\tHardware version: 0\n"
        f"\tNode GUID: {guid}\n\tSystem image GUID: {guid}\n\tPort 1:\n"
        "\t\tState: Active\n\t\tPhysical state: LinkUp\n\t\tRate: 400\n"
        f"\t\tBase lid: {lid[1]}\n\t\tLMC: 0\n\t\tSM lid: 1\n\t\tCapability mask: 0xa751e848\n"
        f"\t\tPort GUID: {guid}\n\t\tLink layer: InfiniBand\n"
    )


def test_an_uncabled_storage_port_polls(simulation: Simulation[World]) -> None:
    text = on(simulation, "ibstat mlx5_1").stdout
    for line in ("State: Down", "Physical state: Polling", "Rate: 10", "Base lid: 0", "SM lid: 0"):
        assert f"\t\t{line}\n" in text
    status = on(simulation, "ibstatus mlx5_1").stdout
    assert "\tstate:\t\t 1: DOWN\n\tphys state:\t 2: Polling\n\trate:\t\t 10 Gb/sec (4X SDR)\n" in status
    assert "mlx5_1 port 1 ==> ibp41s0f0 (Down)" in on(simulation, "ibdev2netdev").lines


def test_in_band_ports_speak_ethernet(simulation: Simulation[World]) -> None:
    text = on(simulation, "ibstat mlx5_2").stdout
    assert "\t\tLink layer: Ethernet\n" in text
    assert "\t\tCapability mask: 0x00010000\n" in text
    assert "\t\tState: Active\n\t\tPhysical state: LinkUp\n" in text
    assert "\tlink_layer:\t Ethernet\n" in on(simulation, "ibstatus mlx5_2").stdout


def test_the_manager_s_port_says_so(simulation: Simulation[World]) -> None:
    assert "Capability mask: 0xa751e84a\n" in on(simulation, "ibstat mlx5_0", host="head-01").stdout
    simulation.apply(StopUnit("head-01", "opensm.service", "root"))
    assert "Capability mask: 0xa751e848\n" in on(simulation, "ibstat mlx5_0", host="head-01").stdout


def test_every_view_tells_of_an_unplugged_cable(simulation: Simulation[World]) -> None:
    unplug(simulation, "dgx-01/mlx5_4/1")
    assert "State: Down\n\t\tPhysical state: Polling\n\t\tRate: 10\n" in on(simulation, "ibstat mlx5_4").stdout
    assert "2: Polling" in on(simulation, "ibstatus mlx5_4").stdout
    assert "state:\t\t\tPORT_DOWN (1)\n" in on(simulation, "ibv_devinfo -d mlx5_4").stdout
    assert "mlx5_4 port 1 ==> ibp79s0 (Down)" in on(simulation, "ibdev2netdev").lines
    guid = f"{simulation.world.inventory.hca('dgx-01/mlx5_4').port_guid:016x}"
    assert guid not in on(simulation, "iblinkinfo", "root").stdout
    assert guid not in on(simulation, "ibnetdiscover", "root").stdout
    assert len(on(simulation, "ibhosts", "root").lines) == 4 * len(RAILS)


def test_lists_of_devices(simulation: Simulation[World]) -> None:
    names = [hca.name for hca in simulation.world.node(HOST).hcas]
    assert on(simulation, "ibstat -l").lines == sorted(names)
    assert [line.split()[0] for line in on(simulation, "ibv_devices").lines[2:]] == names
    assert [line.split()[0] for line in on(simulation, "ibdev2netdev").lines] == sorted(names)


def test_devinfo_of_a_rail(simulation: Simulation[World]) -> None:
    text = on(simulation, "ibv_devinfo -d mlx5_0").stdout
    assert text.startswith("hca_id:\tmlx5_0\n\ttransport:\t\t\tInfiniBand (0)\n\tfw_ver:\t\t\t\t28.")
    assert "\t\t\tstate:\t\t\tPORT_ACTIVE (4)\n\t\t\tmax_mtu:\t\t4096 (5)\n" in text
    assert text.endswith("\t\t\tlink_layer:\t\tInfiniBand\n\n")


@pytest.mark.parametrize(
    ("line", "error", "status"),
    [
        ("ibstat nothing", "ibpanic: [20000] main: 'nothing' IB device can't be found: Success\n", 255),
        ("ibv_devinfo -d nothing", "IB device 'nothing' wasn't found\n", 255),
    ],
)
def test_a_device_that_is_not_there(simulation: Simulation[World], line: str, error: str, status: int) -> None:
    simulation.world.systems.update(HOST, next_pid=20_000)
    result = on(simulation, line)
    assert (result.stderr, result.status) == (error, status)


def test_without_the_driver_there_are_no_devices(simulation: Simulation[World]) -> None:
    modules = {**simulation.world.systems[HOST].modules, "mlx5_core": None, "mlx5_ib": None}
    simulation.world.systems.update(HOST, modules=modules)
    assert on(simulation, "ibstat -l").stdout == ""
    far = on(simulation, "iblinkinfo", "root", "head-01").stdout
    assert "dgx-01 mlx5" not in far


def test_a_node_that_restarts_without_a_manager_waits(simulation: Simulation[World]) -> None:
    simulation.apply(StopUnit("head-01", "opensm.service", "root"))
    assert "State: Active\n" in on(simulation, "ibstat mlx5_0").stdout
    restart(simulation)
    text = on(simulation, "ibstat mlx5_0").stdout
    assert "State: Initializing\n\t\tPhysical state: LinkUp\n\t\tRate: 400\n\t\tBase lid: 0\n" in text
    assert "\t\tSM lid: 0\n" in text
    assert "State: Active\n" in on(simulation, "ibstat mlx5_0", host="dgx-02").stdout


def test_a_node_that_restarts_gets_its_lids_back(simulation: Simulation[World]) -> None:
    before = on(simulation, "ibstat").stdout
    restart(simulation)
    assert on(simulation, "ibstat").stdout == before


def restart(simulation: Simulation[World]) -> None:
    run_command(simulation, HOST, "root", "ipmitool power reset")
    simulation.advance(15 * MINUTE)
    assert simulation.world.nodes[HOST].phase is BootPhase.RUNNING


def test_swapped_adapters_move_in_every_view(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = views(open_site("dgx-h100-4", 1))
    real = catalogue.board
    monkeypatch.setattr(catalogue, "board", lambda name: swapped(real(name), "mlx5_0", "mlx5_3"))
    moved = views(open_site("dgx-h100-4", 1))
    assert plain["18"][0] == "mlx5_0" and plain["40"][0] == "mlx5_3"
    assert moved["18"][0] == "mlx5_3" and moved["40"][0] == "mlx5_0"
    assert {bus: view for bus, view in moved.items() if bus not in ("18", "40")} == {
        bus: view for bus, view in plain.items() if bus not in ("18", "40")
    }


def swapped(board: BoardModel | None, one: str, other: str) -> BoardModel | None:
    """The board with two adapters in each other's slots."""
    if board is None:
        return None
    slots = {slot.name: slot for slot in board.hcas}
    if not {one, other} <= set(slots):
        return board
    names = {one: other, other: one}
    hcas = [slot.model_copy(update={"name": names.get(slot.name, slot.name)}) for slot in board.hcas]
    return board.model_copy(update={"hcas": hcas})


def views(simulation: Simulation[World]) -> dict[str, tuple[str, str]]:
    """Device and GUID by bus, which every view must tell alike: the interface's bus, lspci, sysfs, ibstat, and what
    the switch sees. Only adapters with one port.
    """
    found = {}
    neighbours = on(simulation, "ibnetdiscover", "root").stdout
    for line in on(simulation, "ibdev2netdev").lines:
        device, netdev = line.split()[0], line.split()[4]
        place = re.fullmatch(r"ibp(\d+)s0", netdev)
        if place:
            bus = f"{int(place[1]):02x}"
            guid = re.findall(r"Node GUID: 0x(\w+)", on(simulation, f"ibstat {device}").stdout)[0]
            assert "Infiniband controller" in on(simulation, f"lspci -s {bus}:00.0").stdout
            assert on(simulation, f"ls /sys/bus/pci/devices/0000:{bus}:00.0/infiniband").stdout == f"{device}\n"
            assert f'"H-{guid}"[1]({guid}) ' in neighbours and f'# "dgx-01 {device}"' in neighbours
            found[bus] = (device, guid)
    return found
