"""slurmd of a node does not run: its process was killed, or somebody stopped the service and disabled it. slurmctld
notices at a ping, gives the node up after SlurmdTimeout, and takes it from its jobs. Starting (and enabling) slurmd
mends it.
"""

from __future__ import annotations

from engine.control import processes, service_state, systemd
from engine.faults._slurm_site import blameless
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_KILLED, _DISABLED = "killed", "disabled"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """End slurmd."""
    if values["how"] == _DISABLED:
        simulation.apply(systemd.StopUnit(target, "slurmd", ""))
        simulation.apply(systemd.DisableUnit(target, "slurmd", ""))
    else:
        service = service_state.service(simulation.world, target, "slurmd")
        if service.active:
            processes.end(simulation, target, [service.pid], "killed")
    blameless(simulation, target)


FAULT = Fault(
    id="slurm.slurmd_stopped",
    title="slurmd of a node does not run",
    targets=("slurm_node",),
    inject=inject,
    parameters=(Parameter("how", "choice", _KILLED, "Killed, or stopped and disabled.", (_KILLED, _DISABLED)),),
    doc="The node is silent, then down, `Not responding`. Start slurmd, and enable it.",
)
