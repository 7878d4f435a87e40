"""What somebody chooses before an exam or a study session begins: names, values, and what comes next among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from exams.blueprint import Blueprint
from exams.catalogue import Course
from exams.paper import Terms
from tui.live.exam import WHICH, Which, Wish

EXTRA = (0, 10, 15, 20, 25, 30, 33, 50, 75, 100)
"""Percentages of extra time that are offered."""

COUNTS = (5, 10, 15, 20, 30, 40, 50, 60, 80, 100)
"""Numbers of items that are offered, as far as there are so many."""

_WHICH = {
    "all": "all, those not seen first",
    "unseen": "not seen yet",
    "wrong": "wrong the last time",
    "flagged": "flagged",
    "unsure": "unsure or guessed",
}

TYPED = ("items", "study_items", "seed")
"""Choices that are numbers, which can be typed."""

_LONGEST_SEED = 9
_LARGEST_SEED = 10**_LONGEST_SEED - 1

Value = TypeVar("Value")


@dataclass
class ExamChoices:
    """The choices for a course. `step` changes one by its name; `text` tells it."""

    course: Course
    seed: int = 1
    items: int = 0
    extra: int = 0
    assigned: bool = False
    which: Which = "all"
    domain: str | None = None
    objective: str | None = None
    study_items: int = 20
    _typed: tuple[str, str] = field(default=("", ""), repr=False)

    def __post_init__(self) -> None:
        self.items = self.items or self.course.blueprint.items

    @property
    def terms(self) -> Terms:
        """How the exam is taken: a whole one with its labs, a shorter one without."""
        whole = self.items == self.course.blueprint.items
        return Terms(
            count=None if whole else self.items, labs=None if whole else 0, extra=self.extra, assigned=self.assigned
        )

    @property
    def wish(self) -> Wish:
        """What is studied."""
        return Wish(self.which, self.domain, self.objective, self.study_items)

    @property
    def minutes(self) -> int:
        """About how long the exam takes."""
        return about_minutes(self.course.blueprint, self.terms)

    def text(self, name: str) -> str:
        """A choice as people read it."""
        if name == "which":
            return _WHICH[self.which]
        if name == "domain":
            return self._title(self.domain, [(one.id, one.title) for one in self.course.blueprint.domains])
        if name == "objective":
            return self._title(self.objective, self._objectives())
        if name == "extra":
            return f"{self.extra} %" if self.extra else "none"
        if name == "assigned":
            return "runs on" if self.assigned else "stops"
        if name == "items":
            return f"{self.items} (as in the exam)" if self.items == self.course.blueprint.items else str(self.items)
        return str(self.study_items if name == "study_items" else self.seed)

    def step(self, name: str, by: int) -> None:
        """The next value of a choice, or the one before."""
        self._typed = "", ""
        if name == "seed":
            self.seed = max(self.seed + by, 0)
        elif name == "items":
            self.items = _after(self.items, sorted({*self._counts(), self.items}), by)
        elif name == "study_items":
            self.study_items = _after(self.study_items, sorted({*COUNTS, self.study_items}), by)
        elif name == "extra":
            self.extra = _after(self.extra, EXTRA, by)
        elif name == "assigned":
            self.assigned = not self.assigned
        elif name == "which":
            known = [which for which in WHICH if which in _WHICH]
            self.which = _after(self.which, known, by)
        elif name == "domain":
            self.domain = _after(self.domain, [None, *(one.id for one in self.course.blueprint.domains)], by)
            self.objective = None
        elif name == "objective":
            self.objective = _after(self.objective, [None, *(id for id, _ in self._objectives())], by)

    def type_digit(self, name: str, digit: str) -> None:
        """A digit of a number (`TYPED`): the first one begins a new number."""
        typing, text = self._typed
        self._read(name, f"{text if typing == name else ''}{digit}")

    def take_digit(self, name: str) -> None:
        """The last digit of a number is taken away."""
        typing, text = self._typed
        self._read(name, (text if typing == name else str(getattr(self, name)))[:-1])

    def _read(self, name: str, text: str) -> None:
        """Take what is typed, as near as there is such a number."""
        least, most = (0, _LARGEST_SEED) if name == "seed" else (1, self._most(name))
        text = text[-_LONGEST_SEED:]
        setattr(self, name, min(max(int(text or "0"), least), most))
        self._typed = name, text if int(text or "0") <= most else str(most)

    def _most(self, name: str) -> int:
        return self.course.blueprint.items if name == "items" else COUNTS[-1]

    def _counts(self) -> list[int]:
        whole = self.course.blueprint.items
        return sorted({*(count for count in COUNTS if count < whole), whole})

    def _objectives(self) -> list[tuple[str, str]]:
        """Objectives of the domain that is chosen, or of all."""
        domains = [one for one in self.course.blueprint.domains if self.domain in (None, one.id)]
        return [(one.id, one.text) for domain in domains for one in domain.objectives]

    @staticmethod
    def _title(id: str | None, known: Sequence[tuple[str, str]]) -> str:
        return "all" if id is None else dict(known).get(id, id)


def about_minutes(blueprint: Blueprint, terms: Terms) -> int:
    """About how long an exam takes; `exams.paper.exam_time` has it exactly, once the items are drawn."""
    known = blueprint.hands_on
    each, usual = (known.minutes, known.count) if known else (0, 0)
    labs = usual if terms.labs is None else terms.labs
    questions = max(blueprint.minutes - usual * each, 1) * (terms.count or blueprint.items) / blueprint.items
    return round((questions + labs * each) * (100 + terms.extra) / 100)


def _after(value: Value, known: Sequence[Value], by: int) -> Value:
    """The value that comes `by` places after one; the first follows the last."""
    return known[(known.index(value) + by) % len(known)] if value in known else known[0]
