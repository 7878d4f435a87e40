"""Marking without a screen: a paper and its answers to an attempt that is handed in."""

from __future__ import annotations

from collections.abc import Sequence

from exams.answers import Answer, answer_data
from exams.attempt import Attempt, Event
from exams.paper import Paper


def answer_events(answers: Sequence[Answer | None]) -> list[Event]:
    """The events of somebody who answers one item after the other, and hands in."""
    events: list[Event] = []
    for number, answer in enumerate(answers):
        events.append({"event": "goto", "item": number})
        if answer is not None:
            events.append({"event": "answer", "item": number, "answer": answer_data(answer)})
    return [*events, {"event": "submit"}]


def handed_in(paper: Paper, answers: Sequence[Answer | None]) -> Attempt:
    """The attempt with these answers. Raises BreakfixError for an answer that fits no item."""
    attempt = Attempt.begin(paper)
    for event in answer_events(answers):
        attempt.apply(event)
    return attempt
