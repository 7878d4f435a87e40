"""What can be typed at an item, in plain mode: a few words, and whatever is an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.kernel.errors import BreakfixError
from exams.rendered import LETTERS, Rendered

EXAM_WORDS = {
    "next": "next",
    "n": "next",
    "previous": "previous",
    "prev": "previous",
    "p": "previous",
    "go": "go",
    "flag": "flag",
    "f": "flag",
    "note": "note",
    "clear": "clear",
    "list": "list",
    "time": "time",
    "again": "again",
    "lab": "lab",
    "submit": "submit",
    "help": "help",
    "?": "help",
    "quit": "quit",
    "q": "quit",
}
"""What each word does in an exam; whatever else is typed is an answer."""

STUDY_WORDS = {
    "next": "next",
    "n": "next",
    "skip": "next",
    "show": "show",
    "flag": "flag",
    "f": "flag",
    "note": "note",
    "again": "again",
    "help": "help",
    "?": "help",
    "quit": "quit",
    "q": "quit",
}
"""What each word does in a study session."""

WITH_MORE = ("go", "note")
"""Words that something follows."""

EXAM_HELP = """Type an answer, or one of these words:
  n, p         the next item, the previous one; `go 12` is item 12
  f, flag      flag the item, or take the flag away
  note TEXT    a note of your own; `note` alone takes it away
  clear        take the answer away; Enter alone tells the item again
  list         what is answered, what is flagged
  time         how much time is left
  lab          at a hands-on item: open its shell
  submit       hand in (you are asked once more)
  q, Ctrl-D    leave; everything is kept, `breakfix exam --resume` goes on"""

STUDY_HELP = """Type an answer, or one of these words:
  show         show the answer; it counts as not known
  n, skip      another item; this one does not count
  f, flag      flag the item, or take the flag away
  note TEXT    a note of your own; `note` alone takes it away
  q, Ctrl-D    leave; everything is kept, `breakfix study --resume` goes on
Enter alone tells the item again, or goes on once it is explained."""

_HOW = {
    "single": "the letter, such as B",
    "multiple": "all letters together, such as A C",
    "ordering": "all letters in their order, such as B A D C",
    "matching": "pairs of a number and a letter, such as 1C 2A",
    "numeric": "the number, with or without its unit",
    "point": "the number of the line, such as 12",
    "hands-on": "`lab` opens the shell; `:submit` there comes back",
}


@dataclass(frozen=True, slots=True)
class Typed:
    """What was typed: a word with what follows it, or an answer (`word` is empty)."""

    word: str
    rest: str


def read_typed(item: Rendered, text: str, words: Mapping[str, str]) -> Typed:
    """What a line means at an item. Raises BreakfixError where it may mean two things."""
    first, _, rest = text.strip().partition(" ")
    word = words.get(first.casefold(), "") if first else "again"
    if rest and word not in WITH_MORE:
        return Typed("", text.strip())
    if word == "flag" and len(first) == 1 and _has_option_f(item):
        if first == "F":
            return Typed("", first)
        raise BreakfixError("f may be the option or the flag here: write F for the option, `flag` for the flag.")
    return Typed(word, rest.strip() if word else text.strip())


def _has_option_f(item: Rendered) -> bool:
    return item.kind in ("single", "multiple") and len(item.choices) > LETTERS.index("F")


def how_to_answer(item: Rendered) -> str:
    """How the answer to such an item is written."""
    return _HOW[item.kind]
