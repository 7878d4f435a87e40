"""Answers as data, one form for each kind of item. Not answered is None, and is a state of its own.

As plain data (in journals, and in JSON files of answers) an answer is written so:

    single, multiple    ["option-id", ...]          ordering    ["step-id", ...], all of them
    matching            {"left-id": "right-id"}     numeric     "51.6 GB/s"
    point               12                          hands-on    "3/4", the share of the goals
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from engine.kernel.errors import BreakfixError
from engine.kernel.names import unknown
from exams.quantities import exact, read_quantity, require_unit
from exams.rendered import Rendered


@dataclass(frozen=True, slots=True)
class Chosen:
    """Options that were chosen; their order means nothing, so they are sorted."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Ordered:
    """All steps, in the order given."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matched:
    """Pairs of a left and a right one, sorted; some may be missing."""

    pairs: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it was written, and its unit if one was."""

    number: str
    unit: str = ""

    @property
    def value(self) -> Fraction:
        """The number, exactly, in its own unit."""
        return exact(self.number)


@dataclass(frozen=True, slots=True)
class Pointed:
    """A line of the exhibit, counted from 1."""

    line: int


@dataclass(frozen=True, slots=True)
class Worked:
    """What came of a hands-on item: the share of its points, 0 to 1."""

    share: Fraction


Answer = Chosen | Ordered | Matched | Number | Pointed | Worked


class AnswerError(BreakfixError):
    """Something that is no answer to the item."""


def answer_from(rendered: Rendered, data: Any) -> Answer | None:
    """The answer that plain data stands for; nothing chosen is not answered. Raises AnswerError."""
    if data is None or data in ("", [], {}):
        return None
    try:
        return _FROM[rendered.kind](rendered, data)
    except AnswerError:
        raise
    except BreakfixError as error:
        raise AnswerError(error.message) from None


def answer_data(answer: Answer | None) -> Any:
    """The answer as plain data for JSON."""
    if isinstance(answer, Chosen | Ordered):
        return list(answer.ids)
    if isinstance(answer, Matched):
        return dict(answer.pairs)
    if isinstance(answer, Number):
        return f"{answer.number} {answer.unit}".strip()
    if isinstance(answer, Pointed):
        return answer.line
    return str(answer.share) if answer else None


def is_complete(rendered: Rendered, answer: Answer | None) -> bool:
    """Whether nothing is missing: as many options chosen as are asked for, every text matched."""
    if isinstance(answer, Chosen):
        return len(answer.ids) == len(rendered.key)
    if isinstance(answer, Matched):
        return len(answer.pairs) == len(rendered.choices)
    return answer is not None


def right_answer(rendered: Rendered) -> Answer:
    """The answer that gets every point; the first right line, where there are several."""
    kind = rendered.kind
    if kind == "matching":
        return Matched(rendered.pairs)
    if kind == "numeric":
        return Number(rendered.number, rendered.unit)
    if kind == "point":
        return Pointed(rendered.lines[0])
    if kind == "hands-on":
        return Worked(Fraction(1))
    return Ordered(rendered.key) if kind == "ordering" else Chosen(rendered.key)


def _chosen(rendered: Rendered, data: Any) -> Answer:
    ids = _ids(rendered, [data] if isinstance(data, str) else data)
    if len(ids) > len(rendered.key):
        raise AnswerError(f"{len(ids)} options are chosen; choose {len(rendered.key)}")
    return Chosen(tuple(sorted(ids)))


def _ordered(rendered: Rendered, data: Any) -> Answer:
    ids = _ids(rendered, data)
    if len(ids) != len(rendered.choices):
        raise AnswerError(f"{len(ids)} of {len(rendered.choices)} steps are put in order; give all of them")
    return Ordered(ids)


def _ids(rendered: Rendered, data: Any) -> tuple[str, ...]:
    if not isinstance(data, list | tuple) or not all(isinstance(one, str) for one in data):
        raise AnswerError("the answer is a list of ids")
    _require_known(data, [choice.id for choice in rendered.choices])
    if len(set(data)) != len(data):
        raise AnswerError("one of them is given twice")
    return tuple(data)


def _matched(rendered: Rendered, data: Any) -> Answer:
    if not isinstance(data, Mapping):
        raise AnswerError("the answer is a mapping of ids on the left to ids on the right")
    _require_known(data, [choice.id for choice in rendered.choices])
    _require_known(data.values(), [choice.id for choice in rendered.rights])
    return Matched(tuple(sorted(data.items())))


def _require_known(ids: Iterable[Any], known: list[str]) -> None:
    for id in ids:
        if id not in known:
            raise AnswerError(unknown("choice", str(id), known))


def _number(rendered: Rendered, data: Any) -> Answer:
    if isinstance(data, bool) or not isinstance(data, str | int | float):
        raise AnswerError("the answer is a number, with or without its unit")
    number, unit = read_quantity(str(data))
    require_unit(unit, rendered.unit)
    return Number(number, unit)


def _pointed(rendered: Rendered, data: Any) -> Answer:
    if isinstance(data, bool) or not isinstance(data, int):
        raise AnswerError("the answer is the number of a line")
    if not 1 <= data <= len(rendered.exhibit):
        raise AnswerError(f"the exhibit has no line {data}; it has {len(rendered.exhibit)}")
    if data in rendered.typed:
        raise AnswerError(f"line {data} was typed; point at a line of the output")
    return Pointed(data)


def _worked(rendered: Rendered, data: Any) -> Answer:
    try:
        share = exact(data) if isinstance(data, str | int | float) and not isinstance(data, bool) else Fraction(-1)
    except (ValueError, ZeroDivisionError):
        share = Fraction(-1)
    if not 0 <= share <= 1:
        raise AnswerError("the answer is the share of the goals that hold, from 0 to 1, such as 0.75 or 3/4")
    return Worked(share)


_FROM: Mapping[str, Callable[[Rendered, Any], Answer]] = {
    "single": _chosen,
    "multiple": _chosen,
    "ordering": _ordered,
    "matching": _matched,
    "numeric": _number,
    "point": _pointed,
    "hands-on": _worked,
}
