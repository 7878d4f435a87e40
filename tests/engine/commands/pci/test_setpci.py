"""setpci: its language and errors, what it writes, and that everybody sees it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engine.control.accounts import identity
from engine.hostfs.host_tree import HostTree
from engine.kernel.simulation import Simulation
from engine.physics.paths import network
from engine.world.world import World
from tests.support.run import Result, run_command

HOST = "dgx-01"
GPU, PORT, CARD = "1b:00.0", "17:03.0", "18:00.0"
HINT = "Try `setpci --help' for more information.\n"
MakeSimulation = Callable[..., Simulation[World]]


@pytest.fixture
def simulation(make_simulation: MakeSimulation) -> Simulation[World]:
    return make_simulation()


def on(simulation: Simulation[World], line: str, user: str = "root") -> Result:
    return run_command(simulation, HOST, user, line)


@pytest.mark.parametrize(
    ("line", "printed"),
    [
        (f"setpci -s {GPU} VENDOR_ID", "10de\n"),
        (f"setpci -s {GPU} 0.l 2.w", "233010de\n2330\n"),
        (f"setpci -v -s {PORT} ECAP_ACS+6.w", "0000:17:03.0 (ecap 000d @170) @176 = 0000\n"),
        (f"setpci -s {CARD} CAP_EXP+8.w cap10+8.w", "593f\n593f\n"),
        (f"setpci -vD -s {CARD} CAP_EXP+8.w=0:7000", "0000:18:00.0 (cap 10 @60) @68 593f->(0000:7000)->093f\n"),
        ("setpci -d 10de:2330 REVISION", "a1\n" * 8),
    ],
)
def test_reading(simulation: Simulation[World], line: str, printed: str) -> None:
    result = on(simulation, line)
    assert (result.stdout, result.stderr, result.status) == (printed, "", 0)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ("", f"No operation specified.\n{HINT}"),
        ("COMMAND", f"Filter specification expected.\n{HINT}"),
        ("-s", f"Option -s requires an argument.\n{HINT}"),
        (f"-s {GPU} NOTHING", f'Unknown register "NOTHING".\n{HINT}'),
        (f"-s {GPU} 10", f"Missing width.\n{HINT}"),
        (f"-s {GPU} 11.w", f"Unaligned register address 11.\n{HINT}"),
        (f"-s {GPU} ffe.l", f"Register number ffe out of range.\n{HINT}"),
        (f"-s {GPU} 4.x", f'Invalid width "x".\n{HINT}'),
        (f"-s {GPU} 4.w=", f"Missing value.\n{HINT}"),
        (f"-s {GPU} 4.b=100", f'Value "100" is out of range.\n{HINT}'),
        (f"-s {GPU} 4.w=1:q", f'Invalid mask "q".\n{HINT}'),
        (f"-s {GPU} BRIDGE_CONTROL", "0000:1b:00.0: Does not have register BRIDGE_CONTROL.\n"),
        (
            f"-s {GPU} ECAP_ACS+6.w",
            "0000:1b:00.0: Instance #0 of Extended capability 000d not found - "
            "there are no capabilities with that id.\n",
        ),
    ],
)
def test_mistakes(simulation: Simulation[World], arguments: str, error: str) -> None:
    result = on(simulation, f"setpci {arguments}")
    assert (result.stdout, result.stderr, result.status) == ("", f"setpci: {error}", 1)


def test_nobody_fits(simulation: Simulation[World]) -> None:
    warning = "setpci: Warning: No devices selected for operation group 1.\n"
    assert on(simulation, "setpci -s fe:00.0 0.w").stderr == warning
    assert on(simulation, "setpci -f -s fe:00.0 0.w").stderr == ""


def test_the_list_of_registers(simulation: Simulation[World]) -> None:
    lines = on(simulation, "setpci --dumpregs").stdout.splitlines()
    assert lines[:3] == ["cap pos w name", "     00 W VENDOR_ID", "     02 W DEVICE_ID"]
    assert "  10 00 - CAP_EXP" in lines
    assert "000d 00 - ECAP_ACS" in lines


def test_who_is_not_root_writes_nothing(simulation: Simulation[World]) -> None:
    result = on(simulation, f"setpci -s {CARD} COMMAND=6", "alex")
    assert result.status == 1
    assert "Permission denied" in result.stderr
    assert simulation.world.pci_functions.changed() == []


def test_access_control_makes_the_way_longer_until_a_restart(simulation: Simulation[World]) -> None:
    world = simulation.world
    node = world.node(HOST)
    hca = next(hca for hca in node.hcas if hca.address == f"0000:{CARD}")
    gpu = next(gpu for gpu in node.gpus if gpu.address == f"0000:{GPU}")
    before = network.gpu_nic(world, gpu.id, hca.id)
    on(simulation, f"setpci -s {PORT} ECAP_ACS+6.w=1d")
    assert network.gpu_nic(world, gpu.id, hca.id) < 0.7 * before
    shown = on(simulation, f"lspci -vvv -s {PORT}").stdout
    assert "ACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+" in shown
    on(simulation, f"setpci -s {PORT} ECAP_ACS+6.w=0")
    assert network.gpu_nic(world, gpu.id, hca.id) == before


def test_only_bits_that_the_port_has_are_kept(simulation: Simulation[World]) -> None:
    on(simulation, f"setpci -s {PORT} ECAP_ACS+6.w=ffff ECAP_ACS+4.w=0")
    assert on(simulation, f"setpci -s {PORT} ECAP_ACS+6.w ECAP_ACS+4.w").stdout == "005f\n005f\n"


def test_small_read_requests_cost_bandwidth(simulation: Simulation[World]) -> None:
    world = simulation.world
    hca = next(hca for hca in world.node(HOST).hcas if hca.address == f"0000:{CARD}")
    before = network.host_memory(world, hca.id)
    on(simulation, f"setpci -s {CARD} CAP_EXP+8.w=0:7000")
    assert network.host_memory(world, hca.id) < 0.4 * before
    assert "MaxReadReq 128 bytes" in on(simulation, f"lspci -vv -s {CARD}").stdout


def test_a_link_trains_to_the_lower_target(simulation: Simulation[World]) -> None:
    generations = "nvidia-smi --query-gpu=pcie.link.gen.current --format=csv,noheader"
    on(simulation, f"setpci -s {PORT} CAP_EXP+30.w=2:f")
    assert on(simulation, generations).stdout == "5\n" * 8
    on(simulation, f"setpci -s {PORT} CAP_EXP+10.w=20:20")
    assert on(simulation, generations).stdout == "2\n" + "5\n" * 7
    assert "LnkSta:\tSpeed 5GT/s (downgraded)" in on(simulation, f"lspci -vv -s {GPU}").stdout
    tree = HostTree(simulation, HOST, identity(simulation.world.inventory, "root"))
    assert tree.read(f"/sys/bus/pci/devices/0000:{GPU}/current_link_speed") == b"5.0 GT/s PCIe\n"
    assert on(simulation, f"setpci -s {PORT} CAP_EXP+10.w").stdout == "0000\n"
    on(simulation, f"setpci -s {PORT} CAP_EXP+30.w=5:f CAP_EXP+10.w=20:20")
    assert on(simulation, generations).stdout == "5\n" * 8


def test_a_status_bit_is_cleared_by_a_one(simulation: Simulation[World]) -> None:
    assert on(simulation, f"setpci -s {CARD} ECAP_AER+10.l").stdout == "00002000\n"
    on(simulation, f"setpci -s {CARD} ECAP_AER+10.l=0")
    assert on(simulation, f"setpci -s {CARD} ECAP_AER+10.l").stdout == "00002000\n"
    on(simulation, f"setpci -s {CARD} ECAP_AER+10.l=ffffffff")
    assert on(simulation, f"setpci -s {CARD} ECAP_AER+10.l").stdout == "00000000\n"
