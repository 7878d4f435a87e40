"""The result of a session that was handed in: points with their reasons, what was found and missed, and the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import floor
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Reason:
    """Why points were given, kept back or taken."""

    points: float
    text: str


@dataclass(frozen=True)
class Part:
    """One part of a score: what it earned of how many points, and why."""

    name: str
    points: float
    of: int
    reasons: tuple[Reason, ...] = ()

    @classmethod
    def summed(cls, name: str, of: int, reasons: Sequence[Reason]) -> Self:
        """A part that earns what its reasons add up to, within 0 and `of`; a last reason says where it is limited."""
        total = sum(reason.points for reason in reasons)
        points = round(min(max(total, 0.0), float(of)), 1)
        if total < 0:
            reasons = [*reasons, Reason(-total, "limited: a part earns no less than 0")]
        elif round(total, 1) > of:
            reasons = [*reasons, Reason(of - total, f"limited: this part earns no more than {of}")]
        return cls(name, points, of, _in_tenths(reasons, round(points * 10)))


def _in_tenths(reasons: Sequence[Reason], total: int) -> tuple[Reason, ...]:
    """The reasons in tenths of a point that add up to `total` tenths: those that lose most by it are rounded up."""
    exact = [round(reason.points * 10, 6) for reason in reasons]
    tenths = [floor(value) for value in exact]
    by_loss = sorted(range(len(exact)), key=lambda number: tenths[number] - exact[number])
    for number in by_loss[: total - sum(tenths)]:
        tenths[number] += 1
    return tuple(Reason(value / 10, reason.text) for value, reason in zip(tenths, reasons, strict=True))


@dataclass(frozen=True)
class Score:
    """All parts, and what hints cost."""

    parts: tuple[Part, ...]
    hints: float = 0.0

    @property
    def total(self) -> float:
        """Points out of 100, never below 0."""
        return max(round(sum(part.points for part in self.parts) - self.hints, 1), 0.0)

    def points(self, name: str) -> float:
        """What a part earned."""
        return next((part.points for part in self.parts if part.name == name), 0.0)


@dataclass(frozen=True, slots=True)
class GoalResult:
    """A goal or a safety rule at the end; `at_start` says whether it held when the learner came."""

    id: str
    says: str
    holds: bool
    at_start: bool
    critical: bool = False


@dataclass(frozen=True, slots=True)
class EvidenceResult:
    """A piece of evidence: when and by which line it was first seen, in which words, and whether it was pinned."""

    id: str
    says: str
    weight: int
    at: int | None = None
    line: str = ""
    text: str = ""
    pinned: bool = False
    entry: int = -1

    @property
    def seen(self) -> bool:
        return self.at is not None


@dataclass(frozen=True, slots=True)
class GivenDiagnosis:
    """A diagnosis as the learner gave it."""

    at: int
    component: str
    cause: str
    exact: bool


@dataclass(frozen=True, slots=True)
class HarmResult:
    """Harm that the learner did."""

    at: int
    kind: str
    what: str
    cause: str


@dataclass(frozen=True, slots=True)
class Moment:
    """A line of the timeline: `who` is you, fault, others or room (the machine room)."""

    at: int
    who: str
    text: str


@dataclass(frozen=True)
class Result:
    """Everything about a finished session. Times are ns since the site's start; `clock` shows them as the site does.

    `truths` are component and cause of each thing that was broken.
    """

    scenario: str
    title: str
    seed: int
    passed: bool
    score: Score
    truths: tuple[tuple[str, str], ...]
    diagnoses: tuple[GivenDiagnosis, ...]
    goals: tuple[GoalResult, ...]
    safety: tuple[GoalResult, ...]
    evidence: tuple[EvidenceResult, ...]
    harms: tuple[HarmResult, ...]
    timeline: tuple[Moment, ...]
    arrival: int
    ended: int
    lines: int
    not_passed: tuple[str, ...] = ()

    @property
    def component(self) -> str:
        """The component of the first thing that was broken."""
        return self.truths[0][0]

    @property
    def cause(self) -> str:
        """Its cause."""
        return self.truths[0][1]


def unfinished(scenario: str, title: str, seed: int) -> dict[str, Any]:
    """The JSON result of a session that was not handed in: it tells nothing."""
    return {
        "scenario": scenario, "title": title, "seed": seed, "submitted": False, "passed": False, "score": {"total": 0},
    }  # fmt: skip
