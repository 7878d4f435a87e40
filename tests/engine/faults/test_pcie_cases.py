"""Faults of PCIe: each shows where it should, nowhere else, and its remedy outlasts a restart."""

from __future__ import annotations

import re

from engine.control import files
from engine.control.boot import Reboot
from engine.control.pci_hotplug import Rescan
from engine.control.redfish.actions import SetBios
from engine.faults.fault import InjectFault
from engine.hands.reseat import reseat_hca
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import pcie
from engine.physics.paths import network
from engine.physics.paths import pcie as path
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command

HOST = "dgx-04"
HCA, GPU = f"{HOST}/mlx5_3", f"{HOST}/gpu1"
SWITCH, ROOT, CARD, PORT = "0000:3e:00.0", "0000:3d:01.0", "0000:40:00.0", "0000:3f:03.0"


def faulty(fault: str, target: str, **parameters: str) -> Simulation[World]:
    simulation = open_site("dgx-h100-4", 1)
    simulation.apply(InjectFault(fault, target, tuple(sorted(parameters.items()))))
    return simulation


def at(simulation: Simulation[World], line: str) -> str:
    return run_command(simulation, HOST, "root", line).stdout


def restart(simulation: Simulation[World]) -> None:
    simulation.apply(Reboot(HOST, "alex"))
    simulation.advance(15 * MINUTE)


def test_access_control_comes_back_until_the_bios_is_set() -> None:
    simulation = faulty("pcie.acs_redirect", HOST)
    whole = open_site("dgx-h100-4", 1).world
    assert "ACSCtl:\tSrcValid+ TransBlk- ReqRedir+" in at(simulation, f"lspci -vvv -s {PORT}")
    assert network.gpu_nic(simulation.world, GPU, HCA) < 0.7 * network.gpu_nic(whole, GPU, HCA)
    assert network.host_memory(simulation.world, HCA) == network.host_memory(whole, HCA)
    at(simulation, f"setpci -s {PORT} ECAP_ACS+6.w=0")
    restart(simulation)
    assert pcie.redirects(simulation.world, HOST, PORT)
    simulation.apply(SetBios(HOST, (("AcsControl", "Disabled"),), "admin"))
    restart(simulation)
    assert not pcie.redirects(simulation.world, HOST, PORT)


def test_a_slow_uplink_is_not_seen_at_the_card() -> None:
    simulation = faulty("pcie.uplink_slow", HCA)
    world = simulation.world
    assert "LnkSta:\tSpeed 32GT/s (ok)" in at(simulation, f"lspci -vv -s {CARD}")
    assert "LnkSta:\tSpeed 8GT/s (downgraded)" in at(simulation, f"lspci -vv -s {SWITCH}")
    whole = open_site("dgx-h100-4", 1).world
    assert network.gpu_nic(world, GPU, HCA) == network.gpu_nic(whole, GPU, HCA)
    assert path.host_copy(world, GPU) < 0.3 * path.host_copy(whole, GPU)
    restart(simulation)
    line = next(each for each in at(simulation, "dmesg").splitlines() if f"{CARD}: " in each and "available" in each)
    assert f"limited by 8.0 GT/s PCIe x16 link at {ROOT} (capable of 504.112 Gb/s" in line
    reseat_hca(simulation, HCA, 1)
    assert path.host_copy(world, GPU) == path.host_copy(whole, GPU)


def test_a_pinned_link_comes_back_until_the_rule_is_gone() -> None:
    simulation = faulty("pcie.speed_pinned", GPU)
    address = simulation.world.inventory.gpu(GPU).address
    assert pcie.link(simulation.world, HOST, address).generation == 2
    assert "Target Link Speed: 5GT/s, EnterCompliance- SpeedDis+" in at(simulation, f"lspci -vvv -s {PORT}")
    at(simulation, f"setpci -s {PORT} CAP_EXP+30.w=5:2f CAP_EXP+10.w=20:20")
    assert pcie.link(simulation.world, HOST, address).generation == 5
    restart(simulation)
    assert pcie.link(simulation.world, HOST, address).generation == 2
    files.put(simulation, HOST, {"/etc/udev/rules.d/71-pcie-link-speed.rules": None})
    restart(simulation)
    assert pcie.link(simulation.world, HOST, address).generation == 5


def test_a_small_read_request_slows_one_card() -> None:
    simulation = faulty("pcie.read_request_small", HCA, bytes="256")
    found = re.findall(r"MaxReadReq (\d+)", at(simulation, "lspci -vv -d 15b3:"))
    assert found.count("256") == 1
    restart(simulation)
    assert "MaxReadReq 256 bytes" in at(simulation, f"lspci -vv -s {CARD}")


def test_a_function_that_somebody_took_out_leaves_no_trace_but_its_absence() -> None:
    simulation = faulty("pcie.function_removed", GPU)
    assert at(simulation, "nvidia-smi -L").count("GPU ") == 7
    assert "Xid" not in at(simulation, "dmesg")
    simulation.apply(Rescan(HOST))
    assert at(simulation, "nvidia-smi -L").count("GPU ") == 8
