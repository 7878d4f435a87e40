"""nvidia-bug-report.sh and nvsm: what they collect and say follows from the node."""

from __future__ import annotations

import re

import pytest

from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import gpu_bus
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command

NODE = "dgx-03"


@pytest.fixture
def simulation() -> Simulation[World]:
    opened = open_site("dgx-h100-4")
    opened.advance(MINUTE)
    return opened


def nvsm(simulation: Simulation[World], what: str) -> str:
    return run_command(simulation, NODE, "root", f"nvsm show {what}").stdout


def test_health_counts_what_is_well(simulation: Simulation[World]) -> None:
    calm = nvsm(simulation, "health")
    assert "Overall system status is healthy" in calm and "Unhealthy" not in calm
    assert "/systems/localhost/alerts\n" in nvsm(simulation, "alerts")
    simulation.apply(parse_fault(f"power.supply_failed target={NODE}/psu2"))
    simulation.apply(parse_fault(f"cooling.fan_failed target={NODE}/fan3"))
    gpu_bus.drop(simulation, f"{NODE}/gpu5")
    told = nvsm(simulation, "health").splitlines()
    bad = [line.partition("..")[0] for line in told if line.endswith("Unhealthy")]
    assert {"Status of PSU2", "Status of fan module FAN3", "Number of GPUs [8]"} <= set(bad)
    assert "Overall system status is unhealthy" in told
    assert all(line[61] == " " for line in told if line.endswith("ealthy") and ".." in line)


def test_alerts_name_the_part_and_what_to_do(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault(f"power.supply_failed target={NODE}/psu2"))
    simulation.apply(parse_fault(f"power.cord_loose target={NODE}/psu4"))
    told = nvsm(simulation, "alerts")
    assert "component_id = PSU2" in told and "recommended_action = Please replace the PSU." in told
    assert "component_id = PSU4" in told and "alert_id = NV-PSU-02" in told


def test_nvsm_wants_root(simulation: Simulation[World]) -> None:
    assert run_command(simulation, NODE, "alex", "nvsm show health").status == 1


def test_a_bug_report_wants_root(simulation: Simulation[World]) -> None:
    refused = run_command(simulation, NODE, "alex", "nvidia-bug-report.sh")
    assert (refused.status, refused.stdout) == (1, "ERROR: Please run nvidia-bug-report.sh as root.\n")


def test_a_bug_report_holds_what_happened(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault(f"gpu.fell_off_bus target={NODE}/gpu5"))
    simulation.advance(MINUTE)
    told = run_command(simulation, NODE, "root", "nvidia-bug-report.sh")
    assert told.status == 0 and "Running nvidia-bug-report.sh... complete.\n" in told.stdout
    text = run_command(simulation, NODE, "root", "zcat nvidia-bug-report.log.gz").stdout
    assert text.count(f"{'_' * 44}\n") > 20
    assert "*** /proc/driver/nvidia/version\n*** ls: " in text and "NVRM version: NVIDIA UNIX" in text
    assert re.search(r"NVRM: Xid \(PCI:0000:c3:00\): 79", text)
    assert "lspci" not in text.partition("\n\n")[0] and "DGXH100" in text
    again = run_command(simulation, NODE, "root", "nvidia-bug-report.sh --safe-mode")
    assert again.status == 0
    assert run_command(simulation, NODE, "root", "ls nvidia-bug-report.log.gz.old").status == 0
