"""Boards that drop off the bus, and what starts bring back."""

from __future__ import annotations

import pytest

from engine.kernel.units import MINUTE
from engine.physics import gpu_bus, pcie
from engine.world.records import BusDefect, BusState, Power
from tests.engine.physics.scene import NODE, physical_simulation

GPU = f"{NODE}/gpu5"
ADDRESS = "0000:c3:00.0"


def bus_of(simulation) -> BusState:
    return simulation.world.gpus[GPU].bus


def test_a_lost_gpu_is_listed_and_does_not_answer() -> None:
    simulation = physical_simulation()
    assert pcie.answers(simulation.world, NODE, ADDRESS)
    gpu_bus.drop(simulation, GPU)
    assert pcie.enumerated(simulation.world, NODE, ADDRESS)
    assert not pcie.answers(simulation.world, NODE, ADDRESS)
    assert all(
        pcie.answers(simulation.world, NODE, gpu.address) for gpu in simulation.world.node(NODE).gpus if gpu.id != GPU
    )


@pytest.mark.parametrize("holds", [None, 30 * MINUTE])
def test_a_warm_start_never_brings_a_board_back(holds: int | None) -> None:
    simulation = physical_simulation()
    gpu_bus.plant_defect(simulation, GPU, BusDefect(holds))
    gpu_bus.enumerate_gpus(simulation, NODE, cold=False)
    assert bus_of(simulation) is BusState.LOST


def test_a_dead_board_is_not_enumerated_after_a_cold_start() -> None:
    simulation = physical_simulation()
    gpu_bus.plant_defect(simulation, GPU, BusDefect(None))
    gpu_bus.enumerate_gpus(simulation, NODE, cold=True)
    assert bus_of(simulation) is BusState.ABSENT
    assert not pcie.enumerated(simulation.world, NODE, ADDRESS)
    gpu_bus.enumerate_gpus(simulation, NODE, cold=False)
    assert bus_of(simulation) is BusState.ABSENT


def test_a_cold_start_revives_a_board_for_as_long_as_its_defect_lets_it() -> None:
    simulation = physical_simulation()
    gpu_bus.plant_defect(simulation, GPU, BusDefect(30 * MINUTE))
    gpu_bus.enumerate_gpus(simulation, NODE, cold=True)
    simulation.advance(30 * MINUTE - 1)
    assert bus_of(simulation) is BusState.PRESENT
    simulation.advance(1)
    assert bus_of(simulation) is BusState.LOST


def test_each_cold_start_begins_the_time_anew() -> None:
    simulation = physical_simulation()
    gpu_bus.plant_defect(simulation, GPU, BusDefect(30 * MINUTE))
    gpu_bus.enumerate_gpus(simulation, NODE, cold=True)
    simulation.advance(20 * MINUTE)
    gpu_bus.enumerate_gpus(simulation, NODE, cold=True)
    simulation.advance(20 * MINUTE)
    assert bus_of(simulation) is BusState.PRESENT
    simulation.advance(10 * MINUTE)
    assert bus_of(simulation) is BusState.LOST


def test_a_new_board_is_whole_and_its_own() -> None:
    simulation = physical_simulation()
    old = simulation.world.gpus[GPU]
    gpu_bus.plant_defect(simulation, GPU, BusDefect(20 * MINUTE))
    gpu_bus.enumerate_gpus(simulation, NODE, cold=True)
    gpu_bus.new_board(simulation, GPU, "1650000000009", "GPU-0")
    assert not pcie.enumerated(simulation.world, NODE, ADDRESS)
    gpu_bus.enumerate_gpus(simulation, NODE, cold=True)
    simulation.advance(120 * MINUTE)
    state = simulation.world.gpus[GPU]
    assert state.bus is BusState.PRESENT
    assert (state.serial, state.uuid) == ("1650000000009", "GPU-0")
    assert (state.serial, state.uuid) != (old.serial, old.uuid)


def test_nothing_strikes_a_node_without_power() -> None:
    simulation = physical_simulation()
    gpu_bus.plant_defect(simulation, GPU, BusDefect(20 * MINUTE))
    gpu_bus.enumerate_gpus(simulation, NODE, cold=True)
    simulation.world.nodes.update(NODE, power=Power.OFF)
    simulation.advance(60 * MINUTE)
    assert bus_of(simulation) is BusState.PRESENT
    assert not pcie.enumerated(simulation.world, NODE, ADDRESS)


def test_a_board_that_switched_itself_off_comes_back_for_good_with_a_cold_start_only() -> None:
    simulation = physical_simulation()
    gpu_bus.drop(simulation, GPU)
    gpu_bus.enumerate_gpus(simulation, NODE, cold=False)
    assert bus_of(simulation) is BusState.LOST
    gpu_bus.enumerate_gpus(simulation, NODE, cold=True)
    simulation.advance(600 * MINUTE)
    assert bus_of(simulation) is BusState.PRESENT


def test_links_run_at_what_both_ends_can_do() -> None:
    simulation = physical_simulation()
    full = pcie.link(simulation.world, NODE, ADDRESS)
    assert (full.generation, full.width, full.max_generation, full.max_width) == (5, 16, 5, 16)
    simulation.world.pcie_links.update(f"{NODE}/{ADDRESS}", width=8, generation=4)
    slow = pcie.link(simulation.world, NODE, ADDRESS)
    assert (slow.generation, slow.width, slow.max_generation, slow.max_width) == (4, 8, 5, 16)
    with pytest.raises(KeyError):
        pcie.link(simulation.world, NODE, "0000:ff:00.0")
