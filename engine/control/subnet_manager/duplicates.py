"""Two adapters that tell the same GUID: opensm takes them for one, finds it behind two ports, asks again, and so on.

Measured with opensm 3.3.23 on a simulator, where an adapter was given the GUID of another one and its link came back:
`ERR 0D01: Found duplicated node GUID` hundreds of times a second, and no sweep comes to its end. What was set up
before goes on as it is; ports that come stay Initializing, at whatever node; an opensm that is started meanwhile stays
in its first discovery, and nobody answers who asks for records. It ends when one of the two links or GUIDs is gone.
Simplification: the log has one report in ten seconds.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.control.subnet_manager.lids import port_guid
from engine.kernel.units import SECOND
from engine.physics import links
from engine.world.inventory import Inventory
from engine.world.world import World

AGAIN = 10 * SECOND
"""ns between two reports."""


def found(world: World) -> tuple[tuple[str, str], ...]:
    """Pairs of end ports with one GUID of which both have a link. Only cards whose GUID was written can have a twin."""
    pairs = []
    for card in world.adapters.changed():
        if not world.adapters[card].running_guid:
            continue
        for hca in world.inventory.node(card.partition("/")[0]).hcas:
            others = _ends_by_guid(world.inventory).get(hca.port_guid, ())
            pairs += [tuple(sorted((hca.port, other))) for other in others if other != hca.port]
    return tuple((first, second) for first, second in sorted(set(pairs)) if _both_linked(world, first, second))


def _both_linked(world: World, first: str, second: str) -> bool:
    return links.link_up(world, first) and links.link_up(world, second)


def _ends_by_guid(inventory: Inventory) -> Mapping[int, tuple[str, ...]]:
    """Adapters' ports that lead to an InfiniBand switch, by GUID."""
    return inventory.once(("ends by guid, twins too",), lambda: _all_ends(inventory))


def _all_ends(inventory: Inventory) -> dict[int, tuple[str, ...]]:
    ends = dict[int, tuple[str, ...]]()
    for port in inventory.cables:
        if port.count("/") > 1 and not links.usual_place(inventory, port).ethernet:
            guid = port_guid(inventory, port)
            ends[guid] = (*ends.get(guid, ()), port)
    return ends
