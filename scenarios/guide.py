"""The guide of a scenario: steps that are told one after the other, and which of them the learner has done.

It looks at nothing but the journal of the session (and at which parts of the full-screen program were opened), so every
front end can tell the steps: the full-screen program in a panel, plain mode as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.kernel.documents import Path
from engine.kernel.errors import BreakfixError
from engine.kernel.names import quoted
from scenarios.answering import is_right
from scenarios.model import GuideSign, GuideStep, Scenario
from scenarios.patterns import TextPattern
from scenarios.script import MOVE_WORDS

if TYPE_CHECKING:
    from scenarios.journal import Entry
    from scenarios.session import DrillSession

_KEY = re.compile(r"\{key:(?P<id>[^{}]*)\}")
_ACTION_ID = re.compile(r"[a-z_]+\.[a-z_]+")

_PLAIN_WORDS = {"workspace.time": ":wait", "workspace.side": ":briefing", "app.help": ":help"}
"""Moves of plain mode that stand for keys; others are called like the action."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step as it stands now, with what the seed chose. `text` may hold `{key:...}`; `do` are lines of a script."""

    number: int
    title: str
    text: str
    do: tuple[str, ...]
    done: bool
    learned: str = ""


class Guide:
    """Where a learner is in the guide of a session.

    Each thing that the learner does is a sign for one step at most: the first that is not done and that it fits.
    A step that waits for something to be opened counts as done too when a later one is: no journal tells of it.
    """

    def __init__(self, session: DrillSession) -> None:
        self._session = session
        self._steps = session.scenario.guide
        self._done = [False] * len(self._steps)
        self._read = 0

    def opened(self, what: str) -> None:
        """A part of the full-screen program was opened."""
        self._tick(lambda sign: sign.opened == what)

    @property
    def steps(self) -> list[Step]:
        """All steps, as they stand now."""
        self.follow()
        return [self._step(number) for number in range(len(self._steps))]

    @property
    def current(self) -> Step | None:
        """The first step that is not done; None at the end."""
        return next((step for step in self.steps if not step.done), None)

    def follow(self) -> None:
        """Look at what was done since the last time."""
        entries = self._session.journal.entries
        values = self._session.stage.choices.texts
        for entry in entries[self._read :]:
            self._tick(lambda sign, entry=entry: _shows(sign, entry, values))  # type: ignore[misc]
        self._read = len(entries)
        for sign in (sign for step in self._steps for sign in step.done if self._stands(sign)):
            self._tick(lambda one, sign=sign: one is sign)  # type: ignore[misc]

    def _stands(self, sign: GuideSign) -> bool:
        """Whether a sign that is no single act stands now: something holds, a question is answered."""
        if sign.fact is not None:
            return self._session.stage.holds(sign.fact, self._session.simulation)
        if sign.answer is None:
            return False
        given = self._session.answers.get(sign.answer)
        asked = next(one for one in self._session.scenario.questions if one.id == sign.answer)
        return given is not None and is_right(self._session.stage, asked, given)

    def _tick(self, fits: Callable[[GuideSign], bool]) -> None:
        for number, step in enumerate(self._steps):
            if not self._done[number] and self._has_come(number) and any(fits(sign) for sign in step.done):
                self._done[number] = True
                return

    def _has_come(self, number: int) -> bool:
        """Whether signs of a step count: always, but for one that stands in order."""
        before = zip(self._steps[:number], self._done, strict=False)
        return not self._steps[number].in_order or all(done or _is_opening(step) for step, done in before)

    def _step(self, number: int) -> Step:
        step, fill = self._steps[number], self._session.stage.fill
        done = self._done[number] or (_is_opening(step) and any(self._done[number:]))
        lines = tuple(fill(step.do).strip().splitlines()) if step.do else ()
        learned = " ".join(fill(step.learned).split()) if step.learned else ""
        return Step(number + 1, fill(step.title), " ".join(fill(step.text).split()), lines, done, learned)


def _is_opening(step: GuideStep) -> bool:
    return all(sign.opened for sign in step.done)


