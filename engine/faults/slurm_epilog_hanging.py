"""The epilog of the cluster asks DCGM for the GPUs after each job, and on one node the host engine no longer answers
(a client of it died in the middle of a call): it takes connections and says nothing. The service is active. Jobs that
end there stay completing, the node `comp`, and slurmctld asks again and again. Restarting nvidia-dcgm ends the wait;
the epilogs that hung have failed then, and the node is drained, `Epilog error`, until it is resumed.
"""

from __future__ import annotations

from engine.faults._slurm_site import install
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

PATH = "/etc/slurm/epilog.sh"
SCRIPT = (
    "#!/bin/bash\n# After every job: what is left of it goes, and the GPUs are looked at.\n"
    'rm -rf "/tmp/job-$SLURM_JOB_ID"\n'
    "dcgmi discovery -l > /dev/null || exit 1\n"
    "exit 0\n"
)


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """All nodes have the epilog; the host engine of this one stops answering."""
    install(simulation, PATH, SCRIPT, f"Epilog={PATH}")
    simulation.world.host_engines.update(target, responsive=False)


FAULT = Fault(
    id="slurm.epilog_hanging",
    title="The epilog of a node hangs on DCGM",
    targets=("slurm_node",),
    inject=inject,
    doc="Jobs stay CG, the node comp; dcgmi hangs there. Restart nvidia-dcgm, resume the node.",
)
