"""The way of an InfiniBand packet: each switch sends it by the port that its forwarding table names for the LID.

Tables are as they are programmed, not as they should be: a way ends where a table has no entry, where the link in the
port is down or not yet Active, and at an adapter that the LID does not belong to. Nothing goes around until a subnet
manager has written other tables (InfiniBand architecture: linear forwarding tables, 255 drops the packet).
"""

from __future__ import annotations

from collections.abc import Callable

from engine.physics import links
from engine.world.world import World

NO_ROUTE = 255
"""The entry of a table that leads nowhere."""

_MOST_HOPS = 64
"""A packet that has crossed so many switches goes round in a circle: InfiniBand allows 64 hops on a directed route."""


def governs(world: World, switch: str) -> bool:
    """Whether a subnet manager programs the switch; otherwise its packets take shortest ways by themselves."""
    return switch in world.first_sweep.tables(world.inventory)


def lid(world: World, end: str) -> int:
    """The LID of an end port; 0 while it has none."""
    stored = world.ports[end].lid
    return world.first_sweep.lids(world.inventory).get(end, 0) if stored is None else stored


def next_port(world: World, switch: str, number: int) -> int:
    """The port by which a switch sends packets to a LID: 0 is the switch itself, NO_ROUTE none."""
    entries = world.forwarding[switch].entries
    return entries[number] if 0 < number < len(entries) else NO_ROUTE


def way(world: World, source: str, destination: str, usable: Callable[[str], bool]) -> tuple[str, ...] | None:
    """Egress ports from an adapter's port to another's; None where the tables lead elsewhere or over a port that is
    not `usable`.
    """
    number, taken, far = lid(world, destination), [source], links.peer(world.inventory, source)
    for _ in range(_MOST_HOPS):
        switch = _switch(far)
        if switch is None:
            break
        port = f"{switch}/{next_port(world, switch, number)}"
        far = links.peer(world.inventory, port)
        if far is None or not usable(port):
            break
        taken.append(port)
        if far == destination:
            return tuple(taken)
    return None


def active(world: World, port: str) -> bool:
    """Whether data passes: the link is up, and a subnet manager has brought up both ends of an InfiniBand cable."""
    if not links.link_up(world, port):
        return False
    far = links.peer(world.inventory, port)
    return world.ports[port].initialized and (far is None or world.ports[far].initialized)


def _switch(port: str | None) -> str | None:
    """The switch of a port; None for an adapter's."""
    device = port.rpartition("/")[0] if port else ""
    return device if device and "/" not in device else None
