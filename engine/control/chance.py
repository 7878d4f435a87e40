"""Chance that programs of a host ask the kernel for, as with getrandom(2): no two requests are answered alike.

A stream of the simulation is a function of its name, so two requests under one name would get the same draws. Requests
are therefore counted by host; the count is part of the state, which makes a replay draw the same again.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.kernel.actions import Action
from engine.kernel.random import Stream
from engine.kernel.simulation import Simulation
from engine.world.world import World


@dataclass(frozen=True, slots=True)
class TakeDraw(Action):
    """A program asks the kernel of a host for chance. Gives the number of the request, from 1 on."""

    host: str

    def perform(self, simulation: Simulation[World]) -> int:
        number = simulation.world.systems[self.host].draws + 1
        simulation.world.systems.update(self.host, draws=number)
        return number


def fresh_stream(simulation: Simulation[World], host: str, program: str) -> Stream:
    """A stream that no program of the host has had before."""
    return simulation.stream(f"{program}/{host}/{simulation.apply(TakeDraw(host))}")
