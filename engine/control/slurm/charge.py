"""Which host's slurmctld is in charge: the primary, or a backup that has taken over.

slurm.conf names the hosts in order (SlurmctldHost). A backup runs in the background and takes over once the one in
charge has been silent for SlurmctldTimeout; the primary takes charge again as soon as it starts (SchedMD/slurm 24.11
src/slurmctld/backup.c). Simplification: that a backup finds the saved state is taken for granted, wherever
StateSaveLocation lies.
"""

from __future__ import annotations

from engine.control import service_state
from engine.control.slurm import configuration
from engine.control.slurm.files import controller_host
from engine.world.world import World

SLURMCTLD = "slurmctld"


def hosts(world: World) -> tuple[str, ...]:
    """The hosts of slurmctld in their order: those that slurm.conf names and that have the daemon."""
    if len(world.inventory.partitions) == 0:
        return ()
    named = configuration.in_force(world).controllers
    known = [name for name in named if name in world.inventory.node_index]
    return tuple(name for name in known if service_state.find(world, name, SLURMCTLD) is not None)


def primary(world: World) -> str:
    """The first of them; the site's head node where the file names none."""
    return next(iter(hosts(world)), controller_host(world.inventory))


def in_charge(world: World) -> str:
    """The host whose slurmctld decides, or did so last."""
    return world.slurm[""].in_charge or controller_host(world.inventory)


def runs(world: World) -> bool:
    """Whether a slurmctld answers."""
    return service_state.is_active(world, in_charge(world), SLURMCTLD)
