"""How much is due for review today, by exam."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from exams.catalogue import blueprint_ids
from exams.review import daily, due_now, schedule
from tui.exam_history import load_history
from tui.plain.exam_opening import course_named
from tui.plain.exam_told import told_time


@dataclass(frozen=True)
class DueItems:
    """What is due in an exam: how many items, how many a review today has with new ones, and when more come (s)."""

    source: str
    code: str
    due: int
    today: int
    next_at: int | None

    def data(self) -> dict[str, Any]:
        """As data for JSON."""
        return {"exam": self.source, "code": self.code, "due": self.due, "today": self.today, "next_at": self.next_at}


def studied_exams() -> list[str]:
    """The packaged exams of which somebody has seen items."""
    seen = {one.blueprint for one in load_history()}
    return [id for id in blueprint_ids() if id in seen]


def due_in(name: str | None, now: int) -> list[DueItems]:
    """What is due in an exam, or in each one that was studied. Raises BreakfixError for an unknown one."""
    return [_due(source, now) for source in ([name] if name else studied_exams())]


def _due(source: str, now: int) -> DueItems:
    course = course_named(source)
    history = load_history(course.blueprint.id)
    known = {item.uuid for item in course.items}
    later = [one.at for uuid, one in schedule(history, now=now).items() if uuid in known and one.at > now]
    return DueItems(
        source=source,
        code=course.blueprint.code,
        due=len(due_now(history, now, among=known)),
        today=len(daily(course.items, history, now, seed=1)),
        next_at=min(later, default=None),
    )


def due_text(due: DueItems, now: int) -> str:
    """What is due, in a sentence."""
    if due.today:
        return f"{due.code}: {due.due} due, {due.today} with new ones. `breakfix review {due.source}` begins."
    if due.next_at is None:
        return f"{due.code}: nothing is due."
    return f"{due.code}: nothing is due; the next item comes in {_roughly(due.next_at - now)}."


def _roughly(seconds: int) -> str:
    days = seconds // 86_400
    return told_time(seconds * 1000) if not days else f"{days} {'day' if days == 1 else 'days'}"
