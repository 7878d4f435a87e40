"""What somebody has seen and answered over all attempts: a history of plain records, and what follows from it.

A history is a list of outcomes in order of time, one for each item of each attempt; whoever stores it appends what
`outcomes` gives when an attempt ends. Times are seconds since 1970 and come from outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from exams.attempt import Attempt, Confidence
from exams.blueprint import Blueprint
from exams.item import Item
from exams.marking import Mark
from exams.paper import Mode
from exams.scores import Readiness, Score, missing_for_readiness, readiness, score


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an item once. `points` is an exact share of its one point, such as `2/3`; `pace` is the time that
    there was for an item (ms).
    """

    at: int
    blueprint: str
    mode: Mode
    uuid: str
    item: str
    domain: str
    objective: str
    points: str
    answered: bool
    ms: int
    confidence: Confidence | None = None
    flagged: bool = False
    pace: int | None = None

    @property
    def mark(self) -> Mark:
        """The points as a mark."""
        return Mark(Fraction(self.points))

    @property
    def right(self) -> bool:
        """Whether it had every point."""
        return self.mark.right


def outcomes(attempt: Attempt, at: int) -> list[Outcome]:
    """What an attempt that ended at `at` adds to the history: the items that were looked at."""
    found = []
    for number in attempt.counted:
        item, response = attempt.items[number], attempt.responses[number]
        if not response.seen:
            continue
        found.append(
            Outcome(
                at=at,
                blueprint=attempt.paper.blueprint,
                mode=attempt.paper.mode,
                uuid=item.uuid,
                item=item.item,
                domain=item.domain,
                objective=item.objective,
                points=str(attempt.mark(number).points),
                answered=response.answer is not None,
                ms=response.milliseconds,
                confidence=response.confidence,
                flagged=response.flagged,
                pace=attempt.paper.pace(item),
            )
        )
    return found


def last_seen(history: Iterable[Outcome]) -> dict[str, int]:
    """When each item was last seen, by uuid: what exams.drawing asks for."""
    seen: dict[str, int] = {}
    for one in history:
        seen[one.uuid] = max(one.at, seen.get(one.uuid, one.at))
    return seen


def latest(history: Iterable[Outcome]) -> dict[str, Outcome]:
    """The last outcome of each item, by uuid."""
    found: dict[str, Outcome] = {}
    for one in history:
        if one.uuid not in found or one.at >= found[one.uuid].at:
            found[one.uuid] = one
    return found


def uuids_of(history: Iterable[Outcome], which: str) -> frozenset[str]:
    """Items whose last outcome was `wrong`, `flagged` or `unsure`, to study again."""
    return frozenset(uuid for uuid, one in latest(history).items() if SELECTIONS[which](one))


SELECTIONS: dict[str, Callable[[Outcome], bool]] = {
    "wrong": lambda one: not one.right,
    "flagged": lambda one: one.flagged,
    "unsure": lambda one: one.confidence in ("unsure", "guess"),
}


@dataclass(frozen=True)
class DomainProgress:
    """Where somebody stands in a domain: its items, how many were seen, and the score of the last answers to them."""

    id: str
    title: str
    weight: int
    items: int
    seen: int
    score: Score


@dataclass(frozen=True)
class Progress:
    """Where somebody stands in an exam, by the last answer to each item.

    `missing` is how many more items have to be answered before anything is said about readiness.
    """

    domains: tuple[DomainProgress, ...]
    readiness: Readiness | None
    missing: int = 0


def progress(blueprint: Blueprint, items: Sequence[Item], history: Iterable[Outcome]) -> Progress:
    """Progress in an exam. Outcomes of items that are no longer there do not count."""
    last = latest(history)
    domains = []
    for domain in blueprint.domains:
        own = [item for item in items if item.domain == domain.id]
        known = [last[item.uuid] for item in own if item.uuid in last]
        marks = score(one.mark for one in known)
        domains.append(DomainProgress(domain.id, domain.title, domain.weight, len(own), len(known), marks))
    missing = missing_for_readiness(sum(last[item.uuid].answered for item in items if item.uuid in last))
    ready = None if missing else readiness([(one.weight, one.score) for one in domains])
    return Progress(tuple(domains), ready, missing)
