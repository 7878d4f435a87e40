"""sinfo: partitions and nodes of the cluster.

Slurm 24.11 (22.05 where the site runs it). Source: SchedMD/slurm src/sinfo/opts.c and print.c; compared with 22.05 on a
cluster of 21 nodes.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.options import Option, Parsed, UsageError
from engine.commands.slurm._support.client import Tool, command, error, fail, reach, words
from engine.commands.slurm._support.columns import Column, Format, parse_long, parse_short
from engine.commands.slurm._support.node_facts import NodeFacts
from engine.commands.slurm._support.node_fields import FIELDS, partition_name
from engine.commands.slurm._support.node_groups import Group, Grouping, sort_rows
from engine.commands.slurm._support.node_states import StateFilter
from engine.commands.slurm._support.reservation_text import reservation_table
from engine.control.slurm.configuration import PartitionConfiguration
from engine.control.slurm.jobs import is_operator
from engine.control.slurm.nodes import Cluster, survey
from engine.control.slurm.numbers import whole
from engine.control.slurm.times import date_line
from engine.control.slurm.version import at_least
from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import expand
from engine.kernel.units import SECOND

_PLAIN = "partition:9 ,available:.5 ,time:.10 ,nodes:.6 ,statecompact:.6 ,nodelist:0"
_LONG = (
    "partition:9 ,available:.5 ,time:.10 ,size:.10 ,root:.4 ,oversubscribe:.8 ,groups:.10 ,nodes:.6 ,statelong:.11 ,"
    "reservation:.11 ,nodelist:0"
)
_SUMMARY = "partition:9 ,available:.5 ,time:.10 ,nodeaiot:.16 ,nodelist:0"
_BY_NODE = "nodelist:0 ,nodes:.6 ,partition:.9 ,statecompact:6"
_BY_NODE_LONG = (
    "nodelist:0 ,nodes:.6 ,partition:.9 ,statelong:.11 ,cpus:4 ,socketcorethread:.8 ,memory:.6 ,disk:.8 ,weight:.6 ,"
    "features:.8 ,reason:20"
)
_REASONS = "reason:20 ,user:9 ,timestamp:19 ,nodelist:0"
_REASONS_LONG = "reason:20 ,userlong:12 ,timestamp:19 ,statecompact:6 ,nodelist:0"

OPTIONS = (
    Option("a", "all", help="show hidden partitions too"),
    Option("d", "dead", help="show only nodes that do not respond"),
    Option("e", "exact", help="group only nodes that are configured alike"),
    Option(long="federation", help="show the clusters of a federation"),
    Option("F", "future", help="show nodes in FUTURE state"),
    Option(long="hide", help="do not show hidden partitions"),
    Option("i", "iterate", "SECONDS", help="print again every so many seconds"),
    Option(long="json", argument="VERSION", optional=True, help="JSON"),
    Option(long="local", help="this cluster only"),
    Option("l", "long", help="show more columns"),
    Option("M", "clusters", "NAMES", help="ask other clusters"),
    Option("n", "nodes", "NODES", help="these nodes only"),
    Option(long="noconvert", help="do not convert units"),
    Option("h", "noheader", help="no heading"),
    Option("N", "Node", help="one line for each node and partition"),
    Option("o", "format", "FORMAT", help="fields by their letters"),
    Option("O", "Format", "FORMAT", help="fields by their names", name="long_format"),
    Option("p", "partition", "PARTITIONS", help="these partitions only"),
    Option("r", "responding", help="show only nodes that respond"),
    Option("R", "list-reasons", help="why nodes are down, drained or failing"),
    Option("s", "summarize", help="a line for each partition"),
    Option("S", "sort", "FIELDS", help="sort by these letters"),
    Option("t", "states", "STATES", help="nodes in these states only; & between states asks for all of them"),
    Option("T", "reservation", help="show reservations"),
    Option("v", "verbose", help="say more"),
    Option(long="yaml", argument="VERSION", optional=True, help="YAML"),
)
_GAPS = ("json", "yaml", "clusters", "federation")


async def run(ctx: Context, parsed: Parsed) -> int:
    """Print once, or again and again with -i."""
    for gap in _GAPS:
        if gap in parsed:
            return ctx.not_modelled(f"sinfo --{gap}")
    _check(ctx, parsed)
    interval = parsed["iterate"]
    if interval is not None and not whole(interval):
        raise fail(ctx, f"Error: invalid entry for --iterate={interval}")
    while True:
        status = _print(ctx, parsed)
        if interval is None:
            return status
        ctx.line()
        await ctx.sleep((whole(interval) or 1) * SECOND)


def _check(ctx: Context, parsed: Parsed) -> None:
    if "all" in parsed and "partition" in parsed:
        raise fail(ctx, "Conflicting options, -a and -p, specified. Please choose one or the other.")
    given = "format" in parsed or "long_format" in parsed
    if given and "long" in parsed and at_least(ctx.inventory, 23, 11):
        text = "Options -o(--format) and -l(--long) are mutually exclusive. Please remove one and retry."
        raise UsageError(f"sinfo: fatal: {text}\n")


def _print(ctx: Context, parsed: Parsed) -> int:
    heading = "noheader" not in parsed
    if heading and ("long" in parsed or "iterate" in parsed or "verbose" in parsed):
        ctx.line(date_line(ctx.inventory, ctx.now))
    states = StateFilter.of(ctx, parsed["states"] or ("down,fail,drain" if "list_reasons" in parsed else None))
    refused = reach(ctx)
    if refused:
        ctx.error(f"slurm_load_partitions: {refused.text}")
        return 1
    if "reservation" in parsed:
        known = ctx.world.slurm[""].reservations
        for line in (
            reservation_table(ctx.world, known, ctx.now, heading) if known else ["No reservations in the system"]
        ):
            ctx.line(line)
        return 0
    cluster = survey(ctx.world)
    form = _format(ctx, parsed)
    grouping = Grouping(
        frozenset(column.field.name for column in form.columns if column.field),
        by_node="Node" in parsed,
        exact="exact" in parsed,
        any_partition="list_reasons" in parsed,
    )
    nodes = _nodes(ctx, parsed, cluster, states)
    rows = grouping.build(_partitions(ctx, parsed, cluster), nodes)
    order = parsed["sort"] or ctx.environment.get("SINFO_SORT") or ("N" if "Node" in parsed else "#P,-t")
    rows = sort_rows(rows, order)
    _widen(parsed, form, rows)
    for line in form.lines(rows, heading):
        ctx.line(line)
    return 0


def _format(ctx: Context, parsed: Parsed) -> Format[Group]:
    """The columns: those asked for, or those of the view."""
    if "long_format" in parsed:
        form = parse_long(parsed["long_format"], FIELDS)
        for name in form.unknown:
            error(ctx, f"Invalid job format specification: {name}")
        return form
    view = _view(ctx, parsed)
    short = parsed["format"] or (ctx.environment.get("SINFO_FORMAT") if view in (_PLAIN, _LONG) else None)
    if not short:
        return parse_long(view, FIELDS)
    form = parse_short(short, FIELDS)
    for letter in form.unknown:
        ctx.error(f"Invalid node format specification: {letter}")
    return form


def _view(ctx: Context, parsed: Parsed) -> str:
    long = "long" in parsed
    if "summarize" in parsed:
        return _SUMMARY
    if "Node" in parsed:
        return _BY_NODE_LONG if long else _BY_NODE
    if "list_reasons" in parsed:
        return _REASONS_LONG if long else _REASONS
    wide = _LONG if at_least(ctx.inventory, 23, 11) else _LONG.replace("reservation:.11 ,", "")
    return wide if long else _PLAIN


def _widen(parsed: Parsed, form: Format[Group], rows: list[Group]) -> None:
    """In the standing views, partitions and (with -N) nodes get as much room as they need, at least nine columns."""
    if "format" in parsed or "long_format" in parsed or "list_reasons" in parsed:
        return
    for column in form.columns:
        if column.field and column.field.name == "Partition":
            column.width = max([9, *(len(partition_name(row)) for row in rows)])
        elif column.field and column.field.name == "NodeList" and "Node" in parsed and column is _first_column(form):
            column.width = max([9, *(len(row.names) for row in rows)])


def _first_column(form: Format[Group]) -> Column[Group]:
    return form.columns[0]


def _partitions(ctx: Context, parsed: Parsed, cluster: Cluster) -> list[PartitionConfiguration]:
    wanted = words(parsed["partition"] or ctx.environment.get("SINFO_PARTITION", ""))
    every = (
        "all" in parsed
        or bool(wanted)
        or "SINFO_ALL" in ctx.environment
        or is_operator(ctx.inventory, ctx.identity.name)
    )
    shown = [each for each in cluster.configuration.partitions if every or not (each.hidden or each.root_only)]
    return [each for each in shown if not wanted or each.name in wanted]


def _nodes(ctx: Context, parsed: Parsed, cluster: Cluster, states: StateFilter) -> dict[str, NodeFacts]:
    """The nodes that the options leave, by name."""
    wanted = None
    if "nodes" in parsed:
        try:
            wanted = set(expand(parsed["nodes"]))
        except BreakfixError:
            raise fail(ctx, f"'{parsed['nodes']}' invalid entry for --nodes") from None
    found = {}
    for name in cluster.configuration.nodes:
        facts = NodeFacts(cluster, name, ctx.now)
        silent = not facts.record.responding
        if (
            (wanted is not None and name not in wanted)
            or ("dead" in parsed and not silent)
            or ("responding" in parsed and silent)
        ):
            continue
        if states.matches(facts):
            found[name] = facts
    return found


COMMAND = command(
    Tool(
        "sinfo",
        "view information about Slurm nodes and partitions",
        "sinfo [-abdelNRrsTv] [-i seconds] [-t states] [-p partition] [-n nodes] [-S fields] [-o format] [-O Format]",
        OPTIONS,
        run,
        manual="Shows partitions and the states of their nodes. A * after a state marks nodes that do not respond; @ a "
        "reboot that is asked for, ^ one that was sent. -R tells why nodes are down or drained, who said so and when.",
    )
)
