"""The way into an exam or a study session in plain mode, which exam and which saved session; and the way out."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from engine.kernel.errors import BreakfixError

if TYPE_CHECKING:
    from exams.catalogue import Course
    from exams.paper import Told
    from tui.live.exam import Sitting
    from tui.store import Saved


def course_named(name: str) -> Course:
    """The exam of that name, or of the file at a path. Raises BreakfixError if there is none, or if it has no items."""
    from exams.catalogue import find

    course = find(name)
    if not course.items:
        raise BreakfixError(f"{course.blueprint.code} has no items yet", "`breakfix list exams` shows the exams.")
    return course


def exams_with_items() -> list[str]:
    """Ids of the packaged exams that have items."""
    from exams.catalogue import blueprint_ids, topics

    return [id for id in blueprint_ids() if topics(id)]


def chosen_exam() -> str | None:
    """Let the learner choose an exam from a numbered list; None to leave. Of one alone there is nothing to choose."""
    from exams.catalogue import blueprint

    known = [blueprint(id) for id in exams_with_items()]
    for number, one in enumerate(known, 1):
        print(f"{number:3}  {one.code}  {one.title}, {one.items} questions, {one.minutes} minutes")
    try:
        answer = input("Which one? Type its number, or Enter to leave. ").strip() if sys.stdin.isatty() else ""
    except EOFError:
        answer = ""
    if answer.isascii() and answer.isdigit() and 1 <= int(answer[:9]) <= len(known):
        return known[int(answer) - 1].id
    return answer or None


def is_of(saved: Saved, name: str) -> bool:
    """Whether a saved exam or study session is of the exam with that id, code or file."""
    known = {str(saved.header.get(key)).casefold() for key in ("blueprint", "source", "code")}
    return name.casefold() in known or str(Path(name).resolve()).casefold() in known


def last_left(kind: str, name: str | None) -> Saved:
    """The last exam or study session (of that exam) that was left. Raises BreakfixError if there is none."""
    from tui.store import saved_sessions

    for one in saved_sessions(kind):
        if name is None or is_of(one, name):
            return one
    what = "exam" if kind == "exam" else "study session"
    raise BreakfixError(f"there is no {what} to take up again", f"`breakfix {kind} NCA-AIIO` begins one.")


def tell_what_was_left(kind: str) -> None:
    """Remind of one that was left before another one begins."""
    try:
        left = last_left(kind, None)
    except BreakfixError:
        return
    print(f"({left.header.get('code')} was left and is kept: `breakfix {kind} --plain --resume` goes on with it.)\n")


def progress() -> Told | None:
    """Tells at a terminal how far the exhibits of a paper are; the line is gone in the end."""
    if not sys.stderr.isatty():
        return None

    def show(done: int, total: int) -> None:
        line = f"preparing item {done + 1} of {total}" if done + 1 < total else ""
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    return show


async def take(sitting: Sitting, *, resumed: bool, as_json: bool, html: str | None) -> int:
    """Take the exam, then report on it, and look at items again. Returns 0."""
    from tui.plain.exam import ExamConversation, tell_opening, tell_problems
    from tui.plain.exam_reading import best_lines
    from tui.plain.exam_result import look_again, show_report
    from tui.plain.exam_words import EXAM_WORDS

    lines = best_lines([word for word in EXAM_WORDS if len(word) > 1])
    tell_opening(sitting, resumed=resumed)
    known = tell_problems(sitting)
    found = await ExamConversation(sitting, lines).run()
    if found is not None:
        show_report(found, as_json=as_json, html=html)
        if not as_json:
            await look_again(found, lines)
    tell_problems(sitting, known)
    return 0


async def study(sitting: Sitting) -> int:
    """Study until there are no more items, or it is left. Returns 0."""
    from tui.plain.exam import tell_problems
    from tui.plain.exam_reading import best_lines
    from tui.plain.exam_study import StudyConversation
    from tui.plain.exam_words import STUDY_WORDS

    paper = sitting.attempt.paper
    print(f"{paper.code}  {paper.title}  (study, seed {paper.seed})\nType `help` for what can be typed.")
    await StudyConversation(sitting, best_lines([word for word in STUDY_WORDS if len(word) > 1])).run()
    tell_problems(sitting)
    return 0
