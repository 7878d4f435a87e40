"""An attempt: an exam or a study session under way, as a paper and the events since.

Events are plain dictionaries for a journal; the same events give the same attempt, so one that was left or died is
taken up where its journal ends. Time passes by events alone (`spent`); nothing here reads a clock.

    {"event": "start", "paper": {...}}                      always the first
    {"event": "item", "item": {...}}                        study: another item
    {"event": "goto", "item": 3}                            items count from 0
    {"event": "answer", "item": 3, "answer": ["b"]}         see exams.answers; null clears
    {"event": "flag", "item": 3, "on": true}
    {"event": "note", "item": 3, "text": "..."}
    {"event": "confidence", "item": 3, "level": "sure"}     sure, unsure, guess; null clears
    {"event": "spent", "ms": 5000, "at": 1790000000}        on the item in view; `at` is the wall clock (s since 1970)
    {"event": "reveal", "item": 3}                          study: marked and explained, and no longer changed
    {"event": "submit"}
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from engine.kernel.errors import BreakfixError
from engine.kernel.names import unknown
from exams.answers import Answer, answer_from, is_complete
from exams.marking import Mark, mark
from exams.paper import Paper
from exams.rendered import Rendered, from_data, to_data

Event = dict[str, Any]
Confidence = Literal["sure", "unsure", "guess"]
Ending = Literal["submitted", "time"]

NOTE_LIMIT = 4_000
SET_BACK_NOTED = 2_000
"""Clocks are corrected by a second now and then; only more is worth a note (ms)."""


@dataclass
class Response:
    """What somebody did with an item. `settled` are the answers that stood when they left it, each once in a row."""

    answer: Answer | None = None
    settled: list[Answer | None] = field(default_factory=list)
    flagged: bool = False
    note: str = ""
    confidence: Confidence | None = None
    milliseconds: int = 0
    seen: bool = False
    revealed: bool = False


@dataclass
class Attempt:
    """The state after some events. `spent` is the time that counts; `set_back` how far the clock was turned back."""

    paper: Paper
    items: list[Rendered] = field(default_factory=list)
    responses: list[Response] = field(default_factory=list)
    current: int = 0
    spent: int = 0
    ended: Ending | None = None
    clock: int | None = None
    set_back: int = 0

    @classmethod
    def begin(cls, paper: Paper) -> Attempt:
        """A new attempt; its journal begins with `start_event(paper)`."""
        attempt = cls(paper, list(paper.items), [Response() for _ in paper.items])
        attempt.clock = paper.started
        attempt._look(0)
        return attempt

    @classmethod
    def replay(cls, events: Iterable[Event]) -> Attempt:
        """The attempt after the events of a journal. Raises BreakfixError where they are none of an attempt."""
        stream = iter(events)
        first = next(stream, {})
        if first.get("event") != "start":
            raise BreakfixError("this is no journal of an exam: it does not begin with a paper")
        attempt = cls.begin(from_data(Paper, first.get("paper")))
        for event in stream:
            attempt.apply(event)
        return attempt

    def apply(self, event: Event) -> None:
        """Let an event happen. Raises BreakfixError, and changes nothing, where it cannot."""
        kind = event.get("event")
        if kind not in _EVENTS:
            raise BreakfixError(unknown("event", str(kind), _EVENTS))
        if self.ended and kind != "note":
            raise BreakfixError("it is handed in; nothing in it changes any more")
        _EVENTS[kind](self, event)

    @property
    def time_left(self) -> int | None:
        """Milliseconds; None without a limit."""
        return None if self.paper.time is None else max(self.paper.time - self.spent, 0)

    @property
    def answered(self) -> int:
        """How many items have an answer."""
        return sum(response.answer is not None for response in self.responses)

    @property
    def counted(self) -> list[int]:
        """The items that count: in an exam all of them, in study those that were revealed."""
        return [number for number, one in enumerate(self.responses) if self.paper.mode == "exam" or one.revealed]

    def mark(self, number: int) -> Mark:
        """The mark of an item as it is answered now."""
        return mark(self.items[number], self.responses[number].answer, self.paper.rules)

    def is_complete(self, number: int) -> bool:
        """Whether an item's answer lacks nothing."""
        return is_complete(self.items[number], self.responses[number].answer)

    def _number(self, event: Event) -> int:
        number = event.get("item")
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < len(self.items):
            raise BreakfixError(f"there is no item {number}; there are {len(self.items)}, from 0")
        return number

    def _open(self, event: Event) -> Response:
        """The response to an item that can still be answered."""
        response = self.responses[self._number(event)]
        if response.revealed:
            raise BreakfixError("this item is marked; its answer no longer changes")
        return response

    def _look(self, number: int) -> None:
        self.current = number
        if self.responses:
            self.responses[number].seen = True

    def _settle(self) -> None:
        """The item in view is left with its answer as it stands."""
        if self.responses:
            response = self.responses[self.current]
            if response.answer != (response.settled[-1] if response.settled else None):
                response.settled.append(response.answer)

    def _end(self, ending: Ending) -> None:
        self._settle()
        self.ended = ending

    def _item(self, event: Event) -> None:
        if self.paper.mode == "exam":
            raise BreakfixError("the items of an exam are settled before it begins")
        rendered = from_data(Rendered, event.get("item"))
        self.items.append(rendered)
        self.responses.append(Response())
        if len(self.items) == 1:
            self._look(0)

    def _goto(self, event: Event) -> None:
        number = self._number(event)
        self._settle()
        self._look(number)

    def _answer(self, event: Event) -> None:
        response = self._open(event)
        response.answer = answer_from(self.items[self._number(event)], event.get("answer"))

    def _flag(self, event: Event) -> None:
        self.responses[self._number(event)].flagged = bool(event.get("on", True))

    def _note(self, event: Event) -> None:
        self.responses[self._number(event)].note = str(event.get("text", ""))[:NOTE_LIMIT]

    def _confidence(self, event: Event) -> None:
        level = event.get("level")
        if level is not None and level not in get_args(Confidence):
            raise BreakfixError(unknown("confidence", str(level), get_args(Confidence)))
        self._open(event).confidence = level

    def _spent(self, event: Event) -> None:
        passed = _time(event.get("ms"))
        at = _time(event["at"]) if event.get("at") is not None else self.clock
        by_clock = (at - self.clock) * 1000 if at is not None and self.clock is not None else 0
        if by_clock < -SET_BACK_NOTED:
            self.set_back -= by_clock
        self.clock = at
        counted = max(passed, by_clock) if self.paper.assigned else passed
        left = self.time_left
        self.spent += counted if left is None else min(counted, left)
        if self.responses:
            self.responses[self.current].milliseconds += passed if left is None else min(passed, left)
        if self.time_left == 0:
            self._end("time")

    def _reveal(self, event: Event) -> None:
        if self.paper.mode == "exam":
            raise BreakfixError("an exam tells nothing before it is handed in")
        response = self._open(event)
        if self._number(event) == self.current:
            self._settle()
        response.revealed = response.seen = True

    def _submit(self, event: Event) -> None:
        self._end("submitted")


def start_event(paper: Paper) -> Event:
    """The first event of an attempt's journal."""
    return {"event": "start", "paper": to_data(paper)}


def item_event(rendered: Rendered) -> Event:
    """The event that adds an item to a study session."""
    return {"event": "item", "item": to_data(rendered)}


def _time(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise BreakfixError("times are whole numbers: `ms` milliseconds that were spent, `at` seconds since 1970")
    return value


_EVENTS = {
    "item": Attempt._item,
    "goto": Attempt._goto,
    "answer": Attempt._answer,
    "flag": Attempt._flag,
    "note": Attempt._note,
    "confidence": Attempt._confidence,
    "spent": Attempt._spent,
    "reveal": Attempt._reveal,
    "submit": Attempt._submit,
}
