"""Permission bits as chmod reads them: octal, or clauses such as `u+rwX,go-w,a=r` (gnulib modechange)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_CLAUSE = re.compile(r"([ugoa]*)((?:[-+=](?:[rwxXst]*|[ugo]|[0-7]+))+)")
_STEP = re.compile(r"([-+=])([rwxXst]*[rwxXst]|[ugo]|[0-7]+|)")
_WHO = {"u": 0o4700, "g": 0o2070, "o": 0o1007, "a": 0o7777}
_BITS = {"r": 0o444, "w": 0o222, "x": 0o111, "s": 0o6000, "t": 0o1000}
_SPREAD = {"u": 6, "g": 3, "o": 0}

Change = Callable[[int, bool], int]
"""(bits now, is it a directory) -> bits."""


@dataclass(frozen=True, slots=True)
class _Step:
    who: int
    sign: str
    letters: str
    named: bool


def parse_mode(text: str, umask: int) -> Change | None:
    """What a mode asks for, or None if it is none. Without a `who`, the umask protects its bits."""
    if re.fullmatch(r"[0-7]{1,5}", text):
        return None if int(text, 8) > 0o7777 else _octal(text)
    steps: list[_Step] = []
    for clause in text.split(","):
        match = _CLAUSE.fullmatch(clause)
        if not match:
            return None
        who = 0
        for letter in match[1]:
            who |= _WHO[letter]
        steps += [_Step(who or 0o7777 & ~umask, sign, letters, bool(who)) for sign, letters in _STEP.findall(match[2])]
    return lambda bits, directory: _applied(steps, bits, directory)


def _octal(text: str) -> Change:
    wanted, kept = int(text, 8), 0o6000 if len(text) < 5 else 0
    return lambda bits, directory: wanted | (bits & kept & 0o6000 if directory else 0)


def _applied(steps: list[_Step], bits: int, directory: bool) -> int:
    for step in steps:
        value = _value(step, bits, directory) & step.who
        if step.sign == "+":
            bits |= value
        elif step.sign == "-":
            bits &= ~value
        else:
            cleared = step.who if step.named else step.who | 0o7000
            kept = bits & 0o6000 if directory and "s" not in step.letters else 0
            bits = bits & ~cleared | value | kept
    return bits


def _value(step: _Step, bits: int, directory: bool) -> int:
    if step.letters in _SPREAD:
        return (bits >> _SPREAD[step.letters] & 7) * 0o111
    if step.letters.isdigit():
        return int(step.letters, 8)
    value = 0
    for letter in step.letters:
        if letter == "X":
            value |= 0o111 if directory or bits & 0o111 else 0
        else:
            value |= _BITS[letter]
    return value


def rights(bits: int) -> str:
    """`0644 (rw-r--r--)`, as chmod -v speaks of a mode."""
    from engine.commands.linux._support.paths import mode_text
    from engine.hostfs.tree import FileKind, Stat

    return f"{bits:04o} ({mode_text(Stat(FileKind.FILE, bits, 0, 0, 0, 0))[1:]})"
