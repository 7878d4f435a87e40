"""Firmware that differs between nodes: every tool that shows a version shows the same one."""

from __future__ import annotations

import pytest

from engine.control import firmware, secure_boot
from engine.control.boot import ChassisPower
from engine.control.redfish.actions import SetBios
from engine.faults.fault import parse_fault
from engine.kernel.units import MINUTE
from engine.simulation import open_site
from tests.engine.control.node_scene import NODE, node_simulation
from tests.support.sessions import last


def _mismatch(component: str, version: str):
    simulation = node_simulation()
    text = f"firmware.mismatch target={NODE} component={component} version={version}"
    simulation.apply(parse_fault(text))
    return simulation


def test_bios_of_one_node() -> None:
    simulation = _mismatch("HostBIOS_0", "1.0.9")
    simulation.advance(MINUTE)
    for line, host, found in (
        ("sudo dmidecode -s bios-version", NODE, True),
        ("sudo dmesg | grep DMI:", NODE, True),
        ("hostnamectl", NODE, True),
        ("sudo dmidecode -s bios-version", "dgx-03", False),
    ):
        assert ("1.0.9" in last(simulation, [f"ssh {host}", line])) == found
    assert firmware.version(simulation.world, NODE, "HostBIOS_0") == "1.0.9"


def test_vbios_of_one_gpu() -> None:
    simulation = _mismatch("HGX_FW_GPU_SXM_5", "96.00.61.00.01")
    module = {gpu.module: gpu for gpu in simulation.world.node(NODE).gpus}
    index = module[5].index
    query = last(simulation, [f"ssh {NODE}", "nvidia-smi --query-gpu=vbios_version --format=csv,noheader"]).split()
    assert query[index] == "96.00.61.00.01" and query.count("96.00.61.00.01") == 1
    listed = last(simulation, [f"ssh {NODE}", f"nvidia-smi -q -i {index}"])
    assert "96.00.61.00.01" in listed
    path = f"/proc/driver/nvidia/gpus/{module[5].address}/information"
    assert "96.00.61.00.01" in last(simulation, [f"ssh {NODE}", f"cat {path}"])


@pytest.mark.parametrize("attribute", ["SecureBoot", "AcsControl"])
def test_bios_attributes_act_after_a_restart(attribute: str) -> None:
    simulation = open_site("dgx-h100-4", seed=1)
    simulation.apply(SetBios(NODE, ((attribute, "Enabled"),), "admin"))
    before = _redirecting(simulation)
    assert not secure_boot.is_on(simulation.world, NODE)
    simulation.apply(ChassisPower(NODE, "cycle", "admin"))
    simulation.advance(20 * MINUTE)
    assert secure_boot.is_on(simulation.world, NODE) == (attribute == "SecureBoot")
    assert (_redirecting(simulation) > before) == (attribute == "AcsControl")


def _redirecting(simulation) -> int:
    """How many ports send peer traffic up."""
    return int(last(simulation, [f"ssh {NODE}", "sudo lspci -vvv | grep -c ReqRedir+"]))
