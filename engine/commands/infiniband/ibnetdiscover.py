"""ibnetdiscover of infiniband-diags: discovers the fabric from a local port and prints it. Format: rdma-core 54; see
_diags.topology.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.infiniband._diags.devices import local_device
from engine.commands.infiniband._diags.discovery import ADAPTER, SWITCH, Node, discover, listed
from engine.commands.infiniband._diags.program import Failed, fail, program
from engine.commands.infiniband._diags.topology import node_line, ports_report, topology
from engine.commands.options import Option, Parsed

OPTIONS = (
    Option("f", "full", help="(not modelled) add speed, width and virtual lanes as numbers"),
    Option("s", "show", help="(not modelled) tell each step of the discovery"),
    Option("l", "list", help="list the nodes"),
    Option("g", "grouping", help="(not modelled) group by chassis"),
    Option("H", "Hca_list", help="list the channel adapters"),
    Option("S", "Switch_list", help="list the switches"),
    Option("R", "Router_list", help="list the routers"),
    Option(None, "node-name-map", "file", help="(not modelled) names of nodes"),
    Option(None, "cache", "file", help="(not modelled) keep what was found"),
    Option(None, "load-cache", "file", help="(not modelled) take it from there"),
    Option(None, "diff", "file", help="(not modelled) compare with that"),
    Option(None, "diffcheck", "keys", help="(not modelled) what to compare"),
    Option("p", "ports", help="report every port"),
    Option("m", "max_hops", help="(not modelled) tell how far the fabric reaches"),
    Option("o", "outstanding_smps", "val", help="how many packets may be under way"),
)
_MISSING = ("full", "show", "grouping", "node-name-map", "cache", "load-cache", "diff", "diffcheck", "max_hops")


def discovered(context: Context, parsed: Parsed) -> list[Node]:
    """The nodes in the order of discovery. Raises Failed, after the words of the real tool, where no port can be
    opened.
    """
    device = local_device(context, parsed)
    if device is None:
        number = parsed["Port"] or "0"
        context.error(f"./libibnetdisc/ibnetdisc.c:798; can't open MAD port ({parsed['Ca'] or '(null)'}:{number})")
        raise Failed
    return discover(context.world, device.hca)


def run(context: Context, parsed: Parsed) -> int:
    """Print what was asked for."""
    if parsed.operands:
        return context.not_modelled("ibnetdiscover with a file to write to; redirect its output")
    try:
        nodes = discovered(context, parsed)
    except Failed:
        raise fail(context, "discover failed\n") from None
    for text in _lines(context, parsed, nodes):
        context.line(text)
    return 0


def _lines(context: Context, parsed: Parsed, nodes: list[Node]) -> list[str]:
    if "ports" in parsed:
        return list(ports_report(nodes))
    kinds = [ADAPTER] if "list" in parsed or "Hca_list" in parsed else []
    kinds += [SWITCH] if "list" in parsed or "Switch_list" in parsed else []
    if kinds or "Router_list" in parsed:
        return [node_line(node) for kind in kinds for node in listed(nodes, kind)]
    return list(topology(nodes, context.inventory.timezone, context.epoch))


COMMAND = program(
    "ibnetdiscover",
    "discover InfiniBand topology",
    run,
    options=OPTIONS,
    without="DGKLsv",
    operands="[topology-file]",
    missing=_MISSING,
    manual="Walks the fabric from a local port and prints every node with its links; ports without a "
    "link are not shown.\n"
    "It needs root, and no subnet manager: it goes by direct routes.",
)
