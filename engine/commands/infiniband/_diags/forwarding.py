"""Forwarding tables as the tools read them from switches: listed, and followed from port to port.

Formats: ibroute.c, dump_fts.c and ibtracert.c of rdma-core 54, and runs of the real tools on a simulator. They read
whole blocks of 64 entries, and never the one that starts at the highest LID when that is a multiple of 64.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.commands.infiniband._diags.discovery import Node, Port
from engine.control.subnet_manager.routing.fabric import NO_ROUTE
from engine.world.records import LogicalState
from engine.world.world import World

_BLOCK = 64
_MOST_HOPS = 63


@dataclass(frozen=True, slots=True)
class Style:
    """Which LIDs are listed (from, to; None: up to the highest), and how: unused ones too, without destinations, only
    entries with ports up to `highest_port`.
    """

    first: int = 0
    last: int | None = None
    every: bool = False
    brief: bool = False
    highest_port: int = 255


def table(world: World, switch: Node) -> bytes:
    """The table of a switch: the port by LID, 255 for no way."""
    return world.forwarding[switch.id].entries


def entry(world: World, switch: Node, lid: int) -> int:
    """The port by which a switch sends packets to a LID."""
    entries = table(world, switch)
    return entries[lid] if lid < len(entries) else NO_ROUTE


def listing(world: World, switch: Node, place: str, nodes: Sequence[Node], style: Style) -> Iterator[str]:
    """The table of a switch as ibroute and dump_fts print it; `place` is how the tool reached it."""
    entries, by_lid = table(world, switch), {node.lid: node for node in nodes if node.lid}
    top = len(entries) - 1
    last = top if style.last is None else min(style.last, top)
    yield f"Unicast lids [0x{style.first:x}-0x{last:x}] of switch {place} guid 0x{switch.guid:016x} ({switch.called}):"
    yield "  Lid  Out   Destination"
    yield "       Port     Info "
    count = 0
    for lid in range(max(style.first, 0), min(last, -(-last // _BLOCK) * _BLOCK - 1) + 1):
        port = entries[lid]
        usable = port <= min(switch.port_count, style.highest_port)
        if usable or style.every:
            count += 1
            told = "" if style.brief else _destination(by_lid.get(lid)) if usable else _unused(lid)
            yield f"0x{lid:04x} {port:03d} {told}"
    yield f"{count} {'' if style.every else 'valid '}lids dumped "


def _unused(lid: int) -> str:
    """What is said of an entry without a way; the real tools take LID 0 for one of several paths."""
    return ": (illegal port)" if lid else ": (path #0 - illegal port)"


def _destination(node: Node | None) -> str:
    if node is None:
        return ": (unknown node and type)"
    kind = "Switch" if node.is_switch else "Channel Adapter"
    return f": ({kind} portguid 0x{node.port_guid:016x}: '{node.called}')"


@dataclass(frozen=True, slots=True)
class Hop:
    """A step of a route: the port that it left by, and the port at which it arrived."""

    out: int
    port: Port


class Astray(Exception):
    """A route ends before its destination; what ibtracert says of it."""


def follow(world: World, start: Node, lid: int, target: Node | None) -> Iterator[Hop]:
    """The way that packets take from a node to a LID: the target's, or whoever's it is where that is not known. Raises
    Astray where it ends before.
    """
    node = start
    for _ in range(_MOST_HOPS):
        if node.port_guid == target.port_guid if target else node.lid == lid:
            return
        out = entry(world, node, lid) if node.is_switch else 1
        if node.is_switch and (out > node.port_count or out == 0):
            raise Astray(_bad_entry(world, node, node, lid))
        leaving = node.port(out)
        far = leaving.far if leaving else None
        if far is None:
            raise Astray(f"find_route: can't reach port at {_path(node, out)}")
        after = entry(world, far.node, lid) if far.node.is_switch else 0
        if after > far.node.port_count:
            raise Astray(_bad_entry(world, node, far.node, lid))
        if far.state is not LogicalState.ACTIVE:
            state = far.state.value[0]
            text = f'Bad out port state found: node "{node.description}" outport {out} state {state}'
            raise Astray(f"find_route: {text}")
        yield Hop(out, far)
        node = far.node
    raise Astray(f"find_route: no route found after {_MOST_HOPS} hops")


def _bad_entry(world: World, told: Node, switch: Node, lid: int) -> str:
    """The real tool names the node before, and the switch's entry."""
    port, top = entry(world, switch, lid), len(table(world, switch)) - 1
    found = f'node "{told.description}" lid entry {lid} is {port} (top {top})'
    return f"find_route: Bad forwarding table entry found at: {found}"


def _path(node: Node, out: int) -> str:
    route = ",".join(map(str, (0, *node.route, out)))
    return f"DR path slid 0; dlid 0; {route}"
