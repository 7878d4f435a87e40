"""The learner's moves as a script writes them: shell lines, and lines that start with `:` and a letter.

:diagnose component=dgx-02/gpu5 cause=gpu.fell_off_bus
:pin TEXT    :note TEXT    :hint    :answer QUESTION TEXT    :hands ACTION target=ID    :wait 10m
:escalate TEXT    :submit
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from engine.kernel.errors import BreakfixError
from engine.kernel.names import alternatives, quoted, unknown
from scenarios.templates import time_offset


class MoveError(BreakfixError):
    """A move that cannot be read or made; nothing has happened."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line for the shell."""

    text: str


@dataclass(frozen=True, slots=True)
class Diagnose:
    """What is wrong, and where."""

    component: str
    cause: str


@dataclass(frozen=True, slots=True)
class Pin:
    """Keep a line of the screen as evidence."""

    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """A note for the ticket."""

    text: str


@dataclass(frozen=True, slots=True)
class Escalate:
    """Hand the case to the vendor: what is known, and where the bundle lies."""

    text: str


@dataclass(frozen=True, slots=True)
class Hint:
    """Ask for the next hint."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer a lab's question."""

    question: str
    text: str


@dataclass(frozen=True, slots=True)
class Hands:
    """Order work in the machine room."""

    action: str
    target: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Let time pass (ns)."""

    duration: int


@dataclass(frozen=True, slots=True)
class Submit:
    """Hand in."""


Move = Line | Diagnose | Pin | Note | Escalate | Hint | Answer | Hands | Wait | Submit


def parse_move(text: str) -> Move:
    """The move that a line of a script is. Raises MoveError."""
    if not (text.startswith(":") and text[1:2].isalpha()):
        return Line(text)
    word, _, rest = text[1:].partition(" ")
    if word not in _MOVES:
        raise MoveError(unknown("move", f":{word}", [f":{name}" for name in _MOVES]))
    return _MOVES[word](rest.strip())


def script_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a script that are not empty, with their numbers."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            yield number, line.rstrip()


def _diagnose(text: str) -> Move:
    _, options = _options(text, "diagnose", ("component", "cause"), words=0)
    return Diagnose(options["component"], options["cause"])


def _hands(text: str) -> Move:
    words, options = _options(text, "hands", ("target",), words=1)
    return Hands(words[0], options["target"])


def _wait(text: str) -> Move:
    try:
        time = time_offset(text)
    except BreakfixError as error:
        raise MoveError(f"{error.message}; write :wait 10m") from None
    if time < 0:
        raise MoveError("time does not go back; write :wait 10m")
    return Wait(time)


def _answer(text: str) -> Move:
    question, _, answer = text.partition(" ")
    return Answer(_some(question, "answer", "QUESTION TEXT"), _some(answer.strip(), "answer", "QUESTION TEXT"))


def _bare(move: Callable[[], Move], word: str) -> Callable[[str], Move]:
    def read(text: str) -> Move:
        if text:
            raise MoveError(f":{word} takes nothing, found {quoted(text)}")
        return move()

    return read


def _some(text: str, word: str, form: str) -> str:
    if not text:
        raise MoveError(f":{word} needs more; write :{word} {form}")
    return text


_MOVES: Mapping[str, Callable[[str], Move]] = {
    "diagnose": _diagnose,
    "pin": lambda text: Pin(_some(text, "pin", "TEXT")),
    "note": lambda text: Note(_some(text, "note", "TEXT")),
    "escalate": lambda text: Escalate(_some(text, "escalate", "TEXT")),
    "hint": _bare(Hint, "hint"),
    "answer": _answer,
    "hands": _hands,
    "wait": _wait,
    "submit": _bare(Submit, "submit"),
}
MOVE_WORDS = tuple(_MOVES)


def _options(text: str, word: str, keys: tuple[str, ...], words: int) -> tuple[list[str], dict[str, str]]:
    """Plain words and `key=value` pairs, all of them required."""
    plain, options = [], {}
    for part in text.split():
        key, sign, value = part.partition("=")
        if not sign:
            plain.append(part)
        elif key in keys:
            options[key] = value
        else:
            raise MoveError(f":{word} takes {alternatives(f'{name}=...' for name in keys)}, found {quoted(part)}")
    if len(plain) != words or set(options) != set(keys) or not all(options.values()):
        form = " ".join(["ACTION"] * words + [f"{key}=..." for key in keys])
        raise MoveError(f":{word} cannot be read; write :{word} {form}")
    return plain, options
