"""Before an exam or a study session is handed in: what is still open, and the last question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Button

from exams.report_text import clock
from tui.actions import action
from tui.app import breakfix
from tui.live.exam import Sitting
from tui.widgets.dialog import Dialog
from tui.widgets.rows import MUTED, Row, Rows

_NAMED = 12


class ExamSubmit(Dialog[bool | int]):
    """Its result is True to hand in, or the number of the first open item to go to."""

    title_text = "Hand in"
    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Hand in",
        "What is still open. Once it is handed in, nothing in it changes any more, and you see the result.",
    )
    DEFAULT_CSS = """
    ExamSubmit .dialog { max-width: 74; }
    ExamSubmit #buttons { height: 1; margin: 1 0 0 0; }
    """
    AUTO_FOCUS = ""

    def __init__(self, sitting: Sitting) -> None:
        super().__init__()
        self.sitting = sitting

    @property
    def open_items(self) -> list[int]:
        """Items whose answer lacks something."""
        attempt = self.sitting.attempt
        if not self.sitting.is_exam:
            return [number for number, one in enumerate(attempt.responses) if not one.revealed]
        return [number for number in range(len(attempt.items)) if not attempt.is_complete(number)]

    @property
    def has_open(self) -> bool:
        """Whether there is an open item to go to."""
        return bool(self.open_items)

    def on_mount(self) -> None:
        """While something is open, Enter leads to it: nobody hands in by pressing Enter once more."""
        self.query_one("#open" if self.has_open else "#hand-in").focus()

    def content(self) -> ComposeResult:
        yield Rows(list(self._standing()))
        with Horizontal(id="buttons"):
            yield Button("Hand in", id="hand-in", compact=True)
            if self.open_items:
                yield Button("To the first open item", id="open", compact=True)
            yield Button("Back", id="back", compact=True)

    def _standing(self) -> list[Row]:
        sitting, glyphs = self.sitting, breakfix(self).glyphs
        attempt = sitting.attempt
        if not sitting.is_exam:
            left = sitting.count - len(attempt.counted)
            return [
                Row(f"{len(attempt.counted)} of {sitting.count} items studied."),
                Row(f"The other {left} do not count." if left else "That was all.", MUTED),
            ]
        parts = [number for number in self.open_items if attempt.responses[number].answer is not None]
        empty = [number for number in self.open_items if attempt.responses[number].answer is None]
        flagged = [number for number, one in enumerate(attempt.responses) if one.flagged]
        done = sitting.count - len(self.open_items)
        lead = (f"{glyphs.ok} ", "$state-ok") if done else (f"{glyphs.unchosen} ", MUTED)
        rows = [Row(f"{done} of {sitting.count} answered", lead=(lead,))]
        for numbers, sign, word in ((empty, glyphs.unchosen, "open"), (parts, glyphs.degraded, "answered in part")):
            if numbers:
                rows.append(Row(f"{len(numbers)} {word}: {_numbers(numbers)}", lead=((f"{sign} ", "$state-degraded"),)))
        if flagged:
            rows.append(Row(f"{len(flagged)} flagged: {_numbers(flagged)}", lead=((f"{glyphs.pin} ", "$accent"),)))
        if sitting.time_left is not None:
            rows.append(Row(f"{clock(sitting.time_left)} are left.", MUTED))
        return [*rows, Row(), Row("Nothing changes any more after handing in. Wrong answers take nothing away.", MUTED)]

    @property
    def on_button(self) -> bool:
        """Whether a button has the focus."""
        return isinstance(self.focused, Button)

    @action("submit.press", "Press the button", "enter", footer=10, when="on_button")
    def press(self) -> None:
        """Press the button that has the focus."""
        if isinstance(self.focused, Button):
            self.focused.press()

    @action("submit.next", "Next button", "tab", "right", footer=20)
    def next_button(self) -> None:
        """Go to the next button."""
        self.focus_next()

    @action("submit.previous", "Button before", "shift+tab", "left", "prefix left")
    def previous_button(self) -> None:
        """Go to the button before."""
        self.focus_previous()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """What the buttons say."""
        event.stop()
        if event.button.id == "hand-in":
            self.dismiss(True)
        elif event.button.id == "open":
            # The first item's number is 0, which is not True.
            self.dismiss(self.open_items[0])
        else:
            self.close_dialog()


def _numbers(numbers: Sequence[int]) -> str:
    told = ", ".join(str(number + 1) for number in numbers[:_NAMED])
    return told + (f" and {len(numbers) - _NAMED} more" if len(numbers) > _NAMED else "")
