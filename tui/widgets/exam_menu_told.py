"""What the lines of an exam's menu mean, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exams.progress import Outcome, progress
from exams.report_text import percent, readiness_text
from tui.live.exam_choices import ExamChoices
from tui.look.glyphs import Glyphs
from tui.widgets.rows import ACCENT, MUTED, Row

_HEADING = f"bold {ACCENT}"

_MEANING = {
    "items": "How many items: Left and Right, or digits. Fewer have less time, in proportion, and no labs; their "
    "domains keep their weights.",
    "extra": "Time on top, in percent, as it is granted to those who need it.",
    "assigned": "Stops: for practice, the time stops while breakfix is closed. Runs on: as in an exam that somebody "
    "set you, it goes on by the clock on the wall.",
    "seed": "Which items are drawn and what their exhibits show. The same seed and history give the same exam. Left "
    "and Right, or digits, change it.",
    "which": "All, or only those that you have not seen, had wrong, flagged, or were not sure of the last time.",
    "domain": "One domain, or all.",
    "objective": "One objective of the domain, or all.",
    "study_items": "How many items, at most: Left and Right, or digits.",
}


def about(id: str, choices: ExamChoices, history: Sequence[Outcome], glyphs: Glyphs) -> list[Row]:
    """What the line of that id means."""
    if id == "exam":
        return list(_exam(choices))
    if id == "study":
        return list(_study(choices, history))
    if id == "due":
        return [
            Row("Today's review", _HEADING),
            Row("Items that are due again, those overdue for longest first, and up to five that you have never seen."),
            Row("When an item is due follows from how you answered it (FSRS).", MUTED),
        ]
    if id in _MEANING:
        return [Row(_MEANING[id])]
    return [Row("Enter shows it again.")]


def _exam(choices: ExamChoices) -> Iterator[Row]:
    blueprint = choices.course.blueprint
    yield Row("A practice exam", _HEADING)
    yield Row(
        f"The exam has {blueprint.items} items in {blueprint.minutes} minutes; here you take {choices.items} in about "
        f"{choices.minutes}. You can go back and forth, flag items and change answers. Nothing is told before you hand "
        "in; when the time is over, it is handed in as it stands."
    )
    if blueprint.hands_on:
        yield Row(f"A whole one has {blueprint.hands_on.count} labs as well.")
    yield Row("No pass mark is published. The questions are original ones, none is from the real exam.", MUTED)
    for domain in blueprint.domains:
        yield Row(domain.title, lead=((f"{domain.weight:>3} %  ", ACCENT),))


def _study(choices: ExamChoices, history: Sequence[Outcome]) -> Iterator[Row]:
    yield Row("Study", _HEADING)
    yield Row("One item after the other, without a clock. You answer, say how sure you are, and see at once why.")
    found = progress(choices.course.blueprint, choices.course.items, history)
    for domain in found.domains:
        seen = f"{domain.seen} of {domain.items} seen"
        yield Row(domain.title, lead=((f"{seen:>16}  {percent(domain.score):>5}  ", ACCENT),))
    if found.readiness:
        yield Row(f"Readiness by the last answers: {readiness_text(found.readiness)}", MUTED)
