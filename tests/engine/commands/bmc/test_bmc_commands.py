"""What operators do at a BMC: policies, resets, its clock, its power reading, firmware; one that does not answer."""

from __future__ import annotations

import re

import pytest

from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.simulation import open_site
from engine.world.world import World
from tests.support.run import run_command

NODE, HEAD = "dgx-03", "head-01"
REMOTE = f"ipmitool -I lanplus -H {NODE}-bmc -U admin -P secret"


@pytest.fixture
def simulation() -> Simulation[World]:
    opened = open_site("dgx-h100-4")
    opened.advance(MINUTE)
    return opened


def local(simulation: Simulation[World], line: str) -> str:
    result = run_command(simulation, NODE, "root", f"ipmitool {line}")
    assert result.status == 0, result.stderr
    return result.stdout


def test_a_policy_is_set_and_shown(simulation: Simulation[World]) -> None:
    assert (
        local(simulation, "chassis policy list") == "Supported chassis power policy:  always-off always-on previous\n"
    )
    assert local(simulation, "chassis policy always-on") == "Set chassis power restore policy to always-on\n"
    assert "Power Restore Policy : always-on\n" in local(simulation, "chassis status")
    refused = run_command(simulation, NODE, "root", "ipmitool chassis policy never")
    assert (refused.status, refused.stderr) == (1, "Invalid chassis policy: never\n")


def test_why_it_started(simulation: Simulation[World]) -> None:
    assert local(simulation, "chassis restart_cause") == "System restart cause: chassis power control command\n"


def test_a_bmc_that_starts_anew_is_silent_for_a_while(simulation: Simulation[World]) -> None:
    assert local(simulation, "mc reset cold") == "Sent cold reset command to MC\n"
    silent = run_command(simulation, NODE, "root", "ipmitool sdr")
    assert (silent.status, silent.stdout) == (1, "")
    assert silent.stderr == "Get Device ID command failed\nUnable to open SDR for reading\n"
    away = run_command(simulation, HEAD, "alex", f"{REMOTE} chassis status")
    assert (away.status, away.stderr) == (1, "Error: Unable to establish IPMI v2 / RMCP+ session\n")
    simulation.advance(2 * MINUTE)
    assert run_command(simulation, HEAD, "alex", f"{REMOTE} chassis status").status == 0


def test_one_that_hangs_on_the_network_answers_its_host(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault(f"bmc.hung target={NODE}"))
    before = simulation.now
    away = run_command(simulation, HEAD, "alex", f"{REMOTE} sel elist")
    assert (
        away.stderr.endswith("Unable to establish IPMI v2 / RMCP+ session\n") and simulation.now - before >= 10 * SECOND
    )
    assert "Chassis Power is on" in local(simulation, "chassis power status")
    refused = run_command(simulation, HEAD, "alex", f"curl -sk -u admin:x https://{NODE}-bmc/redfish/v1/Systems")
    assert refused.status == 7


def test_its_clock(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault(f"bmc.clock_wrong target={NODE} seconds=-86400"))
    assert local(simulation, "sel time get").startswith("11/29/")
    assert local(simulation, "sel time set now").startswith("11/30/")
    assert local(simulation, "sel time get").startswith("11/30/")


def test_a_full_log(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault(f"bmc.log_full target={NODE}"))
    simulation.apply(parse_fault(f"power.cord_loose target={NODE}/psu1"))
    told = local(simulation, "sel info")
    assert (
        "Percent Used     : 100%" in told and "Overflow         : true" in told and "Free Space       : 0 bytes" in told
    )
    assert "AC lost" not in local(simulation, "sel elist last 3")
    assert re.search(r"SEL_FULLNESS +\| 100 percent +\| cr", local(simulation, "sdr"))
    assert "STATUS_PSU1" in local(simulation, 'sdr type "Power Supply"')


def test_the_power_reading_is_what_the_supplies_take(simulation: Simulation[World]) -> None:
    told = local(simulation, "dcmi power reading")
    watts = int(re.search(r"Instantaneous power reading: +(\d+) Watts\n", told)[1])  # type: ignore[index]
    takes = re.findall(r"PWR_PSU\d +\| (\d+) Watts", local(simulation, "sdr"))
    assert len(takes) == 6 and abs(sum(map(int, takes)) - watts) < watts // 20
    assert "    Power reading state is:                   activated\n" in told


def test_firmware_of_two_nodes_is_compared(simulation: Simulation[World]) -> None:
    simulation.apply(parse_fault(f"firmware.mismatch target={NODE} component=CPLDMB_0 version=0.2.1.6"))
    shown = [
        run_command(simulation, HEAD, "alex", f"nvfwupd -t ip={node}-bmc user=admin password=x show_version").lines
        for node in (NODE, "dgx-04")
    ]
    differ = [(here, there) for here, there in zip(*shown, strict=True) if here != there]
    assert [here.split()[:2] for here, _ in differ if not here.startswith("Serial")] == [["CPLDMB_0", "0.2.1.6"]]
    assert "Connection Status: Successful" in shown[0]
    assert (
        run_command(simulation, HEAD, "alex", f"nvfwupd -t ip={NODE}-bmc user=nobody password=x show_version").status
        == 1
    )
