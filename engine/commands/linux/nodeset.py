"""nodeset of ClusterShell 1.9, in a first form: fold, expand, count, list and combine node sets. Compared with
ClusterShell 1.10's.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import nodeset
from engine.commands.options import Option, UsageError, option_lines
from engine.kernel.errors import BreakfixError

SYNOPSIS = "nodeset COMMAND [OPTION]... [NODES] [-ixX NODES]..."
_OPERATORS = {"-x": "!", "--exclude": "!", "-i": "&", "--intersection": "&", "-X": "^", "--xor": "^"}
_COMMANDS = {"-c": "count", "--count": "count", "-e": "expand", "--expand": "expand", "-f": "fold", "--fold": "fold",
             "-l": "list", "--list": "list"}  # fmt: skip
OPTIONS = (
    Option("c", "count", help="print how many nodes"),
    Option("e", "expand", help="print every node"),
    Option("f", "fold", help="print the short form"),
    Option("l", "list", help="list the groups"),
    Option("x", "exclude", "NODES", help="without NODES"),
    Option("i", "intersection", "NODES", help="only what is in NODES too"),
    Option("X", "xor", "NODES", help="what is in one of the two"),
    Option("S", "separator", "TEXT", help="between expanded nodes"),
    Option("a", "all", help="all nodes"),
    Option("h", "help", help="print this text and end"),
)


async def run(ctx: Context) -> int:
    """Work out a node set."""
    words, command, separator = list(ctx.arguments), "", " "
    result: set[str] = set()
    operands = 0
    try:
        while words:
            word = words.pop(0)
            if word in ("-h", "--help"):
                ctx.write("\n".join([f"Usage: {SYNOPSIS}", "", *option_lines(OPTIONS), ""]))
                return 0
            if word in _COMMANDS:
                command = _COMMANDS[word]
            elif word in ("-S", "--separator") and words:
                separator = words.pop(0).replace("\\n", "\n")
            elif word in ("-a", "--all"):
                result |= set(ctx.inventory.node_names)
                operands += 1
            elif word in _OPERATORS and words:
                result = _combined(ctx, result, _OPERATORS[word], words.pop(0))
            elif word.startswith("-") and word != "-":
                raise UsageError(_wrong(f"no such option: {word}"), 2)
            else:
                result |= set(nodeset.parse(ctx.inventory, word))
                operands += 1
        if not operands and command != "list":
            for word in (await ctx.stdin.read()).decode().split():
                result |= set(nodeset.parse(ctx.inventory, word))
    except BreakfixError as error:
        ctx.error(f"nodeset: Parse error: {error.message}")
        return 1
    return _answer(ctx, command, separator, sorted(result, key=nodeset.natural))


def _wrong(text: str) -> str:
    return f"Usage: nodeset [COMMAND] [OPTIONS] [ns1 [-ixX] ns2|...]\n\nnodeset: error: {text}\n"


def _combined(ctx: Context, left: set[str], operator: str, text: str) -> set[str]:
    right = set(nodeset.parse(ctx.inventory, text))
    return left - right if operator == "!" else left & right if operator == "&" else left ^ right


def _answer(ctx: Context, command: str, separator: str, nodes: list[str]) -> int:
    if command == "count":
        ctx.line(str(len(nodes)))
    elif command == "expand":
        ctx.line(separator.join(nodes))
    elif command == "fold":
        ctx.line(nodeset.fold(nodes))
    elif command == "list":
        for name in sorted(nodeset.groups(ctx.inventory)):
            ctx.line(f"@{name}")
    else:
        raise UsageError(_wrong("No command specified."), 2)
    return 0


COMMAND = Command(
    "nodeset",
    "fold, expand and combine node sets",
    run,
    SYNOPSIS,
    OPTIONS,
    "A node set is such as dgx-[01-04,07], n[1-9/2], @compute, a!b (without), a&b (both), a^b (one of both).",
)
