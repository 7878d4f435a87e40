"""Answers as people write them: `B`, `A C`, `B,A,D,C` for an order, `1C 2A` for pairs, `51.6 GB/s`, a line's number.

Letters and numbers are those on the screen or on paper at this seed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from engine.kernel.names import quoted
from exams.answers import (
    Answer,
    AnswerError,
    Chosen,
    Matched,
    Number,
    Ordered,
    Pointed,
    Worked,
    answer_data,
    answer_from,
)
from exams.quantities import exact, number_text
from exams.rendered import LETTERS, Choice, Rendered, letter

NOTHING = ("", "-", "--")
"""What stands for no answer."""

_SEPARATORS = re.compile(r"[\s,;.>)(]+")
_PAIR = re.compile(r"(\d{1,2})[\s\-=:.>]*([A-Za-z])")


def read_answer(rendered: Rendered, text: str) -> Answer | None:
    """The answer that somebody wrote; None for nothing, or a dash. Raises AnswerError with a sentence."""
    written = text.strip()
    if written in NOTHING:
        return None
    return answer_from(rendered, _READ[rendered.kind](rendered, written))


def written_answer(rendered: Rendered, answer: Answer | None) -> str:
    """The answer as it is written; a dash for none. `read_answer` reads it again."""
    if isinstance(answer, Chosen):
        return " ".join(sorted(letter(rendered.choices, id) for id in answer.ids))
    if isinstance(answer, Ordered):
        return ",".join(letter(rendered.choices, id) for id in answer.ids)
    if isinstance(answer, Matched):
        numbers = {choice.id: number for number, choice in enumerate(rendered.choices, 1)}
        pairs = sorted((numbers[left], letter(rendered.rights, right)) for left, right in answer.pairs)
        return " ".join(f"{number}{right}" for number, right in pairs)
    if isinstance(answer, Number):
        return f"{number_text(exact(answer.number))} {answer.unit}".strip()
    return "-" if answer is None else str(answer_data(answer))


def told_answer(rendered: Rendered, answer: Answer | None) -> tuple[str, ...]:
    """The answer in words, one line for each part of it."""
    if answer is None:
        return ("not answered",)
    if isinstance(answer, Chosen):
        return tuple(one.text for one in rendered.choices if one.id in answer.ids)
    if isinstance(answer, Ordered):
        return tuple(f"{place}. {rendered.choice(id).text}" for place, id in enumerate(answer.ids, 1))
    if isinstance(answer, Matched):
        rights = dict(answer.pairs)
        texts = {choice.id: choice.text for choice in rendered.rights}
        return tuple(f"{one.text} - {texts.get(rights.get(one.id, ''), 'not matched')}" for one in rendered.choices)
    if isinstance(answer, Pointed):
        return (f"line {answer.line}: {rendered.exhibit[answer.line - 1].strip()}",)
    if isinstance(answer, Worked):
        return (f"{round(answer.share * 100)} % of the goals",)
    return (written_answer(rendered, answer),)


def _letters(rendered: Rendered, text: str) -> list[str]:
    """Ids by letters, with or without anything between them."""
    return [_by_letter(rendered.choices, one, text) for one in _SEPARATORS.sub("", text)]


def _by_letter(choices: tuple[Choice, ...], typed: str, text: str) -> str:
    place = LETTERS.find(typed.upper())
    if not 0 <= place < len(choices):
        last = LETTERS[len(choices) - 1]
        raise AnswerError(f"{quoted(text)} is no answer here; write letters from A to {last}")
    return choices[place].id


def _pairs(rendered: Rendered, text: str) -> dict[str, str]:
    found = _PAIR.findall(text)
    if not found or _SEPARATORS.sub("", _PAIR.sub("", text)):
        raise AnswerError(f"{quoted(text)} is no answer here; write pairs such as 1C 2A")
    pairs: dict[str, str] = {}
    for number, typed in found:
        if not 1 <= int(number) <= len(rendered.choices):
            raise AnswerError(f"there is no {number} on the left; write numbers from 1 to {len(rendered.choices)}")
        left = rendered.choices[int(number) - 1].id
        if left in pairs:
            raise AnswerError(f"{number} is matched twice")
        pairs[left] = _by_letter(rendered.rights, typed, text)
    return pairs


def _line(rendered: Rendered, text: str) -> int:
    number = text.casefold().removeprefix("line").strip()
    if not (number.isascii() and number.isdigit() and len(number) < 9):
        raise AnswerError(f"{quoted(text)} is no line; write its number, such as 12")
    return int(number)


def _share(rendered: Rendered, text: str) -> str:
    if text.endswith("%"):
        try:
            return str(exact(text[:-1].strip()) / 100)
        except ValueError:
            return text
    return text


def _as_it_is(rendered: Rendered, text: str) -> str:
    return text


_READ: Mapping[str, Callable[[Rendered, str], Any]] = {
    "single": _letters,
    "multiple": _letters,
    "ordering": _letters,
    "matching": _pairs,
    "numeric": _as_it_is,
    "point": _line,
    "hands-on": _share,
}
