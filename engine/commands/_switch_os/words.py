"""Finding the command that a line means, as command lines of the Cisco kind do: words may be cut short as long as they
stay unambiguous, and `?` lists what may follow.

Texts of refusals: MLNX-OS (`% Unrecognized command "...".`, `% Type "?" for help.`), as in its manual.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

STANDARD, ENABLE, CONFIG = range(3)
"""Modes; each one has the commands of those before it."""

Act = Callable[[Any, list[str]], Awaitable[None] | None]


@dataclass(frozen=True, slots=True)
class Entry:
    """A command: its words, of which `<...>` stands for a value and `[...]` for one that may be left out, the mode from
    which on it is there, and what it does with its values.
    """

    words: str
    act: Act
    help: str
    mode: int = STANDARD

    @property
    def pattern(self) -> list[str]:
        """The words one by one."""
        return self.words.split()


class Unclear(Exception):
    """Why a line means no command; the lines to print."""


def find(entries: Sequence[Entry], mode: int, line: str) -> tuple[Entry, list[str]]:
    """The command of a line, and its values. Raises Unclear."""
    typed = line.split()
    fitting = [(entry, values) for entry in entries if entry.mode <= mode
               if (values := _values(entry.pattern, typed)) is not None]  # fmt: skip
    if not fitting:
        known = _following(entries, mode, typed)
        reason = "Incomplete command" if known else "Unrecognized command"
        raise Unclear(f'% {reason} "{typed[-1] if reason[0] == "U" else line.strip()}".\n% Type "?" for help.')
    fewest = min(len(values) for _, values in fitting)
    plain = [pair for pair in fitting if len(pair[1]) == fewest]
    chosen = [pair for pair in plain if _exact(pair[0].pattern, typed)] or plain
    if len({entry.words for entry, _ in chosen}) > 1:
        raise Unclear(
            f'% Ambiguous command "{line.strip()}".\n% Type "{line.strip()}?" for a list of possible completions.'
        )
    return chosen[0]


def follow(entries: Sequence[Entry], mode: int, line: str) -> list[tuple[str, str]]:
    """What may stand next (`?`): words and what they do. A last word without a blank after it is completed."""
    typed = line.split()
    part = typed.pop() if typed and not line.endswith(" ") else ""
    found = _following(entries, mode, typed)
    return [(word, text) for word, text in found.items() if word.startswith(part) or word.startswith("<")]


def _following(entries: Sequence[Entry], mode: int, typed: Sequence[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in entries:
        pattern = entry.pattern
        if entry.mode > mode or len(pattern) < len(typed) or not _begins(pattern, typed):
            continue
        word = pattern[len(typed)].strip("[]") if len(pattern) > len(typed) else "<cr>"
        found.setdefault(word, entry.help)
    return dict(sorted(found.items()))


def _begins(pattern: Sequence[str], typed: Sequence[str]) -> bool:
    return all(_is_value(word) or word.startswith(given) for word, given in zip(pattern, typed, strict=False))


def _values(pattern: Sequence[str], typed: Sequence[str]) -> list[str] | None:
    least = sum(not word.startswith("[") for word in pattern)
    if not least <= len(typed) <= len(pattern) or not _begins(pattern, typed):
        return None
    return [given for word, given in zip(pattern, typed, strict=False) if _is_value(word)]


def _exact(pattern: Sequence[str], typed: Sequence[str]) -> bool:
    return all(_is_value(word) or word == given for word, given in zip(pattern, typed, strict=False))


def _is_value(word: str) -> bool:
    return word.startswith(("<", "[<"))
