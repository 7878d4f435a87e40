"""The cluster's MUNGE key was changed, and one node does not work with it: its munged was never restarted and holds
the old key, though the file is the new one, or the node was left out and has the old file as well. Its slurmd and
slurmctld no longer understand each other: `Invalid credential` in both logs, the node is silent and then down.
Putting the new file there, if it is not, and restarting munge mends it.
"""

from __future__ import annotations

from engine.control import files, munge, systemd
from engine.control.slurm import registration
from engine.faults._slurm_site import blameless
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.world.world import World

_NOT_RESTARTED, _LEFT_OUT = "not_restarted", "left_out"
_LENGTH = 128


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Give all hosts the new key, and let all but one take it."""
    world = simulation.world
    key = b"".join(hash64(world.seed, "new munge key", block).to_bytes(8, "big") for block in range(_LENGTH // 8))
    for host in world.inventory.node_names:
        if host != target or values["how"] == _NOT_RESTARTED:
            files.write(simulation, host, munge.KEY_FILE, key, uid=munge.UID, gid=munge.GID, mode=0o400)
    world.munge.update(target, key=munge.loaded_key(world, target))
    for host in world.inventory.node_names:
        if host != target:
            simulation.apply(systemd.RestartUnit(host, munge.SERVICE, ""))
    registration.contact_changed(simulation, target)
    blameless(simulation, target)


FAULT = Fault(
    id="munge.key_changed",
    title="A node works with another MUNGE key",
    targets=("slurm_node",),
    inject=inject,
    parameters=(
        Parameter(
            "how",
            "choice",
            _NOT_RESTARTED,
            "munged was not restarted, or has the old file.",
            (_NOT_RESTARTED, _LEFT_OUT),
        ),
    ),
    doc="`munge -n | ssh NODE unmunge`: Invalid credential. The same key file everywhere, restart munge.",
)
