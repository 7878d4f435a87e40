"""Attempts: events in, the same state out."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.errors import BreakfixError
from exams.answers import Chosen, answer_data, right_answer
from exams.attempt import Attempt, Event, item_event, start_event
from exams.paper import MINUTE, Paper, study_item, study_paper
from exams.unattended import handed_in
from tests.exams import bank

PAPER = bank.paper(5)
KINDS = {item.kind: number for number, item in reversed(list(enumerate(PAPER.items)))}


def begun(paper: Paper = PAPER, *events: Event) -> Attempt:
    attempt = Attempt.begin(paper)
    for event in events:
        attempt.apply(event)
    return attempt


def answer_events(number: int) -> st.SearchStrategy[Event]:
    given_answers = st.none() | bank.answers(PAPER.items[number])
    return given_answers.map(lambda one: {"event": "answer", "item": number, "answer": answer_data(one)})


NUMBERS = st.integers(0, len(PAPER.items) - 1)
EVENTS = st.one_of(
    NUMBERS.flatmap(answer_events),
    NUMBERS.map(lambda number: {"event": "goto", "item": number}),
    st.tuples(NUMBERS, st.booleans()).map(lambda one: {"event": "flag", "item": one[0], "on": one[1]}),
    st.tuples(NUMBERS, st.text(max_size=5)).map(lambda one: {"event": "note", "item": one[0], "text": one[1]}),
    st.tuples(NUMBERS, st.sampled_from(["sure", "unsure", "guess", None])).map(
        lambda one: {"event": "confidence", "item": one[0], "level": one[1]}
    ),
    st.tuples(st.integers(0, 400_000), st.integers(0, 3000)).map(
        lambda one: {"event": "spent", "ms": one[0], "at": one[1]}
    ),
)


@settings(deadline=None)
@given(st.lists(EVENTS, max_size=40), st.booleans())
def test_a_replay_gives_the_same_attempt_and_time_never_runs_over(events: list[Event], assigned: bool) -> None:
    paper = bank.paper(5, assigned=assigned)
    attempt = Attempt.begin(paper)
    journal = [start_event(paper)]
    for event in events:
        if not attempt.ended:
            attempt.apply(event)
            journal.append(event)
    again = Attempt.replay(json.loads(json.dumps(journal)))
    assert again == attempt
    assert [again.mark(number) for number in again.counted] == [attempt.mark(number) for number in attempt.counted]
    assert paper.time is not None and 0 <= attempt.spent <= paper.time
    assert sum(response.milliseconds for response in attempt.responses) <= attempt.spent
    assert (attempt.ended == "time") == (attempt.time_left == 0)


def test_answers_are_given_changed_and_cleared() -> None:
    number = KINDS["single"]
    item = PAPER.items[number]
    attempt = begun(PAPER, {"event": "answer", "item": number, "answer": [item.choices[0].id]})
    assert attempt.responses[number].answer == Chosen((item.choices[0].id,)) and attempt.answered == 1
    attempt.apply({"event": "answer", "item": number, "answer": None})
    assert attempt.responses[number].answer is None and attempt.answered == 0


def test_time_is_what_was_spent_and_counts_for_the_item_in_view() -> None:
    attempt = begun(
        PAPER,
        {"event": "spent", "ms": 3000, "at": 1003},
        {"event": "goto", "item": 2},
        {"event": "spent", "ms": 5000, "at": 9000},
    )
    assert [attempt.responses[number].milliseconds for number in (0, 1, 2)] == [3000, 0, 5000]
    assert attempt.time_left == 21 * MINUTE - 8000
    assert [response.seen for response in attempt.responses[:4]] == [True, False, True, False]


def test_in_an_assigned_exam_time_runs_on_while_nothing_is_written() -> None:
    paper = bank.paper(5, assigned=True)
    attempt = begun(paper, {"event": "spent", "ms": 1000, "at": 1001}, {"event": "spent", "ms": 0, "at": 1601})
    assert attempt.time_left == 21 * MINUTE - 601_000
    assert attempt.responses[0].milliseconds == 1000
    attempt.apply({"event": "spent", "ms": 0, "at": paper.deadline})
    assert attempt.ended == "time"


def test_a_clock_that_was_set_back_is_noted_and_gains_nothing() -> None:
    paper = bank.paper(5, assigned=True)
    attempt = begun(
        paper,
        {"event": "spent", "ms": 60_000, "at": 1060},
        {"event": "spent", "ms": 60_000, "at": 520},
        {"event": "spent", "ms": 60_000, "at": 580},
    )
    assert attempt.set_back == 540_000
    assert attempt.time_left == 18 * MINUTE
    assert begun(paper, {"event": "spent", "ms": 900, "at": 999}).set_back == 0


def test_at_the_end_of_the_time_it_is_handed_in_as_it_stands() -> None:
    number = KINDS["numeric"]
    attempt = begun(
        PAPER,
        {"event": "answer", "item": number, "answer": "1"},
        {"event": "spent", "ms": 30 * MINUTE},
    )
    assert attempt.ended == "time" and attempt.responses[number].answer is not None
    with pytest.raises(BreakfixError, match="it is handed in"):
        attempt.apply({"event": "answer", "item": number, "answer": "2"})
    attempt.apply({"event": "note", "item": number, "text": "afterwards"})
    assert attempt.responses[number].note == "afterwards"


@pytest.mark.parametrize(
    ("event", "what"),
    [
        ({"event": "anser"}, 'unknown event "anser"; did you mean "answer"'),
        ({}, "unknown event"),
        ({"event": "goto", "item": 99}, "there is no item 99"),
        ({"event": "goto", "item": True}, "there is no item True"),
        ({"event": "confidence", "item": 0, "level": "shure"}, 'unknown confidence "shure"; did you mean "sure"'),
        ({"event": "spent", "ms": -1}, "times are whole numbers"),
        ({"event": "spent", "ms": 1.5}, "times are whole numbers"),
        ({"event": "reveal", "item": 0}, "an exam tells nothing before it is handed in"),
        ({"event": "item", "item": {}}, "the items of an exam are settled"),
        ({"event": "answer", "item": KINDS["single"], "answer": ["nope"]}, 'unknown choice "nope"'),
    ],
)
def test_what_cannot_happen_is_told_and_changes_nothing(event: Event, what: str) -> None:
    attempt = begun()
    with pytest.raises(BreakfixError) as caught:
        attempt.apply(event)
    assert what in caught.value.message
    assert attempt == begun()


@pytest.mark.parametrize("journal", [[], [{"event": "submit"}], [{"event": "start", "paper": {"mode": "exam"}}]])
def test_a_journal_that_is_none_is_told(journal: list[Event]) -> None:
    with pytest.raises(BreakfixError, match=r"no journal of an exam|a broken record of an exam"):
        Attempt.replay(journal)


def study(*ids: str) -> tuple[Attempt, list[Event]]:
    paper = study_paper(bank.course(), 3, started=10)
    items = [asyncio.run(study_item(paper, bank.course().item(id))) for id in ids]
    events = [start_event(paper), *(item_event(item) for item in items)]
    return Attempt.replay(events), events


def test_study_marks_at_once_and_then_the_answer_stays() -> None:
    attempt, events = study("letters", "vowels")
    more: list[Any] = [
        {"event": "answer", "item": 0, "answer": ["first"]},
        {"event": "reveal", "item": 0},
    ]
    for event in more:
        attempt.apply(event)
    assert attempt.counted == [0] and attempt.mark(0).right
    with pytest.raises(BreakfixError, match="its answer no longer changes"):
        attempt.apply({"event": "answer", "item": 0, "answer": ["last"]})
    assert Attempt.replay([*events, *more]) == attempt
    assert attempt.time_left is None


def test_a_program_that_died_goes_on_where_its_journal_ends() -> None:
    journal = [start_event(PAPER), {"event": "spent", "ms": 60_000, "at": 1060}, {"event": "goto", "item": 3}]
    again = Attempt.replay(journal)
    again.apply({"event": "spent", "ms": 1000, "at": 90_000})
    assert (again.current, again.time_left) == (3, 21 * MINUTE - 61_000)


def test_without_a_screen_right_answers_get_every_point() -> None:
    attempt = handed_in(PAPER, [right_answer(item) for item in PAPER.items])
    assert attempt.ended == "submitted" and all(attempt.mark(number).right for number in attempt.counted)
