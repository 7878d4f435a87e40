"""Ports wait for a receiver that takes less than comes, and for nobody else."""

from __future__ import annotations

import pytest

from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.physics.paths import receiving
from engine.physics.port_counters import WAIT, value
from engine.simulation import open_site
from engine.workloads.streams import Send, StopSending
from engine.world.world import World

SOURCE, SLOW, OTHER = "dgx-01/mlx5_0/1", "dgx-02/mlx5_0/1", "dgx-03/mlx5_0/1"
RATE = 200_000_000_000


@pytest.fixture
def degraded() -> Simulation[World]:
    simulation = open_site("dgx-h100-4", 1)
    simulation.apply(parse_fault("pcie.link_degraded target=dgx-02/mlx5_0"))
    return simulation


def waited(simulation: Simulation[World], to: str) -> dict[str, int]:
    """Ticks that the sender and the switch port before the receiver wait in a second under such a stream."""
    last = links.peer(simulation.world.inventory, to)
    assert last
    before = {port: value(simulation.world, port, WAIT, simulation.now) for port in (SOURCE, last)}
    simulation.apply(Send("dgx-01", 4711, ((SOURCE, to),), RATE))
    simulation.advance(SECOND)
    simulation.apply(StopSending("dgx-01", 4711))
    simulation.advance(SECOND)
    return {port: value(simulation.world, port, WAIT, simulation.now) - count for port, count in before.items()}


def test_the_way_waits_for_a_slow_receiver(degraded: Simulation[World]) -> None:
    part = receiving.held(degraded.world, SOURCE, SLOW, RATE, steady=True)
    assert 300_000 < part < 700_000
    ticks = 400_000_000_000 // 64 * part // 1_000_000
    assert all(abs(found - ticks) <= 1 for found in waited(degraded, SLOW).values())


def test_nobody_waits_for_a_sound_one(degraded: Simulation[World]) -> None:
    assert set(waited(degraded, OTHER).values()) == {0}


def test_a_slow_sender_is_no_slow_receiver(degraded: Simulation[World]) -> None:
    assert receiving.held(degraded.world, SLOW, OTHER, RATE, steady=True) == 0


def test_a_trickle_is_taken_as_it_comes(degraded: Simulation[World]) -> None:
    assert receiving.held(degraded.world, SOURCE, SLOW, RATE // 10, steady=True) == 0
    assert receiving.held(degraded.world, SOURCE, SLOW, RATE // 10) > 0
