"""killall of PSmisc 23.7: signals processes by name. Texts compared with PSmisc 23.6."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import signal_words, tasks
from engine.commands.linux._support.patterns import PatternError, compile_pattern
from engine.commands.linux._support.program import PSMISC, program
from engine.commands.linux._support.usage import usage_error
from engine.commands.options import Option, Parsed, UsageError
from engine.world.records import Process

Test = Callable[[Process], bool]
_TERMINATE = 15
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800, "M": 2_628_000, "y": 31_536_000}


async def run(ctx: Context, parsed: Parsed) -> int:
    """Signal every process of each name. Status 1 if a name had none that could be signalled."""
    for key in ("ns", "context", "process-group"):
        if key in parsed:
            return ctx.not_modelled(f"killall --{key}")
    if "list" in parsed:
        return signal_words.list_signals(ctx)
    signal = signal_words.number(ctx, parsed["signal"]) if "signal" in parsed else _TERMINATE
    limits = _limits(ctx, parsed)
    if not parsed.operands and "user" not in parsed:
        raise usage_error(ctx)
    status = 0
    for name in parsed.operands or [""]:
        test = _named(parsed, name)
        found = [each for each in tasks.tasks(ctx) if test(each) and all(limit(each) for limit in limits)]
        reached = [await _signal(ctx, parsed, each, signal) for each in found]
        if not any(reached):
            status = 1
            if "quiet" not in parsed and name:
                ctx.error(f"{name}: no process found")
    return status


def _named(parsed: Parsed, name: str) -> Test:
    if not name:
        return lambda each: True
    if "regexp" in parsed:
        try:
            pattern = compile_pattern(name, "ignore-case" in parsed)
        except PatternError:
            raise UsageError(f"killall: Bad regular expression: {name}\n") from None
        return lambda each: bool(pattern.search(tasks.name(each)))
    plain = str.lower if "ignore-case" in parsed else str
    return lambda each: plain(name) in (plain(_whole_name(each)), plain(each.command.partition(" ")[0]))


def _whole_name(process: Process) -> str:
    """The kernel's name; of a longer one the program's, which killall finds in the command line."""
    name = tasks.name(process)
    return tasks.program(process) if len(name) == tasks.LONGEST_NAME and process.parent != 2 else name


def _limits(ctx: Context, parsed: Parsed) -> list[Test]:
    tests: list[Test] = []
    if "user" in parsed:
        wanted = tasks.user_number(ctx, parsed["user"])
        if wanted is None or parsed["user"].isdigit():
            raise UsageError(f"Cannot find user {parsed['user']}\n")
        tests.append(lambda each: tasks.uid(ctx, each) == wanted)
    if "younger-than" in parsed:
        most = _age(parsed["younger-than"])
        tests.append(lambda each: tasks.age(ctx, each) <= most)
    if "older-than" in parsed:
        least = _age(parsed["older-than"])
        tests.append(lambda each: tasks.age(ctx, each) >= least)
    return tests


def _age(text: str) -> int:
    match = re.fullmatch(r"(\d+)(?:\.\d*)?([smhdwMy])", text)
    if not match:
        raise UsageError("killall: Invalid time format\n")
    return int(match[1]) * _UNITS[match[2]]


async def _signal(ctx: Context, parsed: Parsed, process: Process, signal: int) -> bool:
    shown = f"{tasks.name(process)}({process.pid})"
    if "interactive" in parsed and not await _agreed(ctx, shown, signal):
        return True
    refusal = tasks.send(ctx, process, signal)
    if refusal:
        ctx.error(f"{shown}: {refusal}")
    elif "verbose" in parsed:
        ctx.error(f"Killed {shown} with signal {signal}")
    return refusal is None


async def _agreed(ctx: Context, shown: str, signal: int) -> bool:
    prompt = f"{'Kill' if signal == _TERMINATE else f'Signal {signal}'} {shown} ? (y/N) "
    answer = await ctx.terminal.ask(prompt) if ctx.terminal else None
    return (answer or "").lower().startswith("y")


_OPTIONS = (
    Option("e", "exact", help="very long names must match as a whole"),
    Option("I", "ignore-case", help="capitals are the same as small letters"),
    Option("g", "process-group", help="whole process groups"),
    Option("y", "younger-than", "TIME", help="only what is younger than TIME"),
    Option("o", "older-than", "TIME", help="only what is older than TIME"),
    Option("i", "interactive", help="ask before each"),
    Option("l", "list", help="list the names of signals"),
    Option("q", "quiet", help="do not complain if there is none"),
    Option("r", "regexp", help="NAME is a regular expression"),
    Option("s", "signal", "SIGNAL", help="send SIGNAL, not TERM"),
    Option("u", "user", "USER", help="only processes of USER"),
    Option("v", "verbose", help="say what was signalled"),
    Option("w", "wait", help="wait until they have ended"),
    Option("n", "ns", "PID", help="only in the namespaces of PID"),
    Option("Z", "context", "REGEXP", help="only with a security context"),
)
_LETTERS = "-" + "".join(option.short or "" for option in _OPTIONS) + "V"


def _with_signal(ctx: Context) -> Context:
    signal, words = signal_words.take_signal(ctx, _LETTERS)
    return ctx if signal is None else replace(ctx, arguments=(f"--signal={signal}", *words))


def _taking_signals(command: Command) -> Command:
    return replace(command, run=lambda ctx: command.run(_with_signal(ctx)))


COMMAND = _taking_signals(
    program(
        "killall",
        "signal processes by name",
        run,
        suite=PSMISC,
        synopsis="killall [OPTION]... [-SIGNAL] NAME...",
        options=_OPTIONS,
        manual="""
        Sends TERM, or the signal given, to every process whose name is NAME. TIME is a number with s, m, h, d, w, M
        or y. Status 0 if each NAME had at least one process that was signalled.
        """,
    )
)
