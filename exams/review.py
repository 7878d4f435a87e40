"""Spaced repetition: when to see an item again, worked out by FSRS from the history of answers.

Nothing is stored but the history; cards follow from it. Chance and the clock are left out, so the same history gives
the same days.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Literal

from exams.drawing import pick
from exams.item import Item
from exams.progress import Outcome, last_seen

if TYPE_CHECKING:
    from fsrs import Card, Rating, Scheduler

Grade = Literal["again", "hard", "good", "easy"]

SLOW = (3, 2)
FAST = (1, 2)
"""Slower than this share of the pace is slow, faster than that fast."""

USUAL_PACE = 75_000
"""Milliseconds for an item where there is no time limit to go by."""

DAY = 86_400
LONGEST_INTERVAL = 365


@dataclass(frozen=True, slots=True)
class Due:
    """When an item is due (seconds since 1970), when it was last seen, and how firmly it is remembered (days)."""

    uuid: str
    at: int
    last: int
    stability: float


@dataclass(frozen=True, slots=True)
class Plan:
    """How much a day brings: at most so many items, of them so many new ones; and when the exam is, if it is known."""

    most: int = 20
    new: int = 5
    exam_at: int | None = None


def grade(outcome: Outcome) -> Grade:
    """How well an answer shows that the item is known."""
    if not outcome.right:
        return "again"
    pace = outcome.pace or USUAL_PACE
    if outcome.confidence == "guess" or outcome.ms * SLOW[1] > pace * SLOW[0]:
        return "hard"
    if outcome.confidence == "sure" and outcome.ms * FAST[1] < pace * FAST[0]:
        return "easy"
    return "good"


def schedule(history: Iterable[Outcome], exam_at: int | None = None, now: int | None = None) -> dict[str, Due]:
    """When each item that was seen is due, by uuid. With the day of an exam, nothing is put off beyond it."""
    scheduler = _scheduler(exam_at, now)
    cards: dict[str, Card] = {}
    for one in sorted(history, key=lambda outcome: outcome.at):
        card = cards.get(one.uuid) or _new_card(one.at)
        cards[one.uuid] = scheduler.review_card(card, _rating(grade(one)), _time(one.at))[0]
    return {uuid: _due(uuid, card, exam_at, now) for uuid, card in cards.items()}


def due_now(
    history: Iterable[Outcome], now: int, exam_at: int | None = None, among: Iterable[str] | None = None
) -> list[Due]:
    """The items that are due, those overdue for longest first; `among` leaves out what the bank no longer has."""
    known = None if among is None else set(among)
    found = schedule(history, exam_at, now).values()
    return sorted(
        (one for one in found if one.at <= now and (known is None or one.uuid in known)),
        key=lambda one: (one.at, one.uuid),
    )


def daily(
    items: Sequence[Item], history: Sequence[Outcome], now: int, seed: int, plan: Plan | None = None
) -> list[Item]:
    """What to study today: items that are due, those overdue for longest first, then some that were never seen."""
    asked = plan or Plan()
    by_uuid = {item.uuid: item for item in items}
    due = [by_uuid[one.uuid] for one in due_now(history, now, asked.exam_at, by_uuid)][: asked.most]
    seen = last_seen(history)
    unseen = [item for item in items if item.uuid not in seen and item.kind != "hands-on"]
    return due + pick(unseen, min(asked.new, asked.most - len(due)), seed)


def _scheduler(exam_at: int | None, now: int | None) -> Scheduler:
    from fsrs import Scheduler

    longest = LONGEST_INTERVAL
    if exam_at is not None and now is not None and exam_at > now:
        longest = max(min(longest, (exam_at - now) // DAY), 1)
    return Scheduler(maximum_interval=longest, enable_fuzzing=False)


def _new_card(at: int) -> Card:
    from fsrs import Card

    return Card(card_id=0, due=_time(at))


def _rating(of: Grade) -> Rating:
    from fsrs import Rating

    return {"again": Rating.Again, "hard": Rating.Hard, "good": Rating.Good, "easy": Rating.Easy}[of]


def _due(uuid: str, card: Card, exam_at: int | None, now: int | None) -> Due:
    at = int(card.due.timestamp())
    if exam_at is not None and now is not None and now < exam_at < at:
        at = exam_at
    last = int(card.last_review.timestamp()) if card.last_review else at
    return Due(uuid, at, last, round(card.stability or 0.0, 2))


def _time(at: int) -> datetime:
    return datetime.fromtimestamp(at, UTC)
