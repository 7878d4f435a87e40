"""timeout of GNU coreutils 9.4, in simulated time. Whatever the signal, the command is stopped at once. Texts as
coreutils 9.1's.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import gnu
from engine.commands.linux._support.clock import suffixed_seconds
from engine.commands.linux._support.program import program
from engine.commands.linux._support.programs import exists
from engine.commands.linux._support.signals import signal_name, signal_number
from engine.commands.linux._support.waiting import within
from engine.commands.linux._support.words import word
from engine.commands.options import Option, Parsed

_TIMED_OUT, _OWN_FAILURE, _NOT_FOUND = 124, 125, 127
_TERMINATE, _KILL, _SIGNALLED = 15, 9, 128


async def run(ctx: Context, parsed: Parsed) -> int:
    """Run the command until it ends or its time is over."""
    signal = _TERMINATE
    if "signal" in parsed:
        number = signal_number(parsed["signal"])
        if number is None:
            raise gnu.refuse(ctx, f"{word(ctx.environment, parsed['signal'])}: invalid signal", _OWN_FAILURE)
        signal = number
    if "kill_after" in parsed:
        _time(ctx, parsed["kill_after"])
    if len(parsed.operands) < 2:
        raise gnu.missing_operand(ctx, status=_OWN_FAILURE)
    limit = _time(ctx, parsed.operands[0])
    words = parsed.operands[1:]
    if not exists(ctx, words[0]):
        ctx.error(f"timeout: failed to run command {word(ctx.environment, words[0])}: No such file or directory")
        return _NOT_FOUND
    await ctx.flush()
    if not limit:
        return await ctx.runner.run(words, ctx.place)
    status = await within(ctx, lambda: ctx.runner.run(words, ctx.place), limit)
    if status is not None:
        return status
    if "verbose" in parsed:
        ctx.error(f"timeout: sending signal {signal_name(signal)} to command {word(ctx.environment, words[0])}")
    if "preserve_status" in parsed or signal == _KILL:
        return _SIGNALLED + signal
    return _TIMED_OUT


def _time(ctx: Context, text: str) -> int:
    time = suffixed_seconds(text)
    if time is None:
        raise gnu.refuse(ctx, f"invalid time interval {word(ctx.environment, text)}", _OWN_FAILURE)
    return time


COMMAND = program(
    "timeout",
    "run a command for a limited time",
    run,
    synopsis="timeout [OPTION]... DURATION COMMAND [ARGUMENT]...",
    options=(
        Option(None, "preserve-status", help="return the command's status, also when it was stopped"),
        Option(None, "foreground", help="in the foreground"),
        Option("k", "kill-after", "DURATION", help="send KILL if it still runs after so long"),
        Option("s", "signal", "SIGNAL", help="the signal to send, TERM if not given"),
        Option("v", "verbose", help="say when a signal is sent"),
    ),
    manual="""
    DURATION is a number of seconds, or of minutes (m), hours (h) or days (d); 0 means no limit. Status 124 if the time
    was over, 125 if timeout itself failed, 127 if there is no such command, else the command's.
    """,
    permute=False,
    status=_OWN_FAILURE,
)
