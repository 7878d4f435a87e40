"""A bank file of our own from questions that other programs wrote.

Ours wants more than they hold: an objective, an explanation for every answer, a source. What is not there is filled in
and says so, for the author to write.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date
from fractions import Fraction
from typing import Any

import yaml

from engine.kernel.errors import BreakfixError
from engine.kernel.names import quoted, unknown
from exams.blueprint import Blueprint
from exams.exchange.question import Loss, Question

UNSAID = "To be written: why this is so."
"""Stands where an explanation is missing."""

_FEWEST, _MOST = {"single": 3, "multiple": 4, "matching": 3}, {"single": 6, "multiple": 8, "matching": 8}


def bank_text(
    questions: Sequence[Question],
    blueprint: Blueprint,
    topic: str,
    objective: str | None,
    origin: str,
    today: date,
    new_uuid: Callable[[], str],
) -> tuple[str, list[Loss]]:
    """The text of a bank file, and the questions that cannot be items.

    `objective` is for questions whose category names none of the blueprint's; `origin` is where they come from. Raises
    BreakfixError where a question has no objective.
    """
    objectives = {one.id: domain.id for domain in blueprint.domains for one in domain.objectives}
    if objective is not None and objective not in objectives:
        raise BreakfixError(unknown(f"objective of {blueprint.code}", objective, objectives))
    items, losses, ids = [], [], set[str]()
    for question in questions:
        if why := _unfit(question):
            losses.append(Loss(question.name, f"left out: {why}"))
            continue
        found = next((part for part in reversed(question.category) if part in objectives), objective)
        if found is None:
            raise BreakfixError(
                f"{quoted(question.name)} names no objective of {blueprint.code}", "Give one with --objective."
            )
        head = {
            "id": _id(question.name, ids), "uuid": new_uuid(), "domain": objectives[found], "objective": found,
            "difficulty": 3, "kind": question.kind, "stem": _literal(question.stem),
        }  # fmt: skip
        source = {"title": origin, "locator": question.name[:300], "checked": today}
        items.append({**head, **_exhibit(question), **_body(question), "sources": [source]})
    data = {
        "format": 1, "blueprint": blueprint.id, "topic": topic, "title": f"Imported from {origin}",
        "authors": ["your name"], "licence": "to be written", "items": items,
    }  # fmt: skip
    if not items:
        raise BreakfixError(f"{origin} has no question that can be an item")
    return str(yaml.dump(data, Dumper=_Plain, sort_keys=False, allow_unicode=True, width=120)), losses


class _Plain(yaml.SafeDumper):
    """Writes what stands twice twice: bank files have no anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _unfit(question: Question) -> str:
    """Why a question cannot be an item; empty for one that can."""
    count = len(question.pairs) if question.kind == "matching" else len(question.answers)
    if question.kind != "numeric" and not _FEWEST[question.kind] <= count <= _MOST[question.kind]:
        return f"it has {count} choices; a {question.kind} item has {_FEWEST[question.kind]} to {_MOST[question.kind]}"
    right = sum(one.right for one in question.answers)
    if question.kind == "single" and right != 1:
        return f"{right} of its answers are right"
    if question.kind == "multiple" and not 2 <= right < count:
        return f"{right} of its {count} answers are right; at least two must be, and not all"
    return ""


def _exhibit(question: Question) -> dict[str, Any]:
    return {"exhibit": {"text": "\n".join(question.exhibit) + "\n"}} if question.exhibit else {}


def _body(question: Question) -> dict[str, Any]:
    if question.kind == "numeric":
        body = {"value": _number(question.number), "tolerance": _number(question.tolerance), "unit": question.unit}
        return {**body, "because": _literal(question.told) or UNSAID}
    if question.kind == "matching":
        pairs = [
            {"id": f"pair-{place}", "left": _literal(left), "right": _literal(right), "because": UNSAID}
            for place, (left, right) in enumerate(question.pairs, 1)
        ]
        return {"pairs": pairs, "decoys": [_literal(text) for text in question.decoys]}
    options = [
        {
            "id": f"option-{place}",
            "text": _literal(one.text),
            "right": one.right,
            "because": _literal(one.because) or UNSAID,
        }
        for place, one in enumerate(question.answers, 1)
    ]
    return {"options": options}


def _literal(text: str) -> str:
    """A text in which braces mean themselves."""
    return re.sub(r"\{([^{}]*)\}", r"{{\1}}", text)


def _number(text: str) -> int | float:
    value = Fraction(text)
    return int(value) if value.denominator == 1 else float(value)


def _id(name: str, taken: set[str]) -> str:
    """An id made of a name, which no other item of the file has."""
    words = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:50].strip("-")
    base = words if words[:1].isalpha() else f"question-{words}".strip("-")
    found, number = base, 2
    while found in taken:
        found, number = f"{base}-{number}", number + 1
    taken.add(found)
    return found
