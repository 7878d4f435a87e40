"""free of procps-ng 4.0.4, from /proc/meminfo. `used` is the total without what is available, as since version 4."""

from __future__ import annotations

import re

from engine.commands.context import Context
from engine.commands.linux._support import clock, paths, sizes
from engine.commands.linux._support.program import PROCPS, program
from engine.commands.options import Option, Parsed, UsageError
from engine.kernel.units import SECOND

_UNITS = {"bytes": 1, "kilo": 1000, "mega": 1000**2, "giga": 1000**3, "tera": 1000**4, "peta": 1000**5, "kibi": 1 << 10,
          "mebi": 1 << 20, "gibi": 1 << 30, "tebi": 1 << 40, "pebi": 1 << 50}  # fmt: skip
_NARROW = ("total", "used", "free", "shared", "buff/cache", "available")
_WIDE = ("total", "used", "free", "shared", "buffers", "cache", "available")


async def run(ctx: Context, parsed: Parsed) -> int:
    """Print the table, again and again with -s."""
    interval, count = _repeat(parsed)
    while True:
        for line in _table(ctx, parsed):
            ctx.line(line)
        count -= 1
        if interval is None or count == 0:
            return 0
        ctx.line()
        await ctx.sleep(interval)


def _repeat(parsed: Parsed) -> tuple[int | None, int]:
    interval, count = None, 0
    if "seconds" in parsed:
        interval = clock.seconds(parsed["seconds"])
        if not interval:
            raise UsageError(f"free: seconds argument `{parsed['seconds']}' is not positive number\n")
    if "count" in parsed:
        if not parsed["count"].isdigit() or not int(parsed["count"]):
            raise UsageError(f"free: failed to parse count argument: '{parsed['count']}'\n")
        count = int(parsed["count"])
        interval = interval or SECOND
    return interval, count


def _table(ctx: Context, parsed: Parsed) -> list[str]:
    found = {name: int(kib) for name, kib in re.findall(r"(\w+):\s+(\d+)", paths.read_or(ctx, "/proc/meminfo"))}
    cache = found.get("Cached", 0) + found.get("SReclaimable", 0)
    buffers, total, available = found.get("Buffers", 0), found["MemTotal"], found["MemAvailable"]
    used = total - available
    memory = {"total": total, "used": used, "free": found["MemFree"], "shared": found["Shmem"], "buffers": buffers,
              "cache": cache, "buff/cache": buffers + cache, "available": available}  # fmt: skip
    columns = _WIDE if "wide" in parsed else _NARROW
    swap = (found["SwapTotal"], found["SwapTotal"] - found["SwapFree"], found["SwapFree"])
    lines = ["       " + "".join(f"{name:>{13 if name == 'total' else 12}}" for name in columns)]
    lines.append(_row(parsed, "Mem:", [memory[name] for name in columns]))
    if "lohi" in parsed:
        lines.append(_row(parsed, "Low:", [total, total - found["MemFree"], found["MemFree"]]))
        lines.append(_row(parsed, "High:", [0, 0, 0]))
    lines.append(_row(parsed, "Swap:", list(swap)))
    if "total" in parsed:
        sums = [total + swap[0], used + swap[1], found["MemFree"] + swap[2]]
        lines.append(_row(parsed, "Total:", sums))
    if "committed" in parsed:
        limit, committed = found.get("CommitLimit", 0), found.get("Committed_AS", 0)
        lines.append(_row(parsed, "Comm:", [limit, committed, limit - committed]))
    return lines


def _row(parsed: Parsed, title: str, values: list[int]) -> str:
    cells = [_amount(parsed, value) for value in values]
    return f"{title:<8}" + " ".join(f"{cell:>{12 if index == 0 else 11}}" for index, cell in enumerate(cells))


def _amount(parsed: Parsed, kib: int) -> str:
    if "human" in parsed:
        return sizes.procps(kib, "si" in parsed)
    for key, _ in reversed(parsed.given):
        if key in _UNITS:
            size = _UNITS[key]
            if "si" in parsed and size >= 1024:
                size = 1000 ** ((size.bit_length() - 1) // 10)
            return str(kib * 1024 // size)
    return str(kib * 1024 // 1000 if "si" in parsed else kib)


OPTIONS = (
    Option("b", "bytes", help="in bytes"),
    *(Option(None, name, help=f"in {name}bytes") for name in ("kilo", "mega", "giga", "tera", "peta")),
    Option("k", "kibi", help="in kibibytes, as is usual"),
    Option("m", "mebi", help="in mebibytes"),
    Option("g", "gibi", help="in gibibytes"),
    *(Option(None, name, help=f"in {name}bytes") for name in ("tebi", "pebi")),
    Option("h", "human", help="in units that suit"),
    Option(None, "si", help="powers of 1000"),
    Option("l", "lohi", help="with low and high memory"),
    Option("t", "total", help="with a line of totals"),
    Option("v", "committed", help="with memory that was promised"),
    Option("s", "seconds", "N", help="again every N seconds"),
    Option("c", "count", "N", help="N times"),
    Option("w", "wide", help="buffers and cache apart"),
)

COMMAND = program(
    "free",
    "show how much memory is free",
    run,
    suite=PROCPS,
    options=OPTIONS,
    manual="""
    `available` is what programs can still get, since the kernel gives cache back when it is asked to; `free` is what
    nobody uses at all.
    """,
)
