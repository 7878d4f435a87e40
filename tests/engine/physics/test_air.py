"""Inlet temperatures, fans and filters."""

from __future__ import annotations

from engine.kernel.shapes import Constant
from engine.kernel.units import MINUTE, SECOND
from engine.physics import air
from engine.world.events import NodePowered
from engine.world.records import Power
from tests.engine.physics.scene import NODE, physical_simulation, start_work


def test_an_inlet_ramps_and_stays() -> None:
    simulation = physical_simulation()
    start = air.inlet(simulation.world, NODE, 0)
    air.change_inlet(simulation, NODE, 14_000, 10 * MINUTE)
    simulation.advance(5 * MINUTE)
    assert air.inlet(simulation.world, NODE, simulation.now) == start + 7_000
    assert air.inlet(simulation.world, NODE, 60 * MINUTE) == start + 14_000
    simulation.advance(5 * MINUTE)
    assert simulation.world.cooling[NODE].inlet == Constant(start + 14_000)
    assert simulation.next_event_time() is None


def test_a_ramp_can_be_turned_round_on_its_way() -> None:
    simulation = physical_simulation()
    start = air.inlet(simulation.world, NODE, 0)
    air.change_inlet(simulation, NODE, 10_000, 10 * MINUTE)
    simulation.advance(4 * MINUTE)
    air.change_inlet(simulation, NODE, -4_000, 2 * MINUTE)
    simulation.advance(30 * MINUTE)
    assert simulation.world.cooling[NODE].inlet == Constant(start)


def test_fans_turn_faster_for_work_within_seconds() -> None:
    simulation = physical_simulation()
    simulation.advance(MINUTE)
    slow = air.fan_rpm(simulation.world, f"{NODE}/fan3", 0, simulation.now)
    start_work(simulation, "training")
    assert abs(air.fan_rpm(simulation.world, f"{NODE}/fan3", 0, simulation.now) - slow) < slow // 20
    simulation.advance(30 * SECOND)
    assert air.fan_rpm(simulation.world, f"{NODE}/fan3", 0, simulation.now) > slow * 3 // 2


def test_the_rear_rotor_turns_slower_and_modules_differ() -> None:
    simulation = physical_simulation()
    front, rear = (air.fan_rpm(simulation.world, f"{NODE}/fan3", rotor, 0) for rotor in (0, 1))
    assert front > rear > front * 4 // 5
    assert len({air.fan_rpm(simulation.world, f"{NODE}/fan{number}", 0, 0) for number in range(12)}) > 6


def test_a_stopped_fan_stands_still_and_the_others_run_faster() -> None:
    simulation = physical_simulation()
    start_work(simulation, "training")
    simulation.advance(MINUTE)
    before = air.fan_rpm(simulation.world, f"{NODE}/fan4", 0, simulation.now)
    flow = air.airflow_permille(simulation.world, NODE)
    air.stop_fan(simulation, f"{NODE}/fan3")
    simulation.advance(MINUTE)
    assert [air.fan_rpm(simulation.world, f"{NODE}/fan3", rotor, simulation.now) for rotor in (0, 1)] == [0, 0]
    assert air.fan_rpm(simulation.world, f"{NODE}/fan4", 0, simulation.now) > before * 11 // 10
    air.change_fan(simulation, f"{NODE}/fan3", "NEW")
    simulation.advance(MINUTE)
    assert air.fan_rpm(simulation.world, f"{NODE}/fan3", 0, simulation.now) > 0
    assert air.airflow_permille(simulation.world, NODE) == flow


def test_a_clogged_filter_takes_air_from_every_gpu_alike() -> None:
    simulation = physical_simulation()
    start_work(simulation, "training")
    open_flow = air.column_flows(simulation.world, NODE)
    air.block_filter(simulation, NODE, 450)
    clogged = air.column_flows(simulation.world, NODE)
    assert len(set(clogged)) == 1
    assert clogged[0] < open_flow[0]
    air.block_filter(simulation, NODE, 0)
    assert air.column_flows(simulation.world, NODE) == open_flow


def test_without_power_no_fan_turns() -> None:
    simulation = physical_simulation()
    simulation.world.nodes.update(NODE, power=Power.OFF)
    simulation.publish(NodePowered(NODE, on=False))
    assert air.fan_rpm(simulation.world, f"{NODE}/fan0", 0, simulation.now) == 0
    assert air.airflow_permille(simulation.world, NODE) == air.NATURAL_FLOW


def test_a_node_without_gpus_has_air_too() -> None:
    simulation = physical_simulation()
    air.change_inlet(simulation, "head-01", 5_000, MINUTE)
    simulation.advance(2 * MINUTE)
    assert air.fan_rpm(simulation.world, "head-01/fan0", 0, simulation.now) > 0
