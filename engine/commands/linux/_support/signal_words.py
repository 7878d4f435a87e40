"""`-9` and `-KILL` among the words of killall and fuser, and their list of signals (PSmisc 23.7)."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.signals import NAMES, signal_number
from engine.commands.options import UsageError


def take_signal(ctx: Context, letters: str) -> tuple[int | None, list[str]]:
    """The signal that a word of its own names, and the other words. `letters` begin options of the tool itself.

    Raises UsageError for a signal that there is none of.
    """
    signal: int | None = None
    rest: list[str] = []
    queue = list(ctx.arguments)
    while queue:
        word = queue.pop(0)
        if word == "--":
            return signal, [*rest, "--", *queue]
        if word.startswith("-") and len(word) > 1 and word[1] not in letters:
            signal = number(ctx, word[1:])
        else:
            rest.append(word)
    return signal, rest


def number(ctx: Context, text: str) -> int:
    """The signal of a name or number. Raises UsageError."""
    found = signal_number(text)
    if found is None:
        raise UsageError(f"{text}: unknown signal; {ctx.name} -l lists signals.\n")
    return found


def list_signals(ctx: Context) -> int:
    """Print their names."""
    ctx.line(" ".join(NAMES[:16]) + "\n" + " ".join(NAMES[16:]))
    return 0
