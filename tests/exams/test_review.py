"""When to see items again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from exams.progress import Outcome
from exams.review import DAY, Plan, daily, due_now, grade, schedule
from tests.exams import bank

START = 1_790_000_000
RIGHT = Outcome(START, "small", "study", "u1", "letters", "seeing", "outputs", "1", True, 40_000, pace=60_000)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"points": "0"}, "again"),
        ({"points": "2/3", "confidence": "sure", "ms": 1}, "again"),
        ({"answered": False, "points": "0"}, "again"),
        ({"confidence": "guess", "ms": 1000}, "hard"),
        ({"ms": 90_001}, "hard"),
        ({"ms": 90_001, "confidence": "sure"}, "hard"),
        ({}, "good"),
        ({"confidence": "sure"}, "good"),
        ({"ms": 29_000}, "good"),
        ({"ms": 29_000, "confidence": "unsure"}, "good"),
        ({"ms": 29_000, "confidence": "sure"}, "easy"),
        ({"ms": 100_000, "pace": None}, "good"),
    ],
)
def test_how_well_an_answer_shows_that_it_is_known(changes: Any, expected: str) -> None:
    assert grade(replace(RIGHT, **changes)) == expected


def at(days: float, **changes: Any) -> Outcome:
    return replace(RIGHT, at=START + int(days * DAY), **changes)


def test_wrong_answers_come_back_soon_and_right_ones_later_and_later() -> None:
    wrong = schedule([at(0, points="0")])["u1"]
    assert wrong.at - START == 60
    days = []
    history: list[Outcome] = []
    moment = 0.0
    for _ in range(5):
        history.append(at(moment))
        due = schedule(history)["u1"]
        moment = (due.at - START) / DAY
        days.append(due.at - due.last)
    assert days == sorted(days) and days[-1] > 10 * DAY


def test_the_same_history_gives_the_same_days_in_any_order() -> None:
    history = [at(day, uuid=f"u{number}") for number in range(20) for day in (0, 1, 6, 30)]
    assert len({due.at for due in schedule(history).values()}) == 1, "nothing is left to chance"
    assert schedule(history) == schedule(list(reversed(history))) == schedule(history)


def test_what_is_due_is_told_the_longest_overdue_first() -> None:
    history = [at(0, uuid="a", points="0"), at(1, uuid="b", points="0"), at(2, uuid="c", confidence="sure", ms=1)]
    now = START + 2 * DAY
    assert [one.uuid for one in due_now(history, now)] == ["a", "b"]
    assert [one.uuid for one in due_now(history, now, among=["b", "c"])] == ["b"]
    assert due_now(history, START) == []
    assert len(due_now(history, now + 400 * DAY)) == 3


def test_nothing_is_put_off_beyond_the_day_of_the_exam() -> None:
    history = [at(0, confidence="sure", ms=1)]
    free = schedule(history)["u1"].at
    exam = START + 3 * DAY
    bound = schedule(history, exam_at=exam, now=START)["u1"].at
    assert free > exam >= bound


def test_a_day_brings_what_is_due_and_some_new_ones() -> None:
    items = bank.course().items
    history = [replace(RIGHT, uuid=item.uuid, points="0", at=START + number) for number, item in enumerate(items[:4])]
    today = daily(items, history, START + DAY, 7)
    assert [item.id for item in today[:4]] == [item.id for item in items[:4]]
    assert len(today) == 9 and not {item.id for item in today[4:]} & {item.id for item in today[:4]}
    assert all(item.kind != "hands-on" for item in today)
    assert [item.id for item in daily(items, history, START + DAY, 7, Plan(most=3))] == [item.id for item in items[:3]]
    assert daily(items, history, START + DAY, 7, Plan(new=0)) == today[:4]
