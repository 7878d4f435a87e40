"""ibroute of infiniband-diags: a switch's forwarding table.

Format: ibroute.c of rdma-core 54; see _diags.forwarding.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.infiniband._diags.destination import answer, destination, opened
from engine.commands.infiniband._diags.devices import local_device
from engine.commands.infiniband._diags.forwarding import Style, listing
from engine.commands.infiniband._diags.names import rename
from engine.commands.infiniband._diags.numbers import unsigned
from engine.commands.infiniband._diags.program import fail, program
from engine.commands.options import Option, Parsed

OPTIONS = (
    Option("a", "all", help="entries without a way, too"),
    Option("n", "no_dests", help="do not tell whose LIDs they are"),
    Option("M", "Multicast", help="(not modelled) multicast tables"),
    Option(None, "node-name-map", "<file>", help="names of nodes"),
)


async def run(context: Context, parsed: Parsed) -> int:
    """`ibroute LID [FIRST [LAST]]`."""
    device = opened(context, parsed, local_device(context, parsed))
    where = await destination(context, device, parsed, parsed.operands[0])
    node = await answer(context, where, "dump tables: node info failed: valid addr?")
    if not node.is_switch:
        raise fail(context, "dump tables: not a switch")
    rename(context, parsed, where.fabric)
    first, last = ([unsigned(word) for word in parsed.operands[1:3]] + [0, 0])[:2]
    style = Style(first, last or None, "all" in parsed, "no_dests" in parsed)
    for line in listing(context.world, node, where.text, where.nodes, style):
        context.line(line)
    return 0


COMMAND = program(
    "ibroute",
    "query InfiniBand switch forwarding tables",
    run,
    options=OPTIONS,
    without="K",
    operands="[<dest dr_path|lid|guid> [<startlid> [<endlid>]]]",
    missing=("Multicast",),
    least=1,
    manual="Shows by which port a switch sends packets to each LID. Tables stay as they are when the subnet manager\n"
    "ends. Needs root.",
    examples=("4\t# all LIDs with a way, of the switch with LID 4", "4 0x10 0x20\t# some LIDs", "-D 0,1\t# by route"),
)
