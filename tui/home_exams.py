"""What home offers of exams: one entry for each, today's review where something is due, and those that were left."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

from engine.kernel.errors import BreakfixError
from exams.blueprint import Blueprint
from tui.home_list import EXAMS, REVIEW, Detail, Entry, Kind
from tui.store import Saved


def exam_entries() -> Iterator[Entry]:
    """The exams for which there are items."""
    from exams.catalogue import blueprint, blueprint_ids, topics

    for one in (blueprint(id) for id in blueprint_ids() if topics(id)):
        right = f"{one.level}   {one.items} items   {one.minutes} min"
        yield Entry(EXAMS, f"{one.code} {one.title}", right, tuple(_details(one)), exam=one.id)


def _details(one: Blueprint) -> Iterator[Detail]:
    yield Kind.TITLE, f"{one.code} {one.title}"
    yield Kind.TEXT, "A practice exam, study with an explanation of every answer, or today's review."
    labs = f" and {one.hands_on.count} labs" if one.hands_on else ""
    yield Kind.TEXT, f"The exam has {one.items} items{labs} in {one.minutes} minutes:"
    yield from ((Kind.BULLET, f"{domain.title}, {domain.weight} %") for domain in one.domains)
    yield Kind.MUTED, "No pass mark is published. The questions are original ones."


def review_entries() -> Iterator[Entry]:
    """Today's review of each exam of which items are due."""
    from tui.exam_history import load_history

    history = load_history()
    if not history:
        return
    from exams.catalogue import blueprint
    from exams.review import due_now

    blueprints = {one.uuid: one.blueprint for one in history}
    due = Counter(blueprints[one.uuid] for one in due_now(history, int(time.time())))
    for id, count in sorted(due.items()):
        try:
            known = blueprint(id)
        except BreakfixError:
            continue
        details = (
            (Kind.TITLE, f"Today's review: {known.code}"),
            (Kind.TEXT, "Items that you should see again now, so that you keep what you know; and some new ones."),
        )
        yield Entry(REVIEW, f"{known.code} {known.title}", f"{count} due", details, review=id)


def saved_exam(saved: Saved) -> tuple[str, str, list[Detail]]:
    """Title, how far it is, and details of an exam or a study session that was left."""
    kind, code = str(saved.header.get("kind")), str(saved.header.get("code", ""))
    far = _how_far(saved)
    told = {
        "exam": "An exam that is not handed in. It goes on with the time that was left.",
        "study": "A study session. It goes on where you were.",
    }
    details = [(Kind.TEXT, f"{code}: {far}." if far else f"{code}."), (Kind.TEXT, told[kind])]
    return f"{saved.header.get('title', '')!s} ({kind})", far or code, details


def _how_far(saved: Saved) -> str:
    """`12 of 50, 38:42 left` of an exam, `5 of 20` of a study session; empty where the file is damaged."""
    from exams.report_text import clock
    from tui.exam_history import attempt_of
    from tui.store import read_journal

    try:
        attempt = attempt_of(read_journal(saved.path))
    except (BreakfixError, TypeError, ValueError, KeyError):
        return ""
    if attempt.paper.mode == "study":
        return f"{len(attempt.counted)} of {max(len(saved.header.get('queue', ())), len(attempt.items))}"
    done = sum(attempt.is_complete(number) for number in range(len(attempt.items)))
    left = "" if attempt.time_left is None else f", {clock(attempt.time_left)} left"
    return f"{done} of {len(attempt.items)}{left}"
