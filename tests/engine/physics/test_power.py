"""What a node draws, and what its power supplies take."""

from __future__ import annotations

from engine.kernel.units import MINUTE
from engine.physics import power
from engine.world.events import NodePowered
from engine.world.records import Power
from tests.engine.physics.scene import NODE, physical_simulation, start_work


def test_a_dgx_draws_within_its_data_sheet() -> None:
    simulation = physical_simulation()
    idle = power.node_draw(simulation.world, NODE, 0)
    assert 1_200_000 < idle < 2_600_000
    start_work(simulation, "hpl")
    simulation.advance(MINUTE)
    busy = power.node_draw(simulation.world, NODE, simulation.now)
    assert 6_000_000 < busy * 1000 // power.EFFICIENCY < 10_200_000


def test_the_working_supplies_share_the_draw() -> None:
    simulation = physical_simulation()
    start_work(simulation, "training")
    world, supplies = simulation.world, simulation.world.node(NODE).psus
    before = [power.psu_output(world, psu, 0) for psu in supplies]
    world.psus.update(supplies[2].id, input_lost=True)
    after = [power.psu_output(world, psu, 0) for psu in supplies]
    assert after[2] == 0 and power.psu_input(world, supplies[2], 0) == 0
    assert all(now > then for number, (now, then) in enumerate(zip(after, before, strict=True)) if number != 2)
    assert abs(sum(after) - sum(before)) < 10
    assert power.psu_input(world, supplies[0], 0) > after[0]


def test_a_node_that_is_off_draws_its_standby_power() -> None:
    simulation = physical_simulation()
    start_work(simulation, "training")
    simulation.world.nodes.update(NODE, power=Power.OFF)
    simulation.publish(NodePowered(NODE, on=False))
    assert power.node_draw(simulation.world, NODE, simulation.now) == power.STANDBY
