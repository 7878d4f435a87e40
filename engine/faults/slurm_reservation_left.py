"""A reservation for maintenance that is over was left standing: its node is empty and well, and takes no job of
anybody else's. sinfo shows it as maint, and jobs that need it wait as if it were taken. scontrol show reservation
names it; deleting it mends it.
"""

from __future__ import annotations

from engine.control.slurm.reservations import CreateReservation
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.kernel.units import DAY
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Set the node aside for root for a week."""
    simulation.apply(
        CreateReservation(
            by="root", name=f"maint-{target}", start=simulation.now, duration=7 * DAY, nodes=target, users=("root",),
            flags=("MAINT", "IGNORE_JOBS"),
        )
    )  # fmt: skip


FAULT = Fault(
    id="slurm.reservation_left",
    title="A reservation was left on a node",
    targets=("slurm_node",),
    inject=inject,
    doc="The node is maint and takes no job. scontrol show reservation; scontrol delete reservation=NAME.",
)
