"""What hands-on items are worth."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from exams.hands_on import worked
from scenarios.result import GoalResult

GOALS = SimpleNamespace(goals=[SimpleNamespace(id="a", weight=3), SimpleNamespace(id="b", weight=1)])


def result(*goals: tuple[str, bool, bool], safe: bool = True, passed: bool = False) -> Any:
    """A result by (id, whether it holds, whether it held at the start)."""
    safety = (GoalResult("s", "no harm", safe, True, critical=True),)
    ends = tuple(GoalResult(id, id, holds, at_start) for id, holds, at_start in goals)
    return SimpleNamespace(goals=ends, safety=safety, passed=passed)


@pytest.mark.parametrize(
    ("found", "share"),
    [
        (result(("a", True, False), ("b", True, False)), Fraction(1)),
        (result(("a", True, False), ("b", False, False)), Fraction(3, 4)),
        (result(("a", False, False), ("b", True, True)), Fraction(0)),
        (result(("a", True, False), ("b", True, True)), Fraction(1)),
        (result(("a", True, False), ("b", False, True)), Fraction(3, 4)),
        (result(("a", True, False), ("b", True, False), safe=False), Fraction(0)),
        (result(("a", True, True), ("b", True, True), passed=True), Fraction(1)),
        (result(("a", True, True), ("b", True, True)), Fraction(0)),
    ],
)
def test_the_share_of_the_goals_that_were_reached(found: Any, share: Fraction) -> None:
    assert worked(GOALS, found).share == share  # type: ignore[arg-type]
