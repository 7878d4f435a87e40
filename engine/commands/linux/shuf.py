"""shuf of GNU coreutils 9.4; its chance is the simulation's, so the same session shuffles alike."""

from __future__ import annotations

import re

from engine.commands.context import Context
from engine.commands.linux._support import gnu, paths
from engine.commands.linux._support.program import program
from engine.commands.linux._support.words import word
from engine.commands.options import Option, Parsed, UsageError
from engine.control.chance import fresh_stream
from engine.hostfs.tree import FileError
from engine.kernel.random import Stream

_LARGEST_RANGE = 1_000_000


async def run(ctx: Context, parsed: Parsed) -> int:
    """Print lines in random order."""
    if "echo" in parsed and "input_range" in parsed:
        raise gnu.refuse(ctx, "cannot combine -e and -i options")
    count = _count(ctx, parsed)
    try:
        items = await _items(ctx, parsed)
    except FileError as error:
        ctx.error(f"shuf: {parsed.operands[0]}: {error.text}")
        return 1
    if "repeat" in parsed and not items and count:
        ctx.error("shuf: no lines to repeat")
        return 1
    chance = fresh_stream(ctx.simulation, ctx.host, "shuf")
    end = b"\0" if "zero_terminated" in parsed else b"\n"
    chosen = _repeated(chance, items, count) if "repeat" in parsed else _shuffled(chance, items, count)
    data = b"".join(item + end for item in chosen)
    if "output" in parsed:
        paths.tree(ctx).write(paths.absolute(ctx, parsed["output"]), data)
    else:
        ctx.write(data)
    return 0


def _count(ctx: Context, parsed: Parsed) -> int | None:
    counts = parsed.all("head_count")
    for text in counts:
        if not text.isdigit():
            raise UsageError(f"shuf: invalid line count: {word(ctx.environment, text)}\n")
    return min(map(int, counts)) if counts else None


async def _items(ctx: Context, parsed: Parsed) -> list[bytes]:
    if "input_range" in parsed:
        return _range(ctx, parsed)
    if "echo" in parsed:
        return [text.encode() for text in parsed.operands]
    if len(parsed.operands) > 1:
        raise gnu.extra_operand(ctx, parsed.operands[1])
    name = parsed.operands[0] if parsed.operands else "-"
    data = await ctx.stdin.read() if name == "-" else paths.read(ctx, name)
    end = b"\0" if "zero_terminated" in parsed else b"\n"
    return data.removesuffix(end).split(end) if data else []


def _range(ctx: Context, parsed: Parsed) -> list[bytes]:
    if parsed.operands:
        raise gnu.extra_operand(ctx, parsed.operands[0])
    match = re.fullmatch(r"(\d+)-(\d+)", parsed["input_range"])
    if not match or int(match[1]) > int(match[2]) + 1:
        raise UsageError(f"shuf: invalid input range: {word(ctx.environment, parsed['input_range'])}\n")
    low, high = int(match[1]), int(match[2])
    if high - low >= _LARGEST_RANGE:
        raise UsageError(f"breakfix: not modelled: ranges of more than {_LARGEST_RANGE} numbers\n", 125)
    return [str(number).encode() for number in range(low, high + 1)]


def _shuffled(chance: Stream, items: list[bytes], count: int | None) -> list[bytes]:
    return chance.shuffled(items)[:count]


def _repeated(chance: Stream, items: list[bytes], count: int | None) -> list[bytes]:
    return [chance.choice(items) for _ in range(_LARGEST_RANGE if count is None else count)]


COMMAND = program(
    "shuf",
    "shuffle lines",
    run,
    synopsis="shuf [OPTION]... [FILE]",
    options=(
        Option("e", "echo", help="the arguments are the lines"),
        Option("i", "input-range", "LO-HI", help="the numbers from LO to HI are the lines"),
        Option("n", "head-count", "COUNT", help="at most COUNT lines"),
        Option("o", "output", "FILE", help="write to FILE"),
        Option(None, "random-source", "FILE", help="ignored"),
        Option("r", "repeat", help="lines may come again"),
        Option("z", "zero-terminated", help="lines end with NUL"),
    ),
    manual="With -i or -e nothing is read. The same session, played again, gives the same orders.",
)
