"""Marking: what an answer is worth. Exact fractions of one point an item; the rules are stated for people as well."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Literal

from exams.answers import Answer, Chosen, Matched, Number, Ordered, Pointed, Worked
from exams.quantities import convert, exact
from exams.rendered import Rendered

ONE, NOTHING = Fraction(1), Fraction(0)


@dataclass(frozen=True, slots=True)
class Rules:
    """What can be chosen about marking: whether a part of several right options is worth something."""

    multiple: Literal["all", "part"] = "all"


@dataclass(frozen=True, slots=True)
class Mark:
    """Points of an item, how many there are, and how that came about."""

    points: Fraction
    of: Fraction = ONE
    note: str = ""

    @property
    def right(self) -> bool:
        """Whether it has every point."""
        return self.points == self.of


RULES: Mapping[str, str] = {
    "single": "The right option: 1 point.",
    "multiple": "All right options and no others: 1 point; anything else: 0.",
    "multiple in part": "With k right options, each right one adds 1/k and each wrong one takes 1/k away; "
    "never less than 0.",
    "ordering": "The right order: 1 point. Otherwise the share of steps that are directly followed by the step "
    "that must follow them.",
    "matching": "The share of texts that are matched rightly.",
    "numeric": "A number within the tolerance: 1 point. Without a unit it counts as given in the item's.",
    "point": "A right line: 1 point.",
    "hands-on": "The share of the goals' weights that were reached; 0 after a critical breach of safety.",
    "not answered": "An item that is not answered has 0 points; nothing is taken away for wrong answers.",
}
"""The rules for people, by kind of item."""


def mark(rendered: Rendered, answer: Answer | None, rules: Rules | None = None) -> Mark:
    """The mark of an answer to an item."""
    if answer is None:
        return Mark(NOTHING, note="not answered")
    return _MARK[rendered.kind](rendered, answer, rules or Rules())


def rules_told(rules: Rules) -> dict[str, str]:
    """The rules that hold, by kind of item, as sentences."""
    multiple = RULES["multiple in part"] if rules.multiple == "part" else RULES["multiple"]
    return {kind: text for kind, text in RULES.items() if kind != "multiple in part"} | {"multiple": multiple}


def _whole(right: bool) -> Mark:
    return Mark(ONE, note="right") if right else Mark(NOTHING, note="wrong")


def _single(rendered: Rendered, answer: Answer, rules: Rules) -> Mark:
    return _whole(isinstance(answer, Chosen) and answer.ids == rendered.key)


def _multiple(rendered: Rendered, answer: Answer, rules: Rules) -> Mark:
    chosen, key = set(answer.ids) if isinstance(answer, Chosen) else set(), set(rendered.key)
    right, wrong = len(chosen & key), len(chosen - key)
    if chosen == key:
        return _whole(True)
    note = f"{right} of {len(key)} right ones, {wrong} wrong"
    points = max(Fraction(right - wrong, len(key)), NOTHING) if rules.multiple == "part" else NOTHING
    return Mark(points, note=note)


def _ordering(rendered: Rendered, answer: Answer, rules: Rules) -> Mark:
    ids = answer.ids if isinstance(answer, Ordered) else ()
    if ids == rendered.key:
        return _whole(True)
    wanted = set(pairwise(rendered.key))
    found = len(wanted & set(pairwise(ids)))
    return Mark(Fraction(found, len(wanted)), note=f"{found} of {len(wanted)} steps are followed by the right one")


def _matching(rendered: Rendered, answer: Answer, rules: Rules) -> Mark:
    pairs = set(answer.pairs) if isinstance(answer, Matched) else set()
    found = len(pairs & set(rendered.pairs))
    return Mark(Fraction(found, len(rendered.pairs)), note=f"{found} of {len(rendered.pairs)} pairs right")


def _numeric(rendered: Rendered, answer: Answer, rules: Rules) -> Mark:
    value = convert(answer.value, answer.unit, rendered.unit) if isinstance(answer, Number) else None
    if value is None:
        return Mark(NOTHING, note="not in the item's unit")
    return _whole(abs(value - exact(rendered.number)) <= exact(rendered.tolerance))


def _point(rendered: Rendered, answer: Answer, rules: Rules) -> Mark:
    return _whole(isinstance(answer, Pointed) and answer.line in rendered.lines)


def _hands_on(rendered: Rendered, answer: Answer, rules: Rules) -> Mark:
    share = answer.share if isinstance(answer, Worked) else NOTHING
    return Mark(share, note=f"{round(share * 100)} % of the goals")


_MARK: Mapping[str, Callable[[Rendered, Answer, Rules], Mark]] = {
    "single": _single,
    "multiple": _multiple,
    "ordering": _ordering,
    "matching": _matching,
    "numeric": _numeric,
    "point": _point,
    "hands-on": _hands_on,
}
