"""The paper of an exam as data, for `breakfix exam NAME --print --json`."""

from __future__ import annotations

from typing import Any

from exams.answer_text import written_answer
from exams.answers import answer_data, right_answer
from exams.paper import Paper
from exams.rendered import LETTERS, Choice, Rendered


def paper_data(paper: Paper, *, keys: bool) -> dict[str, Any]:
    """The paper; with `keys` each item has its right answer and what there is to say about it."""
    return {
        "exam": paper.blueprint,
        "code": paper.code,
        "title": paper.title,
        "seed": paper.seed,
        "limit_ms": paper.time,
        "notes": list(paper.shortfalls),
        "items": [_asked(item, number) | (_key(item) if keys else {}) for number, item in enumerate(paper.items, 1)],
    }


def _asked(item: Rendered, number: int) -> dict[str, Any]:
    return {
        "number": number,
        "id": item.item,
        "uuid": item.uuid,
        "kind": item.kind,
        "domain": item.domain,
        "objective": item.objective,
        "stem": item.stem,
        "exhibit": list(item.exhibit),
        "choices": _choices(item.choices, numbered=item.kind == "matching"),
        "rights": _choices(item.rights),
        "ask": item.ask,
    }


def _choices(choices: tuple[Choice, ...], *, numbered: bool = False) -> list[dict[str, str]]:
    return [
        {"mark": str(place + 1) if numbered else LETTERS[place], "id": one.id, "text": one.text}
        for place, one in enumerate(choices)
    ]


def _key(item: Rendered) -> dict[str, Any]:
    answer = right_answer(item)
    because = {one.id: one.because for one in item.choices if one.because}
    return {
        "answer": answer_data(answer),
        "written": written_answer(item, answer),
        "because": item.because or item.otherwise or because,
    }
