"""What ibdiagnet -r finds in the switches' forwarding tables: whether every adapter reaches every other one, over how
many hops, how evenly destinations stand on the cables between switches, and whether packets can wait for each other in
a circle (a credit loop).

A channel (an egress port; there is one virtual lane in use) depends on the next one of a path: who holds the buffer
behind it waits for the buffer behind the next. A circle of dependencies can lock up. Texts and rules: ibdm of
ibutils (SubnMgt.cpp: SubnMgtVerifyAllCaToCaRoutes, TraceRoute.cpp, CredLoops.cpp). Guesses: the headings, and that
NVIDIA's build counts virtual lanes as 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engine.commands.infiniband._diags.discovery import ADAPTER, Node, Port
from engine.commands.infiniband._ibdiagnet.survey import Stage, node_name, port_name
from engine.physics.traffic import forwarding
from engine.world.world import World

MOST_STEPS = 3_000_000
"""Up to how many pairs of switch and adapter are looked at."""

_RULE = "-" * 75
_MOST_HOPS = 256


@dataclass(slots=True)
class Routes:
    """All paths between adapters: `hops` counts them by length, `failed` are source and destination of those that lead
    nowhere with the reason, `carried` counts destinations by cable between switches, `next` are the channels on which
    a channel depends.
    """

    paths: int = 0
    hops: Counter[int] = field(default_factory=Counter)
    failed: list[tuple[Port, Port, str]] = field(default_factory=list)
    carried: Counter[str] = field(default_factory=Counter)
    next: dict[Port, dict[Port, None]] = field(default_factory=dict)


def too_many(nodes: Sequence[Node]) -> bool:
    """Whether the fabric is too large to follow every path."""
    adapters = sum(node.kind == ADAPTER for node in nodes)
    return adapters * (len(nodes) - adapters) > MOST_STEPS


def stage(world: World, nodes: Sequence[Node]) -> Stage:
    """The stage as it is shown."""
    found, shown = follow(world, nodes), Stage("Routing")
    shown.check("Unicast FDBS Info retrieving", [])
    shown.lines += ["", "Fabric Qualities Report", *_qualities(found), "", "Credit Loops Report", *_loops(nodes, found)]
    shown.errors += sum(line.startswith("-E-") for line in shown.lines)
    return shown


def follow(world: World, nodes: Sequence[Node]) -> Routes:
    """Go from every adapter to every other one as the tables lead."""
    ends, found = _ends(nodes), Routes()
    for target in ends:
        lengths: dict[Node, int | str] = {}
        used: dict[str, None] = {}
        for source in ends:
            if source is not target and source.far is not None:
                found.paths += 1
                length = _walk(world, source, target, lengths, found.next, used)
                if isinstance(length, int):
                    found.hops[length] += 1
                else:
                    found.failed.append((source, target, length))
        found.carried.update(list(used))
    return found


def _ends(nodes: Sequence[Node]) -> list[Port]:
    """Adapters' ports by their LIDs; guess: those of aggregation nodes are passed over, whom no host sends anything."""
    adapters = (node for node in nodes if node.kind == ADAPTER and not node.aggregates)
    return sorted((node.ports[0] for node in adapters), key=lambda port: port.lid)


def _walk(
    world: World,
    source: Port,
    target: Port,
    lengths: dict[Node, int | str],
    depends: dict[Port, dict[Port, None]],
    used: dict[str, None],
) -> int | str:
    """Links from the adapter's switch on to the target, or why there is no way. `lengths` are those from switches that
    an earlier walk to the same target has passed.
    """
    way, port = list[Node](), source
    outcome: int | str = f"-E- Aborting after {_MOST_HOPS} hops - loop in LFT?"
    while len(way) <= _MOST_HOPS:
        assert port.far is not None
        node = port.far.node
        if port.far is target:
            outcome = 0
            break
        out = node.port(forwarding.next_port(world, node.id, target.lid)) if node.is_switch else None
        if out is None or out.far is None:
            outcome = _dead_end(world, node, target)
            break
        depends.setdefault(port, {})[out] = None
        if out.far.node.is_switch:
            used[out.id] = None
        if node in lengths:
            outcome = lengths[node]
            break
        way.append(node)
        port = out
    for node in reversed(way):
        outcome = outcome + 1 if isinstance(outcome, int) else outcome
        lengths[node] = outcome
    return outcome


