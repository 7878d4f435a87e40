"""clush of ClusterShell 1.9: a command on many hosts at once. Output and error lines compared with ClusterShell 1.10's.

Lines appear by time and then in the order of the hosts (the real one prints them as they happen to come).
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import fanout, nodeset
from engine.commands.options import Option, Parsed, UsageError, option_lines, parse
from engine.kernel.errors import BreakfixError

SYNOPSIS = "clush [OPTION]... COMMAND"
_SEPARATOR = "-" * 15
_TRAILER = "Usage: clush [options] command"

OPTIONS = (
    Option("w", None, "NODES", name="nodes", help="on these nodes"),
    Option("x", None, "NODES", name="exclude", help="not on these"),
    Option("a", "all", help="on all nodes"),
    Option("g", "group", "GROUP", help="on a group of nodes"),
    Option("X", None, "GROUP", name="exclude_group", help="not on a group"),
    Option(None, "hostfile", "FILE", help="on the nodes in FILE"),
    Option("b", "dshbak", name="gather", help="gather equal outputs under one header"),
    Option("B", None, name="gather_all", help="the same with standard error"),
    Option("L", None, name="line_mode", help="sort lines by node; with -b, one line for equal ones"),
    Option("N", None, name="no_label", help="lines without the node's name"),
    Option("S", "maxrc", help="return the largest status of all nodes"),
    Option("f", "fanout", "N", help="at most N nodes at a time"),
    Option("l", "user", "USER", help="log in as USER"),
    Option("t", "connect_timeout", "SECONDS", help="give up connecting after so long"),
    Option("u", "command_timeout", "SECONDS", help="stop the command after so long"),
    Option("o", "options", "OPTIONS", help="options for ssh"),
    Option("q", "quiet", help="be quiet"),
    Option("v", "verbose", help="tell more"),
    Option("d", "debug", help="tell everything"),
    Option("n", "nostdin", help="do not read standard input"),
    Option("R", "worker", "WORKER", help="how to run (ssh)"),
    Option("O", "option", "KEY=VALUE", help="a setting"),
    Option("s", "groupsource", "SOURCE", help="where groups come from"),
    Option(None, "color", "WHEN", help="colours: auto, always or never"),
    Option("D", "diff", help="show how outputs differ"),
    Option("r", "regroup", help="name groups in the output"),
    Option("p", "preserve", help="with --copy, keep times and modes"),
    Option("c", "copy", help="copy files to the nodes"),
    Option(None, "rcopy", help="copy files from the nodes"),
    Option(None, "dest", "PATH", help="with --copy, where to"),
    Option(None, "version", help="print the version and end"),
    Option("h", "help", help="print this text and end"),
)


class _Gathered:
    """Outputs of nodes, to be shown together."""

    def __init__(self) -> None:
        self.lines: dict[str, list[bytes]] = {}

    def groups(self) -> list[tuple[list[str], list[bytes]]]:
        """(nodes, their common output), the largest group first."""
        by_output: dict[tuple[bytes, ...], list[str]] = {}
        for node, lines in self.lines.items():
            by_output.setdefault(tuple(lines), []).append(node)
        groups = [(sorted(nodes, key=nodeset.natural), list(lines)) for lines, nodes in by_output.items()]
        return sorted(groups, key=lambda group: (-len(group[0]), nodeset.natural(group[0][0])))


async def run(ctx: Context) -> int:
    """Run the command on the nodes."""
    parsed = _parsed(ctx)
    if "help" in parsed:
        ctx.write("\n".join([f"Usage: {SYNOPSIS}", "", *option_lines(OPTIONS), ""]))
        return 0
    if "version" in parsed:
        ctx.line("clush 1.9.2")
        return 0
    for key in ("copy", "rcopy", "diff", "regroup"):
        if key in parsed:
            return ctx.not_modelled(f"clush --{key}")
    nodes = _nodes(ctx, parsed)
    if not nodes:
        raise UsageError(f"{_TRAILER}\n\nclush: error: No node to run on.\n", 2)
    if not parsed.operands:
        return ctx.not_modelled("clush without a command (its interactive mode)")
    return await _run(ctx, parsed, nodes, " ".join(parsed.operands))


def _parsed(ctx: Context) -> Parsed:
    try:
        return parse("clush", OPTIONS, ctx.arguments, permute=False)
    except UsageError as error:
        text = error.text.strip().removeprefix("clush: ")
        if text.startswith("unrecognized option"):
            text = "no such option: " + text.split("'")[1]
        elif text.startswith("invalid option -- "):
            text = "no such option: -" + text.split("'")[1]
        elif "requires an argument" in text:
            name = text.split("'")[1]
            text = f"{name if name.startswith('--') else '-' + name} option requires 1 argument"
        raise UsageError(f"{_TRAILER}\n\nclush: error: {text}\n", 2) from None


def _nodes(ctx: Context, parsed: Parsed) -> list[str]:
    try:
        chosen: set[str] = set()
        for text in parsed.all("nodes"):
            chosen |= set(nodeset.parse(ctx.inventory, text))
        for text in parsed.all("group"):
            chosen |= set(nodeset.parse(ctx.inventory, ",".join(f"@{name}" for name in text.split(","))))
        for path in parsed.all("hostfile"):
            chosen |= set(_from_file(ctx, path))
        if "all" in parsed:
            chosen |= set(ctx.inventory.node_names)
        for text in parsed.all("exclude"):
            chosen -= set(nodeset.parse(ctx.inventory, text))
        for text in parsed.all("exclude_group"):
            chosen -= set(nodeset.parse(ctx.inventory, f"@{text}"))
    except BreakfixError as error:
        known = error.message.startswith("Unknown group")
        raise UsageError(f"clush: {'' if known else 'Parse error: '}{error.message}\n") from None
    return sorted(chosen, key=nodeset.natural)


def _from_file(ctx: Context, path: str) -> list[str]:
    from engine.commands.linux._support import paths

    words = paths.read(ctx, path).decode("utf-8", "replace").split()
    return [node for word in words for node in nodeset.parse(ctx.inventory, word)]


async def _run(ctx: Context, parsed: Parsed, nodes: Sequence[str], command: str) -> int:
    gathered = _Gathered()
    gather = "gather" in parsed or "gather_all" in parsed
    sorts = "line_mode" in parsed

    def hear(node: str, is_error: bool, line: bytes) -> None:
        label = b"" if "no_label" in parsed else f"{node}: ".encode()
        if is_error and not ("gather_all" in parsed and gather):
            ctx.stderr.write(label + line + b"\n")
        elif gather or sorts:
            gathered.lines.setdefault(node, []).append(line)
        else:
            ctx.write(label + line + b"\n")

    stdin = await ctx.stdin.read() if ctx.stdin.attached and "nostdin" not in parsed else b""
    fan = fanout.Fan(
        ctx=ctx,
        hosts=nodes,
        command=command,
        hear=hear,
        user=parsed["user"] or ctx.identity.name,
        fanout=_number(parsed, "fanout", 64),
        connect_timeout=_seconds(parsed, "connect_timeout", 10),
        command_timeout=_seconds(parsed, "command_timeout", 0),
        stdin=stdin,
    )
    statuses = await fan.run()
    if gather:
        _show_gathered(ctx, parsed, gathered)
    elif sorts:
        _show_sorted(ctx, parsed, gathered)
    _report(ctx, parsed, statuses, gather)
    return max(statuses.values(), default=0) if "maxrc" in parsed else 0


def _number(parsed: Parsed, key: str, default: int) -> int:
    text = parsed[key]
    if text is None:
        return default
    if not text.isdigit():
        raise UsageError(f"{_TRAILER}\n\nclush: error: option --{key}: invalid integer value: '{text}'\n", 2)
    return int(text)


def _seconds(parsed: Parsed, key: str, default: int) -> int:
    text = parsed[key]
    if text is None:
        return default * 1_000_000_000
    time = fanout.seconds(text)
    if time is None:
        raise UsageError(f"{_TRAILER}\n\nclush: error: option --{key}: invalid floating-point value: '{text}'\n", 2)
    return time


def _show_gathered(ctx: Context, parsed: Parsed, gathered: _Gathered) -> None:
    for nodes, lines in gathered.groups():
        name = nodeset.fold(nodes)
        if "line_mode" in parsed:
            for line in lines:
                ctx.write(f"{name}: ".encode() + line + b"\n")
            continue
        count = f" ({len(nodes)})" if len(nodes) > 1 and "quiet" not in parsed else ""
        if "no_label" not in parsed:
            ctx.line(f"{_SEPARATOR}\n{name}{count}\n{_SEPARATOR}")
        for line in lines:
            ctx.write(line + b"\n")


def _show_sorted(ctx: Context, parsed: Parsed, gathered: _Gathered) -> None:
    for node in sorted(gathered.lines, key=nodeset.natural):
        for line in gathered.lines[node]:
            ctx.write((b"" if "no_label" in parsed else f"{node}: ".encode()) + line + b"\n")


def _report(ctx: Context, parsed: Parsed, statuses: dict[str, int], together: bool) -> None:
    """Who failed, and how."""
    by_status: dict[int, list[str]] = {}
    for node in sorted(statuses, key=nodeset.natural):
        if statuses[node]:
            by_status.setdefault(statuses[node], []).append(node)
    for status in sorted(by_status):
        nodes = by_status[status]
        how = "command timeout" if status == fanout.TIMED_OUT else f"exited with exit code {status}"
        groups = [nodes] if together else [[node] for node in nodes]
        for group in groups:
            count = f" ({len(group)})" if len(group) > 1 and "quiet" not in parsed else ""
            ctx.error(f"clush: {nodeset.fold(group)}{count}: {how}")


COMMAND = Command(
    "clush",
    "run a command on many hosts at once",
    run,
    SYNOPSIS,
    OPTIONS,
    """NODES is a node set such as dgx-[01-04], `@compute` a group (`nodeset -l` lists groups). -b folds equal outputs
under one header: the quickest way to see which host differs. Each line of the words is read by the shell on the
host.""",
)