def _shows(sign: GuideSign, entry: Entry, values: dict[str, str]) -> bool:
    """Whether an entry of the journal is that sign."""
    if sign.opened or sign.answer or sign.fact:
        return False
    if entry.kind != ("message" if sign.told else sign.move or "line"):
        return False
    said = entry.everything if entry.kind == "line" else " ".join([*entry.words, entry.text])
    wanted = [(sign.line, entry.text), (sign.shown, said), (sign.told, entry.text)]
    return all(pattern.find(text, values) for pattern, text in wanted if pattern is not None)


def plain_step(session: DrillSession, guide: Guide) -> str:
    """The next step for a front end without keys and screens; empty when there is none.

    What can only be opened on the full screen is left out; keys are told as moves (`:pin`).
    """
    shown = [step for step in guide.steps if not _is_opening(session.scenario.guide[step.number - 1])]
    before = ""
    for place, step in enumerate(shown, 1):
        if not step.done:
            lines = [f"Step {place} of {len(shown)}: {step.title}", with_keys(step.text, plain_key)]
            learned = [f"{before}\n"] if before else []
            return "\n".join([*learned, *lines, *(f"    {line}" for line in step.do)])
        before = step.learned
    return ""


def plain_key(id: str) -> str:
    """What plain mode has in place of an action's key."""
    name = id.partition(".")[2]
    return _PLAIN_WORDS.get(id) or (f":{name}" if name in MOVE_WORDS else f"the full screen's {name}")


def with_keys(text: str, key_of: Callable[[str], str]) -> str:
    """A step's text with `key_of(id)` in place of each `{key:id}`."""
    return "".join(key_of(piece) if is_key else piece for piece, is_key in pieces(text))


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """A step's text in pieces: (text, False), and (the action's id, True) where a key is to stand."""
    place = 0
    for found in _KEY.finditer(text):
        yield text[place : found.start()], False
        yield found["id"], True
        place = found.end()
    yield text[place:], False


# What the check of scenario files asks


def templates(scenario: Scenario) -> Iterator[tuple[Path, str]]:
    """Texts that may hold names."""
    for number, step in enumerate(scenario.guide):
        for key in ("title", "text", "do", "learned"):
            if text := getattr(step, key):
                yield ("guide", number, key), text


def scripts(scenario: Scenario) -> Iterator[tuple[Path, str]]:
    """The lines that the steps give."""
    yield from ((("guide", number, "do"), step.do) for number, step in enumerate(scenario.guide) if step.do)


def signs(scenario: Scenario) -> Iterator[tuple[Path, GuideSign]]:
    """Every sign of every step."""
    for number, step in enumerate(scenario.guide):
        yield from ((("guide", number, "done", place), sign) for place, sign in enumerate(step.done))


def patterns(scenario: Scenario) -> Iterator[tuple[Path, TextPattern]]:
    """Every pattern of every sign."""
    for path, sign in signs(scenario):
        for key in ("line", "shown", "told"):
            if pattern := getattr(sign, key):
                yield (*path, key), pattern


def require_sense(sign: GuideSign) -> None:
    """Raise BreakfixError for a sign that nothing can be."""
    given = sorted(key for key in ("line", "move", "opened", "told", "answer", "fact") if getattr(sign, key))
    if len(given) > 1:
        raise BreakfixError(f"nothing is {' and '.join(quoted(key) for key in given)} at once; give one sign for each")
    if not given and sign.shown is None:
        raise BreakfixError("a sign needs one of line, shown, move, told, opened, answer, fact")
    if sign.shown and not (sign.line or sign.move) and given:
        raise BreakfixError('"shown" goes with a line or a move')


def require_keys(text: str) -> None:
    """Raise BreakfixError for a `{key:...}` that holds no action's id."""
    for piece, is_key in pieces(text):
        if is_key and not _ACTION_ID.fullmatch(piece):
            raise BreakfixError(f"{quoted('{key:' + piece + '}')} is no key; write it like {{key:drill.note}}")
