"""Defects of boards: when they show, sleep and wake, and that they go with the board."""

from __future__ import annotations

import pytest

from engine.control import driver, processes
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR, MINUTE
from engine.physics import board_defects, gpu_bus
from engine.world.events import NodeUp
from engine.world.records import BoardDefect, BootPhase
from engine.world.world import World
from tests.engine.control.node_scene import GPU, NODE, node_simulation, run_training


@pytest.fixture
def simulation() -> Simulation[World]:
    return node_simulation()


def plant(simulation: Simulation[World], **more: object) -> None:
    given: dict[str, object] = {"kind": board_defects.CORRECTED, "every": MINUTE, "amount": 10}
    board_defects.plant(simulation, GPU, BoardDefect(**(given | more)))  # type: ignore[arg-type]
    simulation.advance(0)


def strikes(simulation: Simulation[World]) -> int:
    return sum(defect.strikes for defect in simulation.world.gpus[GPU].defects)


def test_it_shows_at_once_and_then_about_as_often_as_it_is_told(simulation: Simulation[World]) -> None:
    run_training(simulation)
    plant(simulation)
    assert strikes(simulation) == 1
    simulation.advance(HOUR)
    assert 45 <= strikes(simulation) <= 80


def test_it_shows_no_more_often_than_told(simulation: Simulation[World]) -> None:
    run_training(simulation)
    plant(simulation, left=3)
    simulation.advance(HOUR)
    assert strikes(simulation) == 3


def test_without_work_it_sleeps_and_work_wakes_it(simulation: Simulation[World]) -> None:
    plant(simulation)
    simulation.advance(HOUR)
    assert strikes(simulation) == 0 and simulation.world.gpus[GPU].defects[0].asleep
    run_training(simulation)
    simulation.advance(10 * MINUTE)
    awake = strikes(simulation)
    assert awake >= 6
    processes.end(simulation, NODE, [each.pid for each in simulation.world.systems[NODE].processes], "exit")
    simulation.advance(HOUR)
    assert awake <= strikes(simulation) <= awake + 1


def test_one_that_needs_no_work_shows_on_an_idle_gpu(simulation: Simulation[World]) -> None:
    plant(simulation, under_load=False)
    simulation.advance(10 * MINUTE)
    assert strikes(simulation) >= 7


def test_it_outlasts_a_reset_but_not_the_board(simulation: Simulation[World]) -> None:
    plant(simulation, under_load=False)
    driver.attach(simulation, NODE)
    simulation.advance(10 * MINUTE)
    shown = strikes(simulation)
    assert shown > 1
    gpu_bus.new_board(simulation, GPU, "1650000000001", "GPU-0")
    simulation.advance(10 * MINUTE)
    assert simulation.world.gpus[GPU].defects == ()


def test_while_the_system_is_down_nothing_shows(simulation: Simulation[World]) -> None:
    simulation.world.nodes.update(NODE, phase=BootPhase.FIRMWARE)
    plant(simulation, under_load=False)
    simulation.advance(HOUR)
    assert strikes(simulation) == 0
    simulation.world.nodes.update(NODE, phase=BootPhase.RUNNING)
    simulation.publish(NodeUp(NODE))
    simulation.advance(10 * MINUTE)
    assert strikes(simulation) > 0
