"""slurmctld does not run: it was killed, or somebody made a mistake in slurm.conf and restarted it. Jobs that run go
on; nothing new starts, and every command of Slurm fails to reach it. A mistake in the file stands in its journal with
file and line. Mending the file and starting slurmctld mends it.
"""

from __future__ import annotations

from engine.control import processes, service_state
from engine.control.slurm.files import SLURM_CONF
from engine.faults._slurm_site import replace_text, restart
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_KILLED, _CONFIGURATION = "killed", "configuration"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """End slurmctld."""
    if values["how"] == _CONFIGURATION:
        replace_text(
            simulation, target, SLURM_CONF, "SelectTypeParameters=CR_Core_Memory", "SelectTypeParameters=CR_GPU"
        )
        restart(simulation, target, "slurmctld")
        return
    service = service_state.service(simulation.world, target, "slurmctld")
    if service.active:
        processes.end(simulation, target, [service.pid], "killed")


FAULT = Fault(
    id="slurm.controller_down",
    title="slurmctld does not run",
    targets=("slurm_controller",),
    inject=inject,
    parameters=(Parameter("how", "choice", _KILLED, "Killed, or a mistake in slurm.conf.", (_KILLED, _CONFIGURATION)),),
    doc="sinfo cannot reach it; its journal says why it ended. Mend slurm.conf, start slurmctld.",
)
