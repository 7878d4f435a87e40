"""A question as other programs know it: what every format writes and reads.

Exhibits become fixed text, names are filled in, and the choices stand in the order in which they were shown. What a
format cannot carry is a `Loss`, and is told to whoever exports.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from exams.item_text import citation
from exams.rendered import Choice, Rendered

Kind = Literal["single", "multiple", "numeric", "matching"]


@dataclass(frozen=True, slots=True)
class Answer:
    """An option: its text, whether it is right, and what there is to say about it."""

    text: str
    right: bool
    because: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """`stem` and `exhibit` are what is asked; `told` is said afterwards, whatever was answered.

    single and multiple have `answers`; numeric has `number` and `tolerance` (decimal texts) in `unit`; matching has
    `pairs` of left and right, and `decoys`.
    """

    name: str
    kind: Kind
    stem: str
    exhibit: tuple[str, ...] = ()
    answers: tuple[Answer, ...] = ()
    number: str = ""
    tolerance: str = "0"
    unit: str = ""
    pairs: tuple[tuple[str, str], ...] = ()
    decoys: tuple[str, ...] = ()
    told: str = ""
    category: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Loss:
    """What becomes of an item in a format that cannot hold it as it is."""

    item: str
    what: str


@dataclass
class Converted:
    """Questions, and what was lost on the way."""

    questions: list[Question] = field(default_factory=list)
    losses: list[Loss] = field(default_factory=list)


def questions_of(items: Iterable[Rendered]) -> Converted:
    """The questions that items are. Hands-on labs are none; an order becomes a matching of places with steps, a line to
    point at a line's number.
    """
    made = Converted()
    for item in items:
        question = _question(item, made.losses)
        if question is not None:
            made.questions.append(question)
    return made


def _question(item: Rendered, losses: list[Loss]) -> Question | None:
    told = "\n".join(f"Source: {citation(source)}" for source in item.sources)
    category = (item.domain, item.objective)
    if item.kind == "hands-on":
        losses.append(Loss(item.item, "left out: a hands-on lab needs the simulated cluster"))
        return None
    if item.kind in ("single", "multiple"):
        kind: Kind = "single" if item.kind == "single" else "multiple"
        answers = tuple(Answer(one.text, one.id in item.key, one.because) for one in item.choices)
        return Question(item.item, kind, item.stem, item.exhibit, answers, told=told, category=category)
    if item.kind == "ordering":
        losses.append(Loss(item.item, "an order to be found became a matching of places with steps"))
        steps = [item.choice(id) for id in item.key]
        pairs = tuple((f"Step {place}", step.text) for place, step in enumerate(steps, 1))
        explained = "\n".join([*_explained(steps), told])
        return Question(
            item.item, "matching", item.stem, item.exhibit, pairs=pairs, told=explained, category=category
        )  # fmt: skip
    if item.kind == "matching":
        rights = {one.id: one.text for one in item.rights}
        pairs = tuple((item.choice(left).text, rights[right]) for left, right in item.pairs)
        decoys = tuple(one.text for one in item.rights if one.id not in {right for _, right in item.pairs})
        explained = "\n".join([*_explained(item.choices), told])
        return Question(
            item.item, "matching", item.stem, item.exhibit, pairs=pairs, decoys=decoys, told=explained,
            category=category,
        )  # fmt: skip
    if item.kind == "point":
        return _pointed(item, told, losses)
    number, tolerance = _decimal(item.number), _decimal(item.tolerance)
    told = f"{item.because}\n{told}"
    return Question(
        item.item, "numeric", item.stem, item.exhibit, number=number, tolerance=tolerance, unit=item.unit, told=told,
        category=category,
    )  # fmt: skip


def _explained(choices: Sequence[Choice]) -> list[str]:
    return [f"{one.text}: {one.because}" for one in choices if one.because]


def _pointed(item: Rendered, told: str, losses: list[Loss]) -> Question:
    """A line to point at as the number of a line; where several are right, the first counts."""
    several = ", of which only the first counts" if len(item.lines) > 1 else ""
    losses.append(Loss(item.item, f"a line to point at became the number of a line{several}"))
    digits = len(str(len(item.exhibit)))
    numbered = tuple(f"{number:>{digits}}  {line}".rstrip() for number, line in enumerate(item.exhibit, 1))
    return Question(
        item.item, "numeric", f"{item.stem}\nGive the number of the line.", numbered, number=str(item.lines[0]),
        told=f"{item.because}\n{told}", category=(item.domain, item.objective),
    )  # fmt: skip


def _decimal(text: str) -> str:
    """A number as other programs read it: `155/3` becomes 51.666667."""
    if "/" not in text:
        return text
    above, below = text.split("/")
    return f"{int(above) / int(below):.6f}".rstrip("0").rstrip(".")
