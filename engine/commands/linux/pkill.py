"""pkill of procps-ng 4.0.4: signals processes that it finds as pgrep does. Texts compared with procps-ng 4.0.2."""

from __future__ import annotations

from dataclasses import replace

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import tasks
from engine.commands.linux._support.process_match import OPTIONS, matching
from engine.commands.linux._support.program import PROCPS, program
from engine.commands.linux._support.signals import signal_number
from engine.commands.options import Option, Parsed

_TERMINATE = 15
_LARGEST = 64


def run(ctx: Context, parsed: Parsed) -> int:
    """Send the signal. Status 1 if nothing matched, or nothing could be signalled."""
    found = matching(ctx, parsed)
    if isinstance(found, int):
        return found
    signal = signal_number(parsed["signal"]) if "signal" in parsed else _TERMINATE
    reached = 0
    for process in found:
        refusal = "Invalid argument" if signal is None or signal > _LARGEST else tasks.send(ctx, process, signal)
        if refusal is None:
            reached += 1
            if "echo" in parsed:
                ctx.line(f"{tasks.name(process)} killed (pid {process.pid})")
        elif refusal != "No such process":
            ctx.error(f"pkill: killing pid {process.pid} failed: {refusal}")
    if "count" in parsed:
        ctx.line(str(len(found)))
    return 0 if reached else 1


def _with_signal(ctx: Context) -> Context:
    """`-9`, `-KILL`: the first word that is a signal becomes --signal."""
    words = list(ctx.arguments)
    for place, word in enumerate(words):
        if word == "--":
            break
        if word.startswith("-") and len(word) > 1 and signal_number(word[1:]) is not None:
            words[place] = f"--signal={word[1:]}"
            break
    return replace(ctx, arguments=tuple(words))


def _taking_signals(command: Command) -> Command:
    return replace(command, run=lambda ctx: command.run(_with_signal(ctx)))


COMMAND = _taking_signals(
    program(
        "pkill",
        "signal processes by name and other marks",
        run,
        suite=PROCPS,
        status=2,
        synopsis="pkill [-SIGNAL] [OPTION]... [PATTERN]",
        options=(
            Option(None, "signal", "SIG", help="the signal to send, by name or number"),
            Option("e", "echo", help="say what was signalled"),
            Option("H", "require-handler", help="only processes that handle the signal"),
            *OPTIONS,
        ),
        manual="""
        Finds processes as pgrep does and sends them TERM, or the signal given. Run the same line with pgrep first: what
        matches a short pattern may be more than was meant.
        """,
    )
)
