"""Files of answers, for marking without a screen (`breakfix exam NCA-AIIO --seed 5 --answers FILE`).

Text: one line an item, its number in the exam and the answer as people write it (`3 B`); `#` begins a comment. JSON:
a mapping of item ids to answers as data (docs/exams.md). What is left out is not answered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from engine.kernel.documents import DocumentError, Location, Problem
from engine.kernel.names import unknown
from exams.answer_text import read_answer
from exams.answers import Answer, AnswerError, answer_from
from exams.rendered import Rendered

Answers = list[Answer | None]

_LINE = re.compile(r"(?P<number>\d{1,4})[.):]?(?:\s+(?P<answer>.*))?")


def read_answers(text: str, name: str, items: Sequence[Rendered]) -> Answers:
    """The answers in a file that its author calls `name`, one for each item. Raises DocumentError."""
    return _read_json(text, name, items) if text.lstrip().startswith("{") else _read_lines(text, name, items)


def _read_lines(text: str, name: str, items: Sequence[Rendered]) -> Answers:
    answers: Answers = [None] * len(items)
    problems: list[Problem] = []
    given: set[int] = set()
    for line_number, line in enumerate(text.splitlines(), 1):
        written = line.partition("#")[0].strip()
        if not written:
            continue
        try:
            number, answer = _read_line(written, items)
            if number in given:
                raise AnswerError(f"item {number} is answered twice")
            given.add(number)
            answers[number - 1] = answer
        except AnswerError as error:
            problems.append(Problem(Location(name, line_number), error.message))
    if problems:
        raise DocumentError(problems)
    return answers


def _read_line(written: str, items: Sequence[Rendered]) -> tuple[int, Answer | None]:
    found = _LINE.fullmatch(written)
    if found is None:
        raise AnswerError("write the number of the item and the answer, such as 3 B")
    number = int(found["number"])
    if not 1 <= number <= len(items):
        raise AnswerError(f"there is no item {number}; the exam has {len(items)}")
    try:
        return number, read_answer(items[number - 1], found["answer"] or "")
    except AnswerError as error:
        raise AnswerError(f"item {number} ({items[number - 1].kind}): {error.message}") from None


def _read_json(text: str, name: str, items: Sequence[Rendered]) -> Answers:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", 1)
        raise DocumentError([Problem(Location(name, line), "this is not JSON; check commas and quotes")]) from None
    by_id = {item.item: number for number, item in enumerate(items)}
    answers: Answers = [None] * len(items)
    problems = []
    for id, given in data.items():
        try:
            if id not in by_id:
                raise AnswerError(unknown("item", id, by_id))
            answers[by_id[id]] = answer_from(items[by_id[id]], given)
        except AnswerError as error:
            problems.append(Problem(Location(name, _line_of(text, id)), f"{id}: {error.message}"))
    if problems:
        raise DocumentError(problems)
    return answers


def _line_of(text: str, key: str) -> int:
    """The line on which a key of the mapping stands."""
    place = text.find(json.dumps(key))
    return text.count("\n", 0, max(place, 0)) + 1
