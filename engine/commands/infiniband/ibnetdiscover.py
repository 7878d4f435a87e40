"""ibnetdiscover of infiniband-diags: discovers the fabric from a local port and prints it. Format: rdma-core 54; see
_diags.topology.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.context import Context
from engine.commands.infiniband._diags import cache, topology_changes
from engine.commands.infiniband._diags.devices import local_device
from engine.commands.infiniband._diags.discovery import ADAPTER, SWITCH, Node, discover, listed, unanswered
from engine.commands.infiniband._diags.names import absolute, rename
from engine.commands.infiniband._diags.program import checks_of, fail, program, told_timeouts
from engine.commands.infiniband._diags.topology import body, heading, node_line, ports_report, progress
from engine.commands.options import Option, Parsed
from engine.hostfs.tree import FileError

OPTIONS = (
    Option("f", "full", help="show speed, width and virtual lanes of ports as numbers, too"),
    Option("s", "show", help="tell each step of the discovery"),
    Option("l", "list", help="list the nodes"),
    Option("g", "grouping", help="group nodes by chassis"),
    Option("H", "Hca_list", help="list the channel adapters"),
    Option("S", "Switch_list", help="list the switches"),
    Option("R", "Router_list", help="list the routers"),
    Option(None, "node-name-map", "<file>", help="names of nodes"),
    Option(None, "cache", "<file>", help="keep what was found in this file"),
    Option(None, "load-cache", "<file>", help="show the fabric that was kept in this file"),
    Option(None, "diff", "<file>", help="compare with the fabric that was kept in this file"),
    Option(None, "diffcheck", "<key(s)>", help="what to compare: sw, ca, router, port, lid, nodedesc"),
    Option("p", "ports", help="report every port"),
    Option("m", "max_hops", help="tell how far the fabric reaches"),
    Option("o", "outstanding_smps", "<val>", help="how many packets may be under way at a time"),
)


def run(context: Context, parsed: Parsed) -> int:
    """Print what was asked for."""
    before = _kept(context, parsed, "diff", "loading cached fabric for diff failed\n")
    nodes = _kept(context, parsed, "load_cache", "loading cached fabric failed\n") or _discovered(context, parsed)
    rename(context, parsed, nodes)
    text = "".join(f"{line}\n" for line in _lines(context, parsed, nodes, before))
    if not parsed.operands or "ports" in parsed:
        context.write(text)
    else:
        _write(context, parsed.operands[0], text.encode(), f"can't open file {parsed.operands[0]} for writing")
    if "cache" in parsed:
        _write(context, parsed["cache"], cache.store(nodes), "caching ibnetdiscover data failed\n")
    return 0


def _write(context: Context, path: str, content: bytes, otherwise: str) -> None:
    try:
        context.files.write(absolute(context, path), content)
    except FileError:
        raise fail(context, otherwise) from None


def _kept(context: Context, parsed: Parsed, option: str, otherwise: str) -> list[Node] | None:
    """The fabric in the file that an option names; None without it."""
    if option not in parsed:
        return None
    nodes = cache.read(context, parsed[option])
    if nodes is None:
        raise fail(context, otherwise)
    return nodes


def _discovered(context: Context, parsed: Parsed) -> list[Node]:
    """The nodes in the order of discovery. Raises Failed, after the words of the real tool, where no port can be
    opened.
    """
    device = local_device(context, parsed)
    if device is None:
        number = parsed["Port"] or "0"
        context.error(f"./libibnetdisc/ibnetdisc.c:798; can't open MAD port ({parsed['Ca'] or '(null)'}:{number})")
        raise fail(context, "discover failed\n")
    nodes = discover(context.world, device.hca)
    told_timeouts(context, unanswered(context.world, nodes))
    if "show" in parsed:
        for line in progress(nodes):
            context.line(line)
    return nodes


def _lines(context: Context, parsed: Parsed, nodes: list[Node], before: list[Node] | None) -> Iterator[str]:
    if "ports" in parsed:
        yield from ports_report(nodes)
        return
    kinds = _listed_kinds(parsed)
    if kinds is not None:
        yield from (node_line(node) for kind in kinds for node in listed(nodes, kind))
    elif before is not None:
        checks = checks_of(context, parsed, topology_changes.CHECKS, topology_changes.DEFAULT)
        yield from topology_changes.changes(before, nodes, checks)
    else:
        yield from heading(nodes, context.inventory.timezone, context.epoch, "max_hops" in parsed)
        yield from body(nodes, full="full" in parsed, grouped="grouping" in parsed)


def _listed_kinds(parsed: Parsed) -> tuple[str, ...] | None:
    """The kinds of the last list that was asked for; there are no routers."""
    lists = {"list": (ADAPTER, SWITCH), "Hca_list": (ADAPTER,), "Switch_list": (SWITCH,), "Router_list": ()}
    return next((lists[key] for key, _ in reversed(parsed.given) if key in lists), None)


COMMAND = program(
    "ibnetdiscover",
    "discover InfiniBand topology",
    run,
    options=OPTIONS,
    without="DGKLs",
    operands="[topology-file]",
    manual="Walks the fabric from a local port and prints every node with its links; ports without a "
    "link are not shown.\n"
    "It needs root, and no subnet manager: it goes by direct routes.\n"
    "--cache keeps the fabric in a file, --diff FILE shows what has changed since.",
)
