"""dump_fts of infiniband-diags: the forwarding tables of all switches, in the reverse order of discovery.

Format: dump_fts.c of rdma-core 54; see _diags.forwarding. It takes entries with ports from 128 on for unused.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.infiniband._diags.devices import local_device
from engine.commands.infiniband._diags.discovery import SWITCH, discover, listed, unanswered
from engine.commands.infiniband._diags.forwarding import Style, listing
from engine.commands.infiniband._diags.names import rename
from engine.commands.infiniband._diags.program import Failed, program, told_timeouts
from engine.commands.options import Option, Parsed

OPTIONS = (
    Option("a", "all", help="entries without a way, too"),
    Option("n", "no_dests", help="do not tell whose LIDs they are"),
    Option("M", "Multicast", help="(not modelled) multicast tables"),
    Option(None, "node-name-map", "<file>", help="names of nodes"),
)
_HIGHEST_PORT = 127


def run(context: Context, parsed: Parsed) -> int:
    """All tables."""
    device = local_device(context, parsed)
    if device is None:
        context.error("Failed to open '{}' port '{}'".format(parsed["Ca"] or "(null)", parsed["Port"] or 0))
        raise Failed
    nodes = discover(context.world, device.hca)
    told_timeouts(context, unanswered(context.world, nodes))
    rename(context, parsed, nodes)
    style = Style(every="all" in parsed, brief="no_dests" in parsed, highest_port=_HIGHEST_PORT)
    for node in listed(nodes, SWITCH):
        place = "DR path slid 0; dlid 0; " + ",".join(map(str, (0, *node.route)))
        context.write("".join(f"{line}\n" for line in listing(context.world, node, place, nodes, style)))
    return 0


COMMAND = program(
    "dump_fts",
    "dump InfiniBand forwarding tables",
    run,
    options=OPTIONS,
    without="DGLKs",
    missing=("Multicast",),
    manual="Shows the forwarding tables of every switch of the fabric. Needs root.",
)
