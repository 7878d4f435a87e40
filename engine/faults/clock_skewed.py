"""The clock of a node is wrong by more than MUNGE's five minutes, and chrony, which would keep it, is stopped and
disabled (an image without it, a firmware that lost its time). Credentials come from the future or are too old: Slurm
does not hear from the node any more, though slurmd runs. Starting chrony sets the clock right; enabling it keeps it
so.
"""

from __future__ import annotations

from engine.control import host_clock, systemd
from engine.faults._slurm_site import blameless
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Stop what keeps the clock, and set it wrong."""
    simulation.apply(systemd.StopUnit(target, host_clock.CHRONY, ""))
    simulation.apply(systemd.DisableUnit(target, host_clock.CHRONY, ""))
    host_clock.step(simulation, target, int(values["seconds"] or 0) * SECOND)
    blameless(simulation, target)


FAULT = Fault(
    id="clock.skewed",
    title="A node's clock is wrong",
    targets=("slurm_node",),
    inject=inject,
    parameters=(
        Parameter("seconds", "integer", "-1260", "What it is ahead (behind: negative).", least=-(10**7), most=10**7),
    ),
    doc="`date` differs; unmunge: Rewound or Expired credential. Start and enable chrony.",
)
