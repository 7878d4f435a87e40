"""What operators do to partitions: open and close them.

A DOWN partition starts nothing and takes jobs; a DRAIN one takes none and starts what it has; an INACTIVE one does
neither. slurm.conf's state holds again when slurmctld reads it. Source: slurm.conf(5), SchedMD/slurm 24.11
src/slurmctld/partition_mgr.c.
"""

from __future__ import annotations

from engine.control.slurm import configuration, jobs, lifecycle, logs
from engine.control.slurm.errors import SlurmError
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.world import World

STATES = ("INACTIVE", "DOWN", "UP", "DRAIN")
"""States in the order in which scontrol tries a shortened word."""
CLOSED = ("DRAIN", "INACTIVE")
"""Those in which a partition takes no jobs."""


@dataclass(frozen=True, slots=True)
class UpdatePartition(Action):
    """scontrol update partitionname=: its state ("" for no change). Returns the error, or None."""

    name: str
    by: str
    state: str = ""

    def perform(self, simulation: Simulation[World]) -> SlurmError | None:
        world = simulation.world
        if not jobs.is_operator(world.inventory, self.by):
            return SlurmError.USER_ID
        if configuration.in_force(world).partition(self.name) is None:
            return SlurmError.INVALID_PARTITION
        if self.state:
            states = dict(world.slurm[""].partition_states) | {self.name: self.state}
            world.slurm.update("", partition_states=tuple(sorted(states.items())))
            logs.controller(simulation, f"update_part: setting state of partition {self.name} to {self.state}")
            lifecycle.look_soon(simulation)
        return None
