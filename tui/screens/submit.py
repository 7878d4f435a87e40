"""Handing in: what is still open, and the last question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.widgets import Button

from tui.app import breakfix
from tui.live.choices import diagnosis_words
from tui.live.drill import LiveDrill
from tui.look.glyphs import Glyphs
from tui.widgets.form import Form
from tui.widgets.notes_panel import orders
from tui.widgets.rows import MUTED, Row, Rows, title


class SubmitDialog(Form[bool]):
    """Hands in and scores. Its result is True when that is done."""

    title_text = "Hand in"
    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Hand in",
        "The drill ends: nothing can be done after it. Then you see the score, what was wrong, and how to tell.",
    )
    BUTTONS: ClassVar[tuple[tuple[str, str], ...]] = (("hand-in", "Hand in"), ("back", "Back"))
    AUTO_FOCUS = "#hand-in"

    def __init__(self, live: LiveDrill) -> None:
        super().__init__(live)
        self._scoring = False

    def fields(self) -> ComposeResult:
        yield Rows(standing(self.live, breakfix(self).glyphs))

    def close_dialog(self) -> None:
        """Close this without doing anything; not while the score is worked out."""
        if not self._scoring:
            super().close_dialog()

    async def pressed(self, button: str) -> None:
        if self._scoring:
            return
        self._scoring = True
        self.complain("")
        for one in self.query(Button):
            one.disabled = True
        self.query_one(Rows).show([title("Working it out ..."), Row("Your lines run again without the fault.", MUTED)])
        self.call_after_refresh(self._hand_in)

    @work
    async def _hand_in(self) -> None:
        try:
            await self.live.submit()
        except Exception as error:
            self._scoring = False
            breakfix(self).tell_trouble("Hand in", error)
            self.complain("The score could not be worked out. What you did is kept; try again.")
            for one in self.query(Button):
                one.disabled = False
            return
        self.dismiss(True)


def standing(drill: LiveDrill, glyphs: Glyphs) -> list[Row]:
    """What is done and what is open, in words, and what handing in means."""
    rows = [_row(glyphs, done, text) for done, text in _points(drill)]
    return [*rows, Row(), Row("Nothing can be done after handing in.", MUTED)]


def _points(drill: LiveDrill) -> Iterator[tuple[bool, str]]:
    """What matters at the end: whether it is done, and how to say so."""
    if drill.session.scenario.kind != "lab":
        yield _diagnosis(drill)
        pins, notes = len(drill.pins), len(drill.notes) + len(drill.session.journal.of("record"))
        yield bool(pins), f"{_count(pins, 'line')} pinned as evidence" if pins else "No evidence is pinned"
        yield bool(notes), "Something is written down" if notes else "Nothing is written down: no note, no drain reason"
    waiting = [order for order in orders(drill) if not order.done]
    if waiting:
        due = drill.session.clock(max(order.due_at for order in waiting))
        yield False, f"{_count(len(waiting), 'order')} still under way in the machine room, until {due}"
    busy = [number for number in drill.known_terminals() if drill.seat(number).busy]
    if busy:
        yield False, f"A command still runs in terminal {', '.join(map(str, busy))}"


def _diagnosis(drill: LiveDrill) -> tuple[bool, str]:
    if not drill.diagnoses:
        return False, "No diagnosis was given"
    component, cause = drill.diagnoses[-1].words
    return True, f"Your diagnosis: {diagnosis_words(component, drill.session.vocabulary.get(cause, cause))}"


def _row(glyphs: Glyphs, done: bool, text: str) -> Row:
    if done:
        return Row(text, lead=((f"{glyphs.tick} ", "$state-ok"), ("done  ", MUTED)))
    return Row(text, lead=((f"{glyphs.degraded} ", "$state-degraded"), ("open  ", "$state-degraded")))


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
