"""The formats by their names: what writes them, what reads them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from exams.exchange.question import Loss, Question

Written = tuple[bytes, list[Loss]]


@dataclass(frozen=True, slots=True)
class Format:
    """A format: its title, the module that knows it, and whether it can be read too."""

    title: str
    module: str
    readable: bool = True

    def write(self, questions: Sequence[Question], title: str) -> Written:
        """The questions as a file, and what was lost."""
        return _WRITERS.get(self.module, _as_text)(self.module, questions, title)

    def read(self, text: str, name: str) -> list[Question]:
        """The questions in a file that its author calls `name`. Raises BreakfixError as file:line."""
        read: Callable[[str, str], list[Question]] = _module(self.module).read
        return read(text, name)


FORMATS = {
    "gift": Format("Moodle's GIFT: text, with explanations", "gift"),
    "aiken": Format("Aiken: text, one right answer of several, and nothing else", "aiken"),
    "moodle": Format("Moodle XML", "moodle"),
    "csv": Format("a table for spreadsheets", "table"),
    "anki": Format("a deck of cards for Anki (.apkg)", "anki", readable=False),
}


def _module(name: str) -> Any:
    return importlib.import_module(f"exams.exchange.{name}")


def _as_text(module: str, questions: Sequence[Question], title: str) -> Written:
    text: str = _module(module).write(questions)
    return text.encode(), []


def _as_aiken(module: str, questions: Sequence[Question], title: str) -> Written:
    from exams.exchange import aiken

    text, losses = aiken.write(questions)
    return text.encode(), losses


def _as_deck(module: str, questions: Sequence[Question], title: str) -> Written:
    from exams.exchange import anki

    return anki.write(questions, title), []


_WRITERS: dict[str, Callable[[str, Sequence[Question], str], Written]] = {"aiken": _as_aiken, "anki": _as_deck}
