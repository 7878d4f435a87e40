"""A name leads to an old address: /etc/hosts of slurmctld's host has an address of a node that is none any more (a node
that was moved, a file that was written over). slurmd runs and registers when it starts, and is never heard when it is
asked: silent, then down, back for some minutes after each restart of slurmd. getent hosts on that host tells, and ssh
by that name finds nobody. Mending the line mends it.
"""

from __future__ import annotations

from engine.control import files, host_names
from engine.control.slurm import charge, registration
from engine.faults._slurm_site import blameless
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_OLD_HOST_NUMBER = "250"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Put the old address into the file of slurmctld's host."""
    world = simulation.world
    right = host_names.resolve(world, target) or ""
    old = f"{right.rpartition('.')[0]}.{_OLD_HOST_NUMBER}"
    lines = ["127.0.0.1 localhost", f"{old} {target}.{world.inventory.domain} {target}"]
    others = [entry for entry in host_names.host_entries(world)[1:] if target not in entry.names]
    lines += [f"{entry.address} {' '.join(entry.names)}" for entry in others]
    text = "".join(f"{line}\n" for line in lines)
    files.write(simulation, charge.in_charge(world), host_names.HOSTS_FILE, text.encode(), uid=0, gid=0)
    registration.contact_changed(simulation, target)
    blameless(simulation, target)


FAULT = Fault(
    id="slurm.wrong_address",
    title="slurmctld's host has an old address of a node",
    targets=("slurm_node",),
    inject=inject,
    doc="slurmd runs, the node is down; getent hosts on the head node shows another address. Mend /etc/hosts.",
)
