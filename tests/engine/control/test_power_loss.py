"""A node whose supplies fail goes dark, and comes back as its BMC's policy says."""

from __future__ import annotations

import pytest

from engine.control import bmc, boot, journald
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics import supplies
from engine.simulation import open_site
from engine.world.records import Power
from engine.world.world import World

NODE = "dgx-03"


def darken(policy: str = "previous") -> Simulation[World]:
    """A site in which two PDUs of the node's rack have lost their feed."""
    simulation = open_site("dgx-h100-4")
    simulation.advance(MINUTE)
    simulation.apply(bmc.SetPolicy(NODE, policy, "alex"))
    for pdu in ("R02/pdu-a", "R02/pdu-b"):
        supplies.change_pdu(simulation, pdu, supplied=False)
    return simulation


def test_two_supplies_do_not_carry_a_dgx() -> None:
    simulation = darken()
    world = simulation.world
    assert world.nodes[NODE].power is Power.OFF and world.nodes["dgx-04"].power is Power.OFF
    assert world.nodes["dgx-01"].power is Power.ON
    assert bmc.answers(world, NODE, simulation.now, network=True)
    told = [(entry.sensor, entry.event) for entry in world.sel[NODE].entries]
    assert ("REDUNDANCY_PSU", "Non-Redundant: Insufficient Resources") in told
    assert told.index(("STATUS_PSU2", "Power Supply AC lost")) < told.index(("ACPI_PWR", "S4/S5: soft-off"))
    assert bmc.chassis_status(world, NODE, simulation.now).last_power_event == "ac-failed"


def test_nothing_is_shut_down_in_order() -> None:
    simulation = darken()
    texts = [entry.text for entry in journald.entries(simulation.world, NODE, simulation.now - MINUTE, simulation.now)]
    assert not any("Shutting down" in text or "Reached target" in text for text in texts)


@pytest.mark.parametrize(("policy", "on"), [("previous", True), ("always-on", True), ("always-off", False)])
def test_the_policy_says_whether_it_comes_back(policy: str, on: bool) -> None:
    simulation = darken(policy)
    for pdu in ("R02/pdu-a", "R02/pdu-b"):
        supplies.change_pdu(simulation, pdu, supplied=True)
    simulation.advance(10 * MINUTE)
    assert (simulation.world.nodes[NODE].power is Power.ON) == on
    assert boot.is_up(simulation.world, NODE) == on
    if on:
        assert simulation.world.bmcs[NODE].restart_cause == bmc.RESTORED[policy]


def test_it_cannot_be_started_without_power() -> None:
    simulation = darken()
    simulation.apply(boot.ChassisPower(NODE, "on", "alex"))
    assert simulation.world.nodes[NODE].power is Power.OFF


def test_a_node_that_was_off_stays_off_when_power_returns() -> None:
    simulation = open_site("dgx-h100-4")
    simulation.apply(boot.ChassisPower(NODE, "off", "alex"))
    supplies.change_pdu(simulation, "R02/pdu-a", supplied=False)
    supplies.change_pdu(simulation, "R02/pdu-a", supplied=True)
    simulation.advance(5 * MINUTE)
    assert simulation.world.nodes[NODE].power is Power.OFF
