"""The prolog of one node fails: all nodes have one that counts the GPUs before each job; the copy on this node may
not be executed any more, or was changed and asks for another number. Every job that is sent there drains the node,
`Prolog error`, and waits, held, as `launch failed requeued held`. slurmd's log has what the script said. Mending the
script, resuming the node and releasing the jobs mends it.
"""

from __future__ import annotations

from engine.control import files
from engine.faults._slurm_site import install
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

PATH = "/etc/slurm/prolog.sh"
_MODE, _CHECK = "mode", "check"


def script(count: int) -> str:
    """The prolog: it wants `count` GPUs and the shared file system."""
    return (
        "#!/bin/bash\n# Before every job: is all there that a job may count on?\n"
        "gpus=$(nvidia-smi -L | wc -l)\n"
        f'if [ "$gpus" -ne {count} ]; then echo "prolog: $gpus GPUs, {count} wanted"; exit 1; fi\n'
        'grep -q " /home " /proc/mounts || { echo "prolog: /home is not mounted"; exit 1; }\n'
        "exit 0\n"
    )


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """All nodes get the prolog, this one a copy that fails."""
    count = len(simulation.world.node(target).gpus)
    install(simulation, PATH, script(count), f"Prolog={PATH}")
    if values["mistake"] == _MODE:
        files.write(simulation, target, PATH, script(count).encode(), uid=0, gid=0, mode=0o644)
    else:
        files.write(simulation, target, PATH, script(2 * count).encode(), uid=0, gid=0, mode=0o755)


FAULT = Fault(
    id="slurm.prolog_failing",
    title="The prolog of a node fails",
    targets=("slurm_node",),
    inject=inject,
    parameters=(Parameter("mistake", "choice", _CHECK, "Not executable, or a wrong number.", (_MODE, _CHECK)),),
    doc="Drained with `Prolog error` at the next job, which is requeued and held. Mend the script, resume, release.",
)
