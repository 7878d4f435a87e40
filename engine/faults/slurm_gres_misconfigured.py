"""The gres.conf of a node was rewritten with a mistake, and slurmd restarted: one device file too few, another type
of GPU, or the same devices listed twice. All GPUs work.

With too few, slurmd reports less than slurm.conf promises: INVAL and drained, `gres/gpu count reported lower than
configured`. With devices listed twice slurmd does not start, and the node goes down. Mending the file and restarting
slurmd mends it; a drained node must be resumed.
"""

from __future__ import annotations

from engine.control import files
from engine.control.slurm import configuration
from engine.control.slurm.files import GRES_CONF
from engine.faults._slurm_site import restart
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_FILES, _TYPE, _DUPLICATE = "files", "type", "duplicate"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Write the file, restart slurmd."""
    node = configuration.in_force(simulation.world).nodes[target]
    last = len(simulation.world.node(target).gpus) - 1
    every = f"NodeName={target} Name=gpu Type={node.gpu_type} File=/dev/nvidia[0-{last}]"
    texts = {
        _FILES: f"NodeName={target} Name=gpu Type={node.gpu_type} File=/dev/nvidia[0-{last - 1}]",
        _TYPE: f"AutoDetect=nvml\nNodeName={target} Name=gpu Type=a100",
        _DUPLICATE: f"{every}\n{every}",
    }
    text = f"# {GRES_CONF}; see gres.conf(5).\n{texts[str(values['mistake'])]}\n"
    files.write(simulation, target, GRES_CONF, text.encode(), uid=0, gid=0)
    restart(simulation, target, "slurmd")


FAULT = Fault(
    id="slurm.gres_misconfigured",
    title="A node's gres.conf is wrong",
    targets=("slurm_node",),
    inject=inject,
    parameters=(
        Parameter(
            "mistake",
            "choice",
            _FILES,
            "A device file too few, a wrong type, devices twice.",
            (_FILES, _TYPE, _DUPLICATE),
        ),
    ),
    doc="INVAL with all GPUs there, or slurmd does not start. Mend gres.conf, restart slurmd, resume.",
)
