"""ibtracert of infiniband-diags: the way that packets take from one port to another, by the switches' tables.

Format: ibtracert.c of rdma-core 54, and runs of the real tool on a simulator. It first looks for a way from the local
port to the source.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.infiniband._diags.destination import Destination, destination, opened, silence
from engine.commands.infiniband._diags.devices import Device, local_device
from engine.commands.infiniband._diags.discovery import Node
from engine.commands.infiniband._diags.discovery import device as device_of
from engine.commands.infiniband._diags.forwarding import Astray, Hop, follow
from engine.commands.infiniband._diags.names import rename
from engine.commands.infiniband._diags.program import Failed, fail, program, warn
from engine.commands.options import Option, Parsed

OPTIONS = (
    Option("f", "force", help="go on where it seems senseless"),
    Option("n", "no_info", help="the short form"),
    Option("m", "mlid", "<mlid>", help="(not modelled) a multicast route"),
    Option(None, "node-name-map", "<file>", help="names of nodes"),
    Option(None, "ports-file", "<file>", help="(not modelled) pairs of ports from a file"),
)
_LAST_WORDS = "Failed to get route information"


async def run(context: Context, parsed: Parsed) -> int:
    """`ibtracert SOURCE DESTINATION`."""
    device = opened(context, parsed, local_device(context, parsed))
    source = await _resolved(context, parsed, device, parsed.operands[0])
    target = await _resolved(context, parsed, device, parsed.operands[1])
    rename(context, parsed, source.fabric)
    rename(context, parsed, target.fabric)
    forced = "force" in parsed
    begin = await _trace(context, source.fabric.first, source, "can't find a route to the src port", forced)
    begin = target.fabric.node(device_of(context.world, begin))
    await _trace(context, begin, target, "can't find a route from src to dest", forced, "no_info" in parsed)
    return 0


async def _resolved(context: Context, parsed: Parsed, device: Device, word: str) -> Destination:
    try:
        return await destination(context, device, parsed, word)
    except Failed:
        raise fail(context, _LAST_WORDS) from None


async def _trace(
    context: Context, start: Node, where: Destination, otherwise: str, forced: bool, brief: bool | None = None
) -> Node:
    """Follow the tables and give where they lead; with `brief` given, print each step in that form."""
    if where.node is None:
        await silence(context, where.text)
        warn(context, "find_route", "can't reach to/from ports")
        if not forced:
            raise _lost(context, otherwise)
        warn(context, "find_route", f"Force: look for lid {where.lid}")
    node = start
    if brief is not None:
        context.line(_end("From", start, brief))
    try:
        for hop in follow(context.world, start, where.lid or (where.node.lid if where.node else 0), where.node):
            node = hop.port.node
            if brief is not None:
                context.line(_step(hop, brief))
    except Astray as astray:
        function, _, text = str(astray).partition(": ")
        warn(context, function, text)
        raise _lost(context, otherwise) from None
    if brief is not None:
        context.line(_end("To", node, brief))
    return node


def _lost(context: Context, text: str) -> Failed:
    warn(context, "get_route", text)
    return fail(context, _LAST_WORDS)


def _end(word: str, node: Node, brief: bool) -> str:
    number = 0 if node.is_switch else 1
    if brief:
        return f"{word} {{0x{node.guid:016x}}}[{number}]"
    return f'{word} {_kind(node)} {{0x{node.guid:016x}}} portnum {number} lid {node.lid}-{node.lid} "{node.called}"'


def _step(hop: Hop, brief: bool) -> str:
    node = hop.port.node
    if brief:
        return f"[{hop.out}] -> {{0x{node.port_guid:016x}}}[{hop.port.number}]"
    place = f"{{0x{node.port_guid:016x}}}[{hop.port.number}]"
    return f'[{hop.out}] -> {_kind(node)} port {place} lid {node.lid}-{node.lid} "{node.called}"'


def _kind(node: Node) -> str:
    return "switch" if node.is_switch else "ca"


COMMAND = program(
    "ibtracert",
    "trace InfiniBand path",
    run,
    options=OPTIONS,
    without="DK",
    operands="<src-addr> <dest-addr>",
    missing=("mlid", "ports_file"),
    least=2,
    manual="Shows every port on the way from one LID to another (or port GUIDs, with -G). Needs root.",
    examples=("4 16\t\t# between two LIDs", "-n 4 16\t\t# the short form"),
)
