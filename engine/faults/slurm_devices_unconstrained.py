"""The cgroup.conf of a node lacks ConstrainDevices=yes (an image of its own, a file written anew), and slurmd was
restarted since: a job there sees and can use every GPU, whatever it asked for. CUDA_VISIBLE_DEVICES is right, so that
only programs that ignore it tell: nvidia-smi in a job lists all GPUs. Mending the file and restarting slurmd mends
it.
"""

from __future__ import annotations

from engine.control.slurm.files import CGROUP_CONF
from engine.faults._slurm_site import replace_text, restart
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Change the file, restart slurmd."""
    replace_text(simulation, target, CGROUP_CONF, "ConstrainDevices=yes", "ConstrainDevices=no")
    restart(simulation, target, "slurmd")


FAULT = Fault(
    id="slurm.devices_unconstrained",
    title="Jobs on a node see all GPUs",
    targets=("slurm_node",),
    inject=inject,
    doc="nvidia-smi -L in a job of one GPU lists all. Set ConstrainDevices=yes in cgroup.conf, restart slurmd.",
)
