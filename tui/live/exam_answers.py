"""Answers as they grow under somebody's hands: from what was answered so far and one more touch to the next answer, as
the plain data of exams.answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from exams.attempt import Attempt
from exams.rendered import Rendered


def chosen(item: Rendered, data: Any, id: str) -> list[str]:
    """Options after one was pressed: of a single item it is the one, of a multiple one it joins or leaves the others.

    More than are asked for are given as they are; answering with them says that they are too many.
    """
    before = list(data or ())
    if item.kind == "single":
        return [id]
    return [one for one in before if one != id] if id in before else [*before, id]


def order(item: Rendered, data: Any) -> list[str]:
    """The steps as they stand: in the order given so far, or as they are shown."""
    return list(data) if data else [choice.id for choice in item.choices]


def moved(ids: Sequence[str], place: int, to: int) -> list[str]:
    """The order with the step at one place put to another."""
    to = min(max(to, 0), len(ids) - 1)
    rest = [id for number, id in enumerate(ids) if number != place]
    return [*rest[:to], ids[place], *rest[to:]]


def matched(data: Any, left: str, right: str | None) -> dict[str, str]:
    """Pairs after one on the left was given another on the right, or none."""
    pairs = {key: value for key, value in dict(data or {}).items() if key != left}
    return pairs if right is None else {**pairs, left: right}


def next_unmatched(item: Rendered, data: Mapping[str, str], place: int) -> int | None:
    """The next place on the left, after `place` and then from the top, that has no pair; None where all have."""
    count = len(item.choices)
    around = [(place + step) % count for step in range(1, count + 1)]
    return next((one for one in around if item.choices[one].id not in data), None)


HOW: Mapping[str, str] = {
    "single": "Press its letter, or use the arrows and Enter.",
    "multiple": "Press their letters, or use the arrows and Space.",
    "ordering": "Space takes a step, the arrows move it, Space puts it down.",
    "matching": "Press the letter of the one on the right.",
    "numeric": "Type it; Enter goes on.",
    "point": "Use the arrows and Enter, or click on the line.",
    "hands-on": "Enter opens the lab; hand it in there and you come back here.",
}
"""How each kind is answered on the screen."""


def how(item: Rendered) -> str:
    """What is to be done with an item, and with which keys."""
    return f"{item.ask} {HOW[item.kind]}"


def standing(attempt: Attempt) -> str:
    """How many items are answered, and how many of which something is missing: `12 answered, 2 in part`."""
    done = sum(attempt.is_complete(number) for number in range(len(attempt.items)))
    part = attempt.answered - done
    return f"{done} answered" + (f", {part} in part" if part else "")


def too_many(item: Rendered, data: Any) -> str | None:
    """What to say where more options are chosen than are asked for."""
    wanted = len(item.key)
    if item.kind != "multiple" or len(data or ()) <= wanted:
        return None
    return f"{wanted} are chosen already; take one of them back first."
