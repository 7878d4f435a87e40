"""The subnet manager that a managed switch can run: what its administrator does to it.

It is opensm too, off by default (NVIDIA's manual of MLNX-OS, `ib sm`). Guess: its priority is 0 until it is set; a
change counts at once, as opensm's does when it reads its configuration anew: it discovers again.
"""

from __future__ import annotations

from engine.control.subnet_manager import sweep
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.inventory import Switch
from engine.world.world import World


def is_managed(switch: Switch) -> bool:
    """Whether a switch has an operating system that one can log in to: all InfiniBand ones but those of models that end
    in 90, such as QM9790 and QM8790 (NVIDIA's data sheets).
    """
    return switch.kind == "infiniband" and not switch.model.endswith("90")


@dataclass(frozen=True, slots=True)
class SetSwitchManager(Action):
    """Switch the manager of a switch on or off, or give it a priority (None: as it is)."""

    switch: str
    enabled: bool | None = None
    priority: int | None = None

    def perform(self, simulation: Simulation[World]) -> None:
        managers = simulation.world.managers
        before = managers[self.switch]
        enabled = before.enabled if self.enabled is None else self.enabled
        priority = before.priority if self.priority is None else self.priority
        if (enabled, priority) == (before.enabled, before.priority):
            return
        managers.update(self.switch, enabled=enabled, priority=priority)
        if before.enabled and not enabled:
            sweep.finish(simulation, self.switch)
        elif enabled:
            if before.enabled:
                sweep.finish(simulation, self.switch)
            sweep.begin(simulation, self.switch)
