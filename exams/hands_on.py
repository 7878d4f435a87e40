"""What a hands-on item is worth: the goals of its scenario that were reached, without harm."""

from __future__ import annotations

from fractions import Fraction

from exams.answers import Worked
from scenarios.model import Scenario
from scenarios.result import Result


def worked(scenario: Scenario, result: Result) -> Worked:
    """The answer that a session which was handed in gives to its item.

    The share of the goals' weights that hold in the end. Goals that held from the start count only once they are lost,
    so doing nothing is worth nothing; after a critical breach of safety nothing is worth anything.
    """
    if any(rule.critical and not rule.holds for rule in result.safety):
        return Worked(Fraction(0))
    weights = {goal.id: goal.weight for goal in scenario.goals}
    counted = [goal for goal in result.goals if not (goal.at_start and goal.holds)]
    if not counted:
        return Worked(Fraction(int(result.passed)))
    reached = sum(weights[goal.id] for goal in counted if goal.holds)
    return Worked(Fraction(reached, sum(weights[goal.id] for goal in counted)))
