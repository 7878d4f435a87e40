"""NVLinks: links that fail, what a reset trains, broken ones, and counted errors."""

from __future__ import annotations

import pytest

from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE, SECOND
from engine.physics import board_defects, nvlink_errors
from engine.physics.paths import nvlink
from engine.world.events import GpuReset
from engine.world.records import BoardDefect
from engine.world.world import World
from tests.engine.control.node_scene import GPU, NODE, kernel_log, node_simulation


@pytest.fixture
def simulation() -> Simulation[World]:
    return node_simulation()


def reset(simulation: Simulation[World]) -> None:
    simulation.publish(GpuReset(GPU))


def test_a_failed_link_is_down_until_a_reset(simulation: Simulation[World]) -> None:
    nvlink_errors.fail_link(simulation, GPU, 7)
    nvlink_errors.fail_link(simulation, GPU, 7)
    assert simulation.world.nvlinks[GPU].down == (7,)
    assert nvlink.joined(simulation.world, GPU, f"{NODE}/gpu0") == 17
    assert len([line for line in kernel_log(simulation) if "): 74, " in line]) == 1
    reset(simulation)
    assert simulation.world.nvlinks[GPU].down == ()


def test_a_broken_link_does_not_train(simulation: Simulation[World]) -> None:
    nvlink_errors.break_link(simulation, GPU, 7, badly_seated=False)
    nvlink_errors.fail_link(simulation, GPU, 9)
    reset(simulation)
    assert simulation.world.nvlinks[GPU].down == (7,)
    assert any("NVLink: Failed to train link 7 to remote PCI:0000:" in line for line in kernel_log(simulation))
    assert not nvlink_errors.mend_seat(simulation, GPU)
    reset(simulation)
    assert simulation.world.nvlinks[GPU].down == (7,)
    nvlink_errors.new_module(simulation, GPU)
    reset(simulation)
    assert nvlink.working(simulation.world, GPU) == 18


def test_a_badly_seated_module_is_mended_by_reseating(simulation: Simulation[World]) -> None:
    nvlink_errors.break_link(simulation, GPU, 7, badly_seated=True)
    assert nvlink_errors.mend_seat(simulation, GPU)
    reset(simulation)
    assert nvlink.working(simulation.world, GPU) == 18


def test_errors_are_counted_on_one_lane_and_end_with_a_reset(simulation: Simulation[World]) -> None:
    bad = BoardDefect(board_defects.LINK_ERRORS, SECOND, under_load=False, amount=20, place=4)
    board_defects.plant(simulation, GPU, bad)
    simulation.advance(MINUTE)
    (counted,) = simulation.world.nvlinks[GPU].errors
    assert counted.link == 4 and len(counted.crc) == 2 and sorted(counted.crc)[0] == 0
    assert 0 < counted.replay <= sum(counted.crc)
    simulation.advance(MINUTE)
    (later,) = simulation.world.nvlinks[GPU].errors
    assert later.replay > counted.replay and later.recovery >= counted.recovery and sum(later.crc) > sum(counted.crc)
    reset(simulation)
    assert simulation.world.nvlinks[GPU].errors == ()


def test_a_link_that_is_down_counts_nothing(simulation: Simulation[World]) -> None:
    nvlink_errors.fail_link(simulation, GPU, 4)
    bad = BoardDefect(board_defects.LINK_ERRORS, SECOND, under_load=False, amount=20, place=4)
    board_defects.plant(simulation, GPU, bad)
    simulation.advance(MINUTE)
    assert simulation.world.nvlinks[GPU].errors == ()
