"""Progress in exams, as text and as data."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import wrap
from typing import Any

from exams.blueprint import Blueprint
from exams.progress import DomainProgress, Progress, progress
from exams.report_text import WIDTH, missing_text, percent, points, readiness_text
from exams.scores import HOW_READINESS
from tui.exam_history import load_history
from tui.plain.exam_due import studied_exams
from tui.plain.exam_opening import course_named


@dataclass(frozen=True)
class ExamProgress:
    """Where somebody stands in an exam."""

    blueprint: Blueprint
    progress: Progress


def progress_in(name: str | None) -> list[ExamProgress]:
    """Progress in an exam, or in each one that was studied. Raises BreakfixError for an unknown one."""
    found = []
    for source in [name] if name else studied_exams():
        course = course_named(source)
        history = load_history(course.blueprint.id)
        found.append(ExamProgress(course.blueprint, progress(course.blueprint, course.items, history)))
    return found


def progress_text(found: ExamProgress) -> str:
    """A few lines, one for each domain."""
    lines = [f"{found.blueprint.code}  {found.blueprint.title}"]
    for domain in found.progress.domains:
        lines += wrap(_domain(domain), WIDTH, initial_indent="  ", subsequent_indent="    ")
    ready = found.progress.readiness
    if ready is None:
        return "\n".join([*lines, f"Readiness: {missing_text(found.progress.missing)}"])
    lines.append(f"Readiness: {readiness_text(ready)}")
    if ready.weight < 100:
        lines.append(f"Of domains with {100 - ready.weight} % of the exam's weight nothing was seen yet.")
    return "\n".join([*lines, *wrap(HOW_READINESS, WIDTH)])


def _domain(domain: DomainProgress) -> str:
    head = f"{domain.title} ({domain.weight} %): {domain.seen} of {domain.items} seen"
    if not domain.seen:
        return head
    note = f" ({domain.score.note})" if domain.score.note else ""
    return f"{head}, {points(domain.score)} points, {percent(domain.score)}{note}"


def progress_data(found: ExamProgress) -> dict[str, Any]:
    """As data for JSON."""
    ready = found.progress.readiness
    return {
        "exam": found.blueprint.id,
        "code": found.blueprint.code,
        "title": found.blueprint.title,
        "domains": [_domain_data(domain) for domain in found.progress.domains],
        "readiness": ready
        and {
            "estimate": round(ready.estimate, 4),
            "low": round(ready.low, 4),
            "high": round(ready.high, 4),
            "weight": ready.weight,
            "how": HOW_READINESS,
        },
        "missing_for_readiness": found.progress.missing,
    }


def _domain_data(domain: DomainProgress) -> dict[str, Any]:
    share = domain.score.share
    return {
        "id": domain.id,
        "title": domain.title,
        "weight": domain.weight,
        "items": domain.items,
        "seen": domain.seen,
        "points": round(float(domain.score.points), 4),
        "percent": None if share is None else round(float(share * 100), 2),
        "note": domain.score.note,
    }
