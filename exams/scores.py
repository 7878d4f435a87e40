"""The few numbers of a report: shares, their intervals, and what is too little to say anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from exams.marking import Mark

FEW = 8
"""Below so many items, a share says little about the one who answered."""

ENOUGH = 10
"""Below so many answered items, nothing is said about readiness."""

Z = 1.96
"""Ninety-five percent of a normal distribution lie within so many standard deviations."""


@dataclass(frozen=True, slots=True)
class Score:
    """Points of some items, and how many items they are."""

    points: Fraction
    of: Fraction
    n: int

    @property
    def share(self) -> Fraction | None:
        """The share of the points; None where there is nothing to share."""
        return self.points / self.of if self.of else None

    @property
    def note(self) -> str:
        """What to say where items are few."""
        if not self.n:
            return "no items"
        return f"only {self.n} {'item' if self.n == 1 else 'items'}: too few to tell" if self.n < FEW else ""


@dataclass(frozen=True, slots=True)
class Readiness:
    """The share that a whole exam would give, by the weights of its domains, and the interval in which it lies.

    `weight` is the percentage of the exam that the domains with items make up.
    """

    estimate: float
    low: float
    high: float
    weight: int


HOW_READINESS = (
    "Your share in each domain, weighted as the exam weighs it, with its 95 % interval (Wilson); where domains have "
    "fewer items than their weight asks for, it is wider. It tells how you did here, not whether you would pass: no "
    "pass mark is published."
)


def score(marks: Iterable[Mark]) -> Score:
    """The sum of some marks."""
    found = list(marks)
    return Score(sum((m.points for m in found), Fraction(0)), sum((m.of for m in found), Fraction(0)), len(found))


def missing_for_readiness(answered: int) -> int:
    """How many more items have to be answered before anything is said about readiness."""
    return max(ENOUGH - answered, 0)


def wilson(share: float, n: float) -> tuple[float, float]:
    """Wilson's interval of a share seen in `n` trials."""
    if n <= 0:
        return 0.0, 1.0
    middle = (share + Z * Z / (2 * n)) / (1 + Z * Z / n)
    half = Z / (1 + Z * Z / n) * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n))
    return max(middle - half, 0.0), min(middle + half, 1.0)


def readiness(parts: Sequence[tuple[int, Score]]) -> Readiness | None:
    """From the weight and the score of each domain; None without any items.

    The size of the sample is Kish's for strata: (sum of weights)^2 / sum of (weight^2 / items).
    """
    known = [(weight, part) for weight, part in parts if part.n and part.of and weight]
    total = sum(weight for weight, _ in known)
    if not total:
        return None
    estimate = sum((weight * part.points / part.of for weight, part in known), Fraction(0)) / total
    size = Fraction(total * total) / sum((Fraction(weight * weight, part.n) for weight, part in known), Fraction(0))
    low, high = wilson(float(estimate), float(size))
    return Readiness(float(estimate), low, high, total)
