"""What was seen, and what follows from it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from exams.attempt import Attempt
from exams.paper import MINUTE
from exams.progress import Outcome, last_seen, latest, outcomes, progress, uuids_of
from exams.rendered import from_data, to_data
from tests.exams import bank

PAPER = bank.paper(5)
LETTERS = [item.item for item in PAPER.items].index("letters")
UUID = PAPER.items[LETTERS].uuid


def history(answer: str, at: int, **more: Any) -> list[Outcome]:
    attempt = Attempt.begin(PAPER)
    events: list[dict[str, Any]] = [
        {"event": "goto", "item": LETTERS},
        {"event": "answer", "item": LETTERS, "answer": [answer]},
        {"event": "confidence", "item": LETTERS, "level": "unsure"},
        {"event": "spent", "ms": 2500},
        {"event": "submit"},
    ]
    for event in events:
        attempt.apply(event)
    return outcomes(attempt, at)


def test_only_what_was_looked_at_was_seen() -> None:
    found = history("first", 77)
    assert {one.item for one in found} == {PAPER.items[0].item, "letters"}
    one = found[-1] if found[-1].item == "letters" else found[0]
    assert (one.at, one.right, one.answered, one.ms, one.confidence) == (77, True, True, 2500, "unsure")
    assert one.pace == MINUTE


def test_outcomes_survive_json() -> None:
    found = history("last", 5)
    assert [from_data(Outcome, json.loads(json.dumps(to_data(one)))) for one in found] == found


def test_the_last_time_counts() -> None:
    both = history("last", 100) + history("first", 200)
    assert last_seen(both)[UUID] == 200
    assert latest(both)[UUID].right
    assert UUID in uuids_of(history("last", 100), "wrong") and UUID not in uuids_of(both, "wrong")
    assert uuids_of(both, "unsure") == {UUID} and not uuids_of(both, "flagged")


def test_progress_by_domain() -> None:
    course = bank.course()
    found = progress(course.blueprint, course.items, history("first", 1))
    assert [(one.id, one.items) for one in found.domains] == [("seeing", 6), ("doing", 4)]
    assert sum(one.seen for one in found.domains) == len({PAPER.items[0].item, "letters"})
    assert found.readiness is None and found.missing == 10 - len({PAPER.items[0].item, "letters"})
    assert progress(course.blueprint, course.items, []).missing == 10


def test_readiness_by_the_last_answers_from_ten_items_on() -> None:
    course = bank.course()
    one = replace(next(iter(history("first", 1))), answered=True, points="1", domain="seeing")
    seen = [replace(one, uuid=item.uuid, item=item.id, domain=item.domain) for item in course.items]
    whole, part = (progress(course.blueprint, course.items, some) for some in (seen, seen[1:]))
    assert len(seen) == 10 and whole.readiness and whole.readiness.estimate == 1.0
    assert (part.readiness, part.missing, whole.missing) == (None, 1, 0)
