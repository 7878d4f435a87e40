"""PDUs, strips, supplies, and the power brake."""

from __future__ import annotations

from engine.kernel.units import MINUTE
from engine.physics import supplies, thermal
from engine.physics.gpu_power import Reason
from engine.simulation import open_site
from engine.world.records import Power

NODE, PEER, HEAD = "dgx-01", "dgx-02", "head-01"


def test_two_cords_of_a_dgx_are_in_each_of_three_pdus() -> None:
    world = open_site("dgx-h100-4").world
    strips = [supplies.strip_of(world, psu).id for psu in world.node(NODE).psus]
    assert strips == [f"R01/pdu-{letter}/1" for letter in "aabbcc"]
    assert [supplies.strip_of(world, psu).id for psu in world.node(HEAD).psus] == ["R01/pdu-a/2", "R01/pdu-b/2"]
    assert set(supplies.pdus(world.inventory)) >= {"R01/pdu-a", "R01/pdu-b", "R01/pdu-c", "R02/pdu-a"}
    assert (supplies.needed(world.node(NODE)), supplies.needed(world.node(HEAD))) == (4, 1)


def test_a_strip_takes_two_supplies_from_each_node_of_its_half() -> None:
    simulation = open_site("dgx-h100-4")
    supplies.change_pdu(simulation, "R01/pdu-b", blown=(1,))
    world = simulation.world
    for name in (NODE, PEER):
        assert [supplies.has_input(world, psu) for psu in world.node(name).psus] == [
            True,
            True,
            False,
            False,
            True,
            True,
        ]
        assert not supplies.braked(world, name)
    assert supplies.working(world, world.node(HEAD)) == 2
    assert supplies.working(world, world.node("dgx-03")) == 6


def test_a_feed_takes_both_strips() -> None:
    simulation = open_site("dgx-h100-4")
    supplies.change_pdu(simulation, "R01/pdu-b", supplied=False)
    assert supplies.working(simulation.world, simulation.world.node(HEAD)) == 1
    assert simulation.world.nodes[HEAD].power is Power.ON


def test_three_supplies_pull_the_brake_and_halve_the_clock() -> None:
    simulation = open_site("dgx-h100-4")
    simulation.advance(MINUTE)
    before = thermal.average_power(simulation.world, f"{NODE}/gpu3", simulation.now)
    supplies.change_pdu(simulation, "R01/pdu-b", blown=(1,))
    supplies.change_psu(simulation, f"{NODE}/psu0", failed=True)
    world = simulation.world
    assert supplies.braked(world, NODE) and not supplies.braked(world, PEER)
    held = thermal.regime(world, f"{NODE}/gpu3")
    assert held.reasons & (Reason.HW_SLOWDOWN | Reason.POWER_BRAKE) == Reason.HW_SLOWDOWN | Reason.POWER_BRAKE
    assert not held.reasons & (Reason.HW_THERMAL | Reason.SW_THERMAL | Reason.SW_POWER_CAP)
    assert held.sm_clock <= 1980 // 2
    assert thermal.average_power(world, f"{NODE}/gpu3", simulation.now) < before // 2
    assert not thermal.regime(world, f"{PEER}/gpu3").reasons & Reason.POWER_BRAKE
    supplies.change_psu(simulation, f"{NODE}/psu0", failed=False)
    assert not thermal.regime(world, f"{NODE}/gpu3").reasons & Reason.POWER_BRAKE


def test_a_moved_cord_is_fed_from_elsewhere() -> None:
    simulation = open_site("dgx-h100-4")
    supplies.change_pdu(simulation, "R01/pdu-b", blown=(1,))
    supplies.change_psu(simulation, f"{NODE}/psu2", feed="C")
    assert supplies.working(simulation.world, simulation.world.node(NODE)) == 5
