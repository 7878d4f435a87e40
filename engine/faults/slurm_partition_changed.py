"""Somebody changed the default partition in slurm.conf and made slurmctld read it: it is DOWN, its longest time is
half an hour, or its last node is missing from it. Jobs wait with the partition's reason, or are refused, while nodes
are idle. The line in slurm.conf and scontrol show partition tell. Mending the line on all hosts and scontrol
reconfigure mends it.
"""

from __future__ import annotations

from engine.control.slurm import configuration, slurmctld
from engine.control.slurm.files import SLURM_CONF
from engine.faults._slurm_site import replace_text
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.hostlist import fold
from engine.kernel.simulation import Simulation
from engine.world.world import World

_DOWN, _SHORT, _LEFT_OUT = "down", "short", "left_out"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Change the partition's line on all hosts, and let slurmctld read it."""
    world = simulation.world
    known = configuration.in_force(world)
    partition = known.default_partition or known.partitions[0]
    line = next(
        each
        for each in configuration.text_on(world, target, SLURM_CONF).splitlines()
        if each.startswith(f"PartitionName={partition.name} ")
    )
    changed = {
        _DOWN: line.replace("State=UP", "State=DOWN"),
        _SHORT: " ".join("MaxTime=30:00" if word.startswith("MaxTime=") else word for word in line.split(" ")),
        _LEFT_OUT: line.replace(f"Nodes={fold(partition.nodes)}", f"Nodes={fold(partition.nodes[:-1])}"),
    }[str(values["mistake"])]
    for host in (target, *known.nodes):
        replace_text(simulation, host, SLURM_CONF, line, changed)
    slurmctld.reconfigure(simulation)


FAULT = Fault(
    id="slurm.partition_changed",
    title="The default partition was changed",
    targets=("slurm_controller",),
    inject=inject,
    parameters=(
        Parameter("mistake", "choice", _DOWN, "Down, a short limit, or a node left out.", (_DOWN, _SHORT, _LEFT_OUT)),
    ),
    doc="Jobs wait beside idle nodes, or are refused. Mend the line in slurm.conf, scontrol reconfigure.",
)
