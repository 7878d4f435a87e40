"""iblinkinfo of infiniband-diags: every port of every node, with the state of its link and who is at the other end.

Format: iblinkinfo.c of rdma-core 54, and runs of the real tool on a simulator. Nodes come in the reverse order of
discovery.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.context import Context
from engine.commands.infiniband._diags.devices import local_device
from engine.commands.infiniband._diags.discovery import ADAPTER, SWITCH, Node, Port, discover, listed
from engine.commands.infiniband._diags.program import Failed, program
from engine.commands.options import Option, Parsed
from engine.physics import links
from engine.world.records import LogicalState

OPTIONS = (
    Option(None, "node-name-map", "file", help="(not modelled) names of nodes"),
    Option("S", "switch", "port_guid", help="only the node with this port GUID"),
    Option("G", "port-guid", "port_guid", help="the same"),
    Option("D", "Direct", "dr_path", help="(not modelled) start at the end of a direct route"),
    Option("a", "all", help="all nodes that a partial scan finds"),
    Option("n", "hops", "hops", help="(not modelled) how far to go"),
    Option("d", "down", help="only ports without a link"),
    Option("l", "line", help="everything of a link on one line"),
    Option("p", "additional", help="(not modelled) timers of the ports as well"),
    Option(None, "load-cache", "file", help="(not modelled) take the fabric from there"),
    Option(None, "diff", "file", help="(not modelled) compare with that"),
    Option(None, "diffcheck", "keys", help="(not modelled) what to compare"),
    Option(None, "filterdownports", "file", help="(not modelled) leave out ports that were down then"),
    Option("o", "outstanding_smps", "val", help="how many packets may be under way"),
    Option(None, "switches-only", help="only switches"),
    Option(None, "cas-only", help="only channel adapters"),
    Option("R", name="nothing", help="does nothing"),
)
_MISSING = ("node-name-map", "hops", "additional", "load-cache", "diff", "diffcheck", "filterdownports")
_STATES = {
    LogicalState.DOWN: "Down",
    LogicalState.INITIALIZING: "Initialize",
    LogicalState.ARMED: "Armed",
    LogicalState.ACTIVE: "Active",
}


def run(context: Context, parsed: Parsed) -> int:
    """Print the ports that were asked for."""
    device = local_device(context, parsed)
    if device is None:
        context.error(f"Failed to open {parsed['Ca'] or '(null)'} port {parsed['Port'] or 0}")
        raise Failed(1)
    nodes = discover(context.world, device.hca)
    for node in _chosen(context, parsed, nodes):
        for text in _node(node, "line" in parsed, "down" in parsed):
            context.line(text)
    return 0


def _chosen(context: Context, parsed: Parsed, nodes: list[Node]) -> list[Node]:
    text = parsed["switch"] or parsed["port-guid"] or parsed["port_guid"]
    if text and "all" not in parsed:
        guid = _number(text)
        found = [node for node in nodes if Port(node, 1).guid == guid]
        if not found:
            context.error(f"Failed to find port: {text}")
            raise Failed(1)
        return found
    kind = SWITCH if "switches_only" in parsed else ADAPTER if "cas_only" in parsed else None
    return listed(nodes, kind)


def _number(text: str) -> int:
    """As strtoull(3) with base 0 reads it; nonsense is 0."""
    try:
        return int(text, 0)
    except ValueError:
        return 0


def _node(node: Node, one_line: bool, down_only: bool) -> Iterator[str]:
    ports = [port for port in node.ports() if not down_only or not links.link_up(node.world, port.id)]
    if ports and not one_line:
        yield f"Switch: 0x{node.guid:016x} {node.description}:" if node.kind == SWITCH else f"CA: {node.description}:"
    for port in ports:
        yield _port(port, one_line)


def _port(port: Port, one_line: bool) -> str:
    lead = f'0x{port.guid:016x} "{port.node.description:>30}" ' if one_line else "      "
    if port.node.kind == ADAPTER and not one_line:
        lead += f"0x{port.guid:016x} "
    return f"{lead}{port.lid:6d} {port.number:4d}[  ] =={_link(port)}==>  {_remote(port, one_line)}"


def _link(port: Port) -> str:
    world = port.node.world
    state, physical = links.logical_state(world, port.id), links.physical_state(world, port.id)
    states = f"{_STATES[state]:>6}/{physical.value[1]:>8}"
    if state is LogicalState.DOWN:
        return f"({'':14}{states})"
    speed = f"{links.speed(links.rate(world, port.id)).lane} Gbps"
    return f"({'4X':>3} {speed:>18} {states})"


def _remote(port: Port, one_line: bool) -> str:
    far = port.remote()
    if far is None:
        return '           [  ] "" ( )'
    guid = f"0x{far.guid:016x} " if one_line else ""
    return f'{guid}{far.lid:6d} {far.number:4d}[  ] "{far.node.description}" ( {_hint(port, far)})'


def _hint(port: Port, far: Port) -> str:
    """What the link could be, if both ends can do better."""
    possible = min(port.node.device.rate, far.node.device.rate)
    if links.rate(port.node.world, port.id) >= possible:
        return ""
    return f"Could be {links.speed(possible).lane} Gbps"


COMMAND = program(
    "iblinkinfo",
    "report link info for all links in the fabric",
    run,
    options=OPTIONS,
    without="DGKLd",
    missing=_MISSING,
    manual="One line for each port: its LID and number, width, speed of a lane, state, physical "
    "state, and the other end.\n"
    "Needs root. `Could be` shows what both ends support where the link runs below it.",
)
