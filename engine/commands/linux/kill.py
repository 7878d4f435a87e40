"""kill: bash's builtin (5.2), and with sudo the program of procps-ng 4.0.4. Compared with bash 5.2 and procps 4.0.2.

The login shell hands over what is no job of its own. Process groups (negative ids) are not modelled.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support.signals import NAMES, signal_name, signal_number
from engine.commands.linux._support.usage import try_help
from engine.commands.options import Option, UsageError
from engine.control.processes import Kill

_USAGE = "kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]"
_FIRST_REALTIME, _LAST_REALTIME, _MIDDLE = 34, 64, 49
_LARGEST_PID = 2**31 - 1
_SIGNALLED = 128
_TERMINATE = 15


def run(ctx: Context) -> int:
    """Send a signal, or list signals."""
    if ctx.arguments[:1] == ("--help",):
        ctx.write(_HELP)
        return 0
    if _is_program(ctx):
        return _program(ctx)
    words = _read(ctx)
    if words.listing:
        return _list(ctx, words.targets)
    if words.signal is None:
        return _complain(ctx, f"{words.named}: invalid signal specification")
    if not words.targets:
        raise UsageError(f"kill: usage: {_USAGE}\n", 2)
    sent = [_send(ctx, target, words.signal) for target in words.targets]
    return max(sent) if 125 in sent else 0 if 0 in sent else 1


@dataclass(slots=True)
class _Words:
    """What a command line asks for."""

    signal: int | None = _TERMINATE
    named: str = ""
    listing: bool = False
    targets: list[str] = field(default_factory=list)


def _read(ctx: Context) -> _Words:
    """bash's own way to read the options: builtins/kill.def."""
    words, queue, chosen = _Words(), list(ctx.arguments), False
    while queue:
        word = queue[0]
        if word in ("-l", "-L"):
            words.listing = True
        elif word in ("-s", "-n"):
            if len(queue) < 2:
                raise UsageError(f"{_bash(ctx)}kill: {word}: option requires an argument\n", 1)
            queue.pop(0)
            words.named = queue[0]
            words.signal = _number(words.named)
        elif word == "--":
            queue.pop(0)
            break
        elif word == "-?":
            raise UsageError(f"kill: usage: {_USAGE}\n", 2)
        elif word.startswith("-") and not chosen and not words.listing:
            chosen = True
            attached = re.fullmatch(r"-(?:s(?=[A-Za-z])|n(?=\d))(.+)", word)
            words.named = attached[1] if attached and _number(attached[1]) is not None else word[1:]
            words.signal = _number(words.named)
        else:
            break
        queue.pop(0)
    words.targets = queue
    return words


def _number(text: str) -> int | None:
    """The number of a signal, the real-time ones among them."""
    match = re.fullmatch(r"(?:SIG)?RT(MIN|MAX)(?:[+-](\d+))?", text.upper())
    if match:
        steps = int(match[2] or 0)
        return _FIRST_REALTIME + steps if match[1] == "MIN" else _LAST_REALTIME - steps
    return signal_number(text)


def _name(number: int) -> str:
    if number < _FIRST_REALTIME:
        return {29: "IO"}.get(number) or signal_name(number)
    low, high = number - _FIRST_REALTIME, _LAST_REALTIME - number
    if number <= _MIDDLE:
        return "RTMIN" + (f"+{low}" if low else "")
    return "RTMAX" + (f"-{high}" if high else "")


def _known(number: int) -> bool:
    return 0 < number <= len(NAMES) or _FIRST_REALTIME <= number <= _LAST_REALTIME


def _list(ctx: Context, words: list[str]) -> int:
    if not words:
        numbers = [number for number in range(1, _LAST_REALTIME + 1) if _known(number)]
        cells = [f"{number:2d}) SIG{_name(number)}" for number in numbers]
        ctx.write("".join(cell + ("\n" if count % 5 == 0 else "\t") for count, cell in enumerate(cells, 1)) + "\n")
        return 0
    status = 0
    for word in words:
        number = _number(word)
        if word.isdigit():
            plain = int(word) - _SIGNALLED if int(word) > _SIGNALLED else int(word)
            number = plain if _known(plain) else None
        if number is None:
            status = _complain(ctx, f"{word}: invalid signal specification")
        else:
            ctx.line(_name(number) if word.isdigit() else str(number))
    return status


