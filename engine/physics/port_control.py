"""What a management packet can do to a port: switch it off or on, or let its link train anew."""

from __future__ import annotations

from dataclasses import dataclass

from engine.kernel.actions import Action
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.world import World


@dataclass(frozen=True, slots=True)
class SwitchPort(Action):
    """Switch a network port on or off."""

    port: str
    on: bool

    def perform(self, simulation: Simulation[World]) -> None:
        links.set_enabled(simulation, self.port, self.on)


@dataclass(frozen=True, slots=True)
class RetrainPort(Action):
    """Send a network port back to polling: its link goes down and, if it can, comes back."""

    port: str

    def perform(self, simulation: Simulation[World]) -> None:
        links.set_enabled(simulation, self.port, False)
        links.set_enabled(simulation, self.port, True)
