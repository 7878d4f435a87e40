"""iblinkinfo of infiniband-diags: every port of every node, with the state of its link and who is at the other end.

Format: iblinkinfo.c of rdma-core 54, and runs of the real tool on a simulator. Nodes come in the reverse order of
discovery.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.context import Context
from engine.commands.infiniband._diags import cache, linkinfo
from engine.commands.infiniband._diags.destination import resolve_guid, route_of
from engine.commands.infiniband._diags.devices import Device, local_device
from engine.commands.infiniband._diags.discovery import (
    ADAPTER,
    SWITCH,
    Fabric,
    Node,
    discover,
    find_by_guid,
    led_by,
    listed,
    unanswered,
)
from engine.commands.infiniband._diags.discovery import device as device_of
from engine.commands.infiniband._diags.names import rename
from engine.commands.infiniband._diags.numbers import unsigned
from engine.commands.infiniband._diags.program import Failed, checks_of, fail, program, told_timeouts, warn
from engine.commands.options import Option, Parsed
from engine.world.records import LogicalState

OPTIONS = (
    Option(None, "node-name-map", "<file>", help="names of nodes"),
    Option("S", "switch", "<port_guid>", help="only the node with this port GUID"),
    Option("G", "port-guid", "<port_guid>", help="the same"),
    Option("D", "Direct", "<dr_path>", help="only the node at the end of a direct route"),
    Option("a", "all", help="all nodes that such a partial scan finds"),
    Option("n", "hops", "<hops>", help="how far a partial scan goes"),
    Option("d", "down", help="only ports without a link"),
    Option("l", "line", help="everything of a link on one line"),
    Option("p", "additional", help="timers of the ports as well"),
    Option(None, "load-cache", "<file>", help="show the fabric that ibnetdiscover kept in this file"),
    Option(None, "diff", "<file>", help="compare with the fabric in this file"),
    Option(None, "diffcheck", "<key(s)>", help="what to compare: port, state, lid, nodedesc"),
    Option(None, "filterdownports", "<file>", help="leave out ports that were down in the fabric of this file"),
    Option("o", "outstanding_smps", "<val>", help="how many packets may be under way at a time"),
    Option(None, "switches-only", help="only switches"),
    Option(None, "cas-only", help="only channel adapters"),
    Option("R", name="nothing", help="does nothing"),
)
_DEFAULT_CHECKS = frozenset((linkinfo.PORT, linkinfo.STATE))


async def run(context: Context, parsed: Parsed) -> int:
    """Print the ports that were asked for."""
    device = local_device(context, parsed)
    if device is None:
        context.error(f"Failed to open {parsed['Ca'] or '(null)'} port {parsed['Port'] or 0}")
        raise Failed(1)
    if "Direct" in parsed and "load_cache" in parsed:
        context.error("Cannot specify cache and direct route path")
        raise Failed(1)
    start = await _start(context, parsed, device)
    if "Direct" in parsed and start is None:
        return 0
    before, hidden = _kept(context, parsed, "diff"), _kept(context, parsed, "filterdownports") or []
    nodes = _fabric(context, parsed, device, start)
    rename(context, parsed, nodes)
    style = linkinfo.Style("line" in parsed, "additional" in parsed, "down" in parsed, _down(hidden))
    for node in _chosen(context, parsed, nodes, start):
        lines = _changes(context, parsed, node, before, nodes, style) if before else linkinfo.node_lines(node, style)
        context.write("".join(f"{line}\n" for line in lines))
    if before and not _partial(parsed):
        for line in linkinfo.changes(before, nodes, style, _checks(context, parsed)):
            context.line(line)
    return 0


def _partial(parsed: Parsed) -> bool:
    return bool(_wanted(parsed) or "Direct" in parsed) and "all" not in parsed


def _wanted(parsed: Parsed) -> str | None:
    """The GUID of -S or -G, as it was written."""
    text: str | None = parsed["switch"] or parsed["port_guid"]
    return text


async def _start(context: Context, parsed: Parsed, device: Device) -> Node | None:
    """Where a partial scan begins; None for a whole one."""
    if "Direct" not in parsed and _wanted(parsed) is None:
        return None
    whole = Fabric(context.world, device.hca)
    if "Direct" in parsed:
        found = led_by(whole.first, route_of(parsed["Direct"]))
        if found is None and "all" not in parsed:
            context.error("Failed to get local Node Info")
            raise Failed(1)
        return found
    text = _wanted(parsed) or ""
    found = await resolve_guid(context, device, whole, unsigned(text))
    if found is None:
        warn(context, "main", f"Failed to resolve {text}; attempting full scan\n")
    return found


def _fabric(context: Context, parsed: Parsed, device: Device, start: Node | None) -> list[Node]:
    kept = _kept(context, parsed, "load_cache")
    if kept is not None:
        return kept
    hops = unsigned(parsed["hops"]) if "hops" in parsed else None
    if start is None:
        nodes = discover(context.world, device.hca, hops)
    else:
        nodes = discover(context.world, device_of(context.world, start), hops or 1)
    told_timeouts(context, unanswered(context.world, nodes))
    return nodes


def _kept(context: Context, parsed: Parsed, option: str) -> list[Node] | None:
    if option not in parsed:
        return None
    nodes = cache.read(context, parsed[option])
    if nodes is not None:
        return nodes
    if option == "load_cache":
        context.error("loading cached fabric failed")
        raise Failed(1)
    raise fail(context, f"loading cached fabric for {option} failed\n")


def _chosen(context: Context, parsed: Parsed, nodes: list[Node], start: Node | None) -> list[Node]:
    kind = SWITCH if "switches_only" in parsed else ADAPTER if "cas_only" in parsed else None
    if not _partial(parsed):
        return [] if "diff" in parsed else listed(nodes, kind)
    text = parsed["Direct"] or _wanted(parsed)
    guid = start.port_guid if start else unsigned(_wanted(parsed) or "0")
    found = find_by_guid(nodes, guid)
    if found is None or (kind and found.kind != kind):
        context.error(f"Failed to find port: {text}")
        return []
    return [found]


def _changes(
    context: Context, parsed: Parsed, node: Node, before: list[Node], nodes: list[Node], style: linkinfo.Style
) -> Iterator[str]:
    then = [old for old in before if old.guid == node.guid]
    yield from linkinfo.changes(then, [node], style, _checks(context, parsed))


def _checks(context: Context, parsed: Parsed) -> frozenset[str]:
    return checks_of(context, parsed, linkinfo.CHECKS, _DEFAULT_CHECKS)


def _down(nodes: list[Node]) -> frozenset[tuple[int, int]]:
    return frozenset(
        (node.guid, port.number) for node in nodes for port in node.ports if port.state is LogicalState.DOWN
    )


COMMAND = program(
    "iblinkinfo",
    "report link info for all links in the fabric",
    run,
    options=OPTIONS,
    without="DGKLd",
    manual="One line for each port: its LID and number, width, speed of a lane, state, physical "
    "state, and the other end.\n"
    "Needs root. `Could be` shows what both ends support where the link runs below it.",
)