def _dead_end(world: World, node: Node, target: Port) -> str:
    if node.is_switch and forwarding.next_port(world, node.id, target.lid) == forwarding.NO_ROUTE:
        return f"-E- Unassigned LFT for lid:{target.lid} Dead end at:{node_name(node)}"
    return f"-E- Dead end at:{node_name(node)}"


def _failures(found: Routes) -> Iterator[str]:
    for source, target, why in found.failed:
        yield why
        yield f"-E- Fail to find a path from:{_end(source)} to:{_end(target)}"


def _end(port: Port) -> str:
    return f"{node_name(port.node)}/{port.number}"


def _qualities(found: Routes) -> Iterator[str]:
    yield "-I- Verifying all CA to CA paths ... "
    yield from _failures(found)
    yield "---------------------- CA to CA : LFT ROUTE HOP HISTOGRAM -----------------"
    yield "The number of CA pairs that are in each number of hops distance."
    yield "This data is based on the result of the routing algorithm.\n"
    yield "HOPS NUM-CA-CA-PAIRS"
    yield from (f"{length + 1:3d}   {count}" for length, count in sorted(found.hops.items()))
    yield f"{_RULE}\n"
    yield "---------- LFT CA to CA : SWITCH OUT PORT - NUM DLIDS HISTOGRAM -----------"
    yield "Number of actual Destination LIDs going through each switch out port considering"
    yield "all the CA to CA paths. Ports driving CAs are ignored (as they must"
    yield "have = Nca - 1). If the fabric is routed correctly the histogram"
    yield "should be narrow for all ports on same level of the tree.\n"
    yield "NUM-DLIDS NUM-SWITCH-PORTS"
    yield from (f"{count:8d}   {ports}" for count, ports in sorted(Counter(found.carried.values()).items()))
    yield f"{_RULE}\n"
    if found.failed:
        yield f"-E- Found {len(found.failed)} missing paths out of:{found.paths} paths"
    else:
        yield f"-I- Scanned:{found.paths} CA to CA paths "
    yield _RULE


def _loops(nodes: Sequence[Node], found: Routes) -> Iterator[str]:
    yield "-I- Analyzing Fabric for Credit Loops 1 SLs, 1 VLs used."
    if found.failed:
        yield from _failures(found)
        yield f"-E- Fail to traverse:{len(found.failed)} CA to CA paths"
        yield "-E- Fail to build dependency graphs."
        return
    circle = credit_loop(_ends(nodes), found.next)
    if not circle:
        yield "-I- no credit loops found"
        return
    yield f"Found credit loop on: {port_name(circle[-1])} VL: 0"
    yield from (f"  - BT credit loop through: {port_name(port)} VL: 0" for port in reversed(circle[:-1]))
    yield "-E- credit loops in routing"


def credit_loop(starts: Sequence[Port], depends: Mapping[Port, Mapping[Port, None]]) -> list[Port]:
    """Channels from an adapter's on, depth first, each depending on the next, of which the last stands in it twice; []
    if no circle can be reached.
    """
    closed = set[Port]()
    for start in starts:
        trail, waiting = [start], [_ahead(start, depends)]
        while trail:
            following = next(waiting[-1], None)
            if following is None:
                closed.add(trail.pop())
                waiting.pop()
            elif following in trail:
                return [*trail, following]
            elif following not in closed:
                trail.append(following)
                waiting.append(_ahead(following, depends))
    return []


def _ahead(port: Port, depends: Mapping[Port, Mapping[Port, None]]) -> Iterator[Port]:
    """The channels on which one depends, by the number of the port."""
    return iter(sorted(depends.get(port, ()), key=lambda following: following.number))
