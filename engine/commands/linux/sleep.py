"""sleep of GNU coreutils 9.4, in simulated time."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.clock import suffixed_seconds
from engine.commands.linux._support.gnu import missing_operand
from engine.commands.linux._support.program import program
from engine.commands.linux._support.words import word
from engine.commands.options import Parsed, UsageError


async def run(ctx: Context, parsed: Parsed) -> int:
    """Wait for the sum of all operands."""
    if not parsed.operands:
        raise missing_operand(ctx)
    times = [suffixed_seconds(text) for text in parsed.operands]
    wrong = [text for text, time in zip(parsed.operands, times, strict=True) if time is None]
    if wrong:
        lines = [f"sleep: invalid time interval {word(ctx.environment, text)}" for text in wrong]
        raise UsageError("\n".join([*lines, "Try 'sleep --help' for more information.", ""]))
    await ctx.sleep(sum(time or 0 for time in times))
    return 0


COMMAND = program(
    "sleep",
    "wait for a time",
    run,
    synopsis="sleep NUMBER[SUFFIX]...",
    manual="Waits for the sum of its arguments. SUFFIX is s for seconds (if not given), m, h or d.",
)
