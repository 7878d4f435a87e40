"""dshbak of pdsh 2.34: puts together what pdsh printed, host by host; with -c, equal outputs under one header."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import nodeset
from engine.commands.linux._support.program import PLAIN, program
from engine.commands.options import Option, Parsed

_SEPARATOR = "-" * 16


async def run(ctx: Context, parsed: Parsed) -> int:
    """Read `host: line` and print it by host."""
    outputs: dict[str, list[str]] = {}
    for line in (await ctx.stdin.read()).decode("utf-8", "surrogateescape").splitlines():
        host, colon, rest = line.partition(":")
        if colon and " " not in host:
            outputs.setdefault(host.strip(), []).append(rest.removeprefix(" "))
    groups = _groups(outputs) if "coalesce" in parsed else [([host], outputs[host]) for host in outputs]
    for hosts, lines in sorted(groups, key=lambda group: nodeset.natural(group[0][0])):
        ctx.line(f"{_SEPARATOR}\n{nodeset.fold(hosts)}\n{_SEPARATOR}")
        for text in lines:
            ctx.line(text)
    return 0


def _groups(outputs: dict[str, list[str]]) -> list[tuple[list[str], list[str]]]:
    by_output: dict[tuple[str, ...], list[str]] = {}
    for host, lines in outputs.items():
        by_output.setdefault(tuple(lines), []).append(host)
    return [(sorted(hosts, key=nodeset.natural), list(lines)) for lines, hosts in by_output.items()]


COMMAND = program(
    "dshbak",
    "format the output of pdsh",
    run,
    suite=PLAIN,
    options=(Option("c", None, name="coalesce", help="equal outputs under one header"),),
    manual="Reads lines of the form `host: text` from standard input.",
)
