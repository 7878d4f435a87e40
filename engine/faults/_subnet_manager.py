"""What faults of subnet managers share: changing opensm's files on a node as an editor would."""

from __future__ import annotations

from engine.control import files, systemd
from engine.control.subnet_manager import default_file, lid_file
from engine.control.subnet_manager.configuration import CONFIGURATION, PARTITIONS
from engine.control.subnet_manager.lids import fresh_lids, host_of_manager
from engine.control.subnet_manager.managers import UNIT
from engine.kernel.simulation import Simulation
from engine.world.world import World


def configure(simulation: Simulation[World], node: str, **settings: str) -> None:
    """Put settings into a node's opensm.conf in place of those that stand there, and restart opensm if it runs."""
    standing = default_file.text(simulation.world.inventory, node)
    lines = files.text(simulation.world, node, CONFIGURATION, standing).splitlines()
    kept = [line for line in lines if line.split(maxsplit=1)[:1] not in [[name] for name in settings]]
    content = "".join(f"{line}\n" for line in (*kept, *(f"{name} {value}" for name, value in settings.items())))
    files.write(simulation, node, CONFIGURATION, content.encode(), uid=0, gid=0)
    restart(simulation, node)


def divide(simulation: Simulation[World], node: str, text: str) -> None:
    """Write a node's partitions.conf, and restart opensm if it runs."""
    files.write(simulation, node, PARTITIONS, text.encode(), uid=0, gid=0)
    restart(simulation, node)


def restart(simulation: Simulation[World], node: str) -> None:
    """Restart opensm where it runs."""
    if systemd.is_active(simulation.world, node, UNIT):
        simulation.apply(systemd.RestartUnit(node, UNIT, ""))


def exchange_lids(world: World, first: str, second: str) -> dict[int, int]:
    """LIDs by port GUID as the fabric has them, but for those of two nodes' ports, which have each other's."""
    lids = dict(lid_file.remembered(world))
    ports = [[hca.port_guid for hca in world.node(name).hcas if hca.port_guid in lids] for name in (first, second)]
    for one, other in zip(*ports, strict=False):
        lids[one], lids[other] = lids[other], lids[one]
    return lids


def nodes_in_reach(world: World) -> list[str]:
    """Nodes that do not manage the fabric and have ports in it, in the site's order."""
    own = host_of_manager(world.inventory)
    ends = [end for end in fresh_lids(world.inventory) if end.count("/") == 2]
    found = dict.fromkeys(end.partition("/")[0] for end in ends)
    return [name for name in world.inventory.node_names if name in found and not (own and own.node == name)]