def _send(ctx: Context, target: str, signal: int) -> int:
    if re.fullmatch(r"-\d+", target):
        return ctx.not_modelled("signals to process groups")
    if target.startswith("%"):
        return _complain(ctx, f"{target}: no such job")
    if not target:
        return _complain(ctx, "`': not a pid or valid job spec")
    if not re.fullmatch(r"\+?\d+", target) or int(target) > _LARGEST_PID:
        return _complain(ctx, f"{target}: arguments must be process or job IDs")
    refusal = _kill(ctx, int(target), signal)
    return _complain(ctx, f"({int(target)}) - {refusal}") if refusal else 0


def _kill(ctx: Context, pid: int, signal: int) -> str | None:
    refusal: str | None = ctx.simulation.apply(Kill(ctx.host, pid, signal, ctx.identity.name))
    return refusal


def _bash(ctx: Context) -> str:
    """How the bash that this stands in for begins its complaints; its own function says which line it is in."""
    return f"bash: line {ctx.environment.get('__BASH_LINE', '1')}: "


def _complain(ctx: Context, text: str) -> int:
    ctx.error(f"{_bash(ctx)}kill: {text}")
    return 1


def _is_program(ctx: Context) -> bool:
    """Whether sudo runs us, which knows programs only."""
    return ctx.environment.get("SUDO_COMMAND", "").partition(" ")[0].rpartition("/")[2] == "kill"


def _program(ctx: Context) -> int:
    """procps' kill: the last option that names a signal counts."""
    signal = _TERMINATE
    targets: list[str] = []
    queue = list(ctx.arguments)
    while queue:
        word = queue.pop(0)
        if word in ("-l", "--list", "-L", "--table"):
            return _list_names(ctx, queue)
        if word in ("-s", "--signal") and queue:
            word = f"-{queue.pop(0)}"
        if word.startswith("-") and not targets and word != "--":
            number = signal_number(word[1:])
            if number is None:
                raise try_help(ctx, f"invalid argument {word[1:2]}")
            signal = number
        elif word != "--":
            targets.append(word)
    if not targets:
        raise UsageError(_HELP, 1)
    return _send_all(ctx, targets, signal)


def _list_names(ctx: Context, words: list[str]) -> int:
    if not words:
        ctx.line(" ".join(NAMES[:16]) + "\n" + " ".join(NAMES[16:]))
        return 0
    number = signal_number(words[0])
    if number is None:
        ctx.error(f"kill: unknown signal name {words[0]}")
        return 1
    ctx.line(signal_name(number) if words[0].isdigit() else str(number))
    return 0


def _send_all(ctx: Context, targets: list[str], signal: int) -> int:
    status = 0
    for target in targets:
        if not target.removeprefix("-").isdigit():
            ctx.error(f"kill: failed to parse argument: '{target}'")
            status = 1
        elif target.startswith("-"):
            status = ctx.not_modelled("signals to process groups")
        elif refusal := _kill(ctx, int(target), signal):
            ctx.error(f"kill: ({target}): {refusal}")
            status = 1
    return status


_OPTIONS = (
    Option("s", None, "SIGNAL", name="signal", help="the signal by its name; -KILL and -9 are the same"),
    Option("n", None, "NUMBER", name="number", help="the signal by its number"),
    Option("l", None, name="list", help="list the signals, or give name or number of those named"),
)
_HELP = f"""kill: {_USAGE}
    Sends a signal to processes and jobs, TERM if none is named.

      -s SIGNAL  the signal by its name; -KILL and -9 are the same
      -n NUMBER  the signal by its number
      -l         list the signals, or give name or number of those named
"""

COMMAND = Command(
    "kill",
    "send a signal to a process",
    run,
    _USAGE,
    _OPTIONS,
    "TERM asks a process to end, KILL ends it without asking, HUP makes many daemons read their configuration again,\n"
    "0 only asks whether the process is there. A process that waits in the kernel (state D) ends only when the kernel\n"
    "lets it go.",
    complete=lambda ctx, words: [f"-{name}" for name in NAMES],
)
