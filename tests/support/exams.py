"""Exams for tests of the front ends: the small bank with one item of every kind, and clocks that stand still."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import cache

from exams.attempt import Attempt
from exams.exhibits import Exhibits
from exams.paper import Terms
from exams.rendered import Rendered
from tests.exams import bank
from tui.live import exam
from tui.live.exam import Sitting, Wall, Wish
from tui.live.exhibit import NoJournal

SOURCE = str(bank.BLUEPRINT)
START = 1_790_000_000


@dataclass
class Clocks:
    """Clocks that go on when they are told to: `date` in seconds since 1970, `steady` from 0."""

    now: float = START
    passed: float = 0.0

    def go(self, seconds: float) -> None:
        """Time passes."""
        self.now += seconds
        self.passed += seconds

    def wall(self) -> Wall:
        """As a sitting takes them."""
        return Wall(lambda: self.now, lambda: self.passed)


def new_exam(clocks: Clocks | None = None, *, labs: int = 0, assigned: bool = False, extra: int = 0) -> Sitting:
    """A new exam with a journal on disk."""
    wall = (clocks or Clocks()).wall()
    terms = Terms(labs=labs, assigned=assigned, extra=extra)
    return asyncio.run(exam.begin_exam(SOURCE, 3, terms, wall=wall))


def new_study(clocks: Clocks | None = None, wish: Wish | None = None) -> Sitting:
    """A new study session with a journal on disk, at its first item."""

    async def begin() -> Sitting:
        sitting = await exam.begin_study(SOURCE, 3, wish, wall=(clocks or Clocks()).wall())
        await sitting.next_item()
        return sitting

    return asyncio.run(begin())


def unkept_exam() -> Sitting:
    """An exam of which nothing is written, in which some items have answers."""
    sitting = Sitting(SOURCE, Attempt.begin(bank.paper(3, labs=1)), NoJournal(), Clocks().wall(), Exhibits())
    for number in range(4):
        sitting.goto(number)
        sitting.answer(right(sitting.item) if number % 2 else None)
        sitting.flag(number == 2)
    return sitting


@cache
def handed_in() -> Sitting:
    """The same, handed in."""
    sitting = unkept_exam()
    sitting.submit()
    return sitting


def right(item: Rendered) -> object:
    """The data of the right answer to an item."""
    from exams.answers import answer_data, right_answer

    return answer_data(right_answer(item))


def place_of(sitting: Sitting, kind: str) -> int:
    """The number of the first item of a kind."""
    return next(number for number, item in enumerate(sitting.attempt.items) if item.kind == kind)
