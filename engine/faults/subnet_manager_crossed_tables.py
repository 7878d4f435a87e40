"""The subnet manager takes its forwarding tables from a file (routing_engine file, lfts_file) that somebody's own
program has written to spread the load: some ways go down to a leaf and up again.

Every pair is reached, so ibtracert finds nothing but ways that are two switches longer, and opensm has no complaint.
But the channels of two such ways wait for each other in a circle, a credit loop: when all buffers on it are full none
can ever be emptied. ibdiagnet -r finds it. Taking the setting out and a new start mend it: minhop, updn and ftree never
go up again after down in a fat tree. Not modelled: the lock-up itself, and that switches drop what waits longer than
their head-of-queue lifetime.

It takes three leaves A, B, C and two spines 1, 2: towards A the ways are C-1-B-2-A, towards B they are C-2-A-1-B. With
two leaves no way passes a leaf that it does not end at.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from engine.control.subnet_manager.routing.fabric import Fabric
from engine.control.subnet_manager.routing.sources import fabric_of_world
from engine.faults._dumped_tables import tables_now, take_from_file
from engine.faults.fault import Fault, Values
from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Write the file, and name it in opensm.conf. Raises BreakfixError where no two switches join three leaves."""
    world, fabric = simulation.world, fabric_of_world(simulation.world)
    roles = {switch.guid: switch.role for switch in world.inventory.switches.values()}
    (first, second, third), (one, two) = _crossing(fabric, [roles[guid] == "leaf" for guid in fabric.switch_guids])
    tables = {guid: bytearray(entries) for guid, entries in tables_now(world, fabric).items()}
    for way in ((third, one, second, two, first), (third, two, first, one, second)):
        for near, far in pairwise(way):
            port = fabric.peers[near].index(far)
            for number in _lids_at(fabric, way[-1]):
                tables[fabric.switch_guids[near]][number] = port
    take_from_file(simulation, target, fabric, {guid: bytes(entries) for guid, entries in tables.items()})


def _crossing(fabric: Fabric, is_leaf: Sequence[bool]) -> tuple[Sequence[int], Sequence[int]]:
    """Three leaves, and two other switches that are joined with each of them."""
    leaves = [place for place in sorted(set(fabric.end_switches)) if is_leaf[place]][:3]
    others = (place for place in range(len(fabric.switch_guids)) if not is_leaf[place])
    spines = [place for place in others if set(leaves) <= set(fabric.peers[place])][:2]
    if len(leaves) < 3 or len(spines) < 2:
        raise BreakfixError("it takes three leaf switches and two spines that are joined with all of them")
    return leaves, spines


def _lids_at(fabric: Fabric, switch: int) -> list[int]:
    """The LIDs of the adapters at a switch."""
    return [lid for lid, place in zip(fabric.end_lids, fabric.end_switches, strict=True) if place == switch]


FAULT = Fault(
    id="subnet_manager.crossed_tables",
    title="The subnet manager's tables have a credit loop",
    targets=("tree_manager",),
    inject=inject,
    doc="Every pair is reached, some by way of a third leaf: ibdiagnet -r finds a loop. Take routing_engine file out.",
)
