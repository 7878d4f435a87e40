"""A note for the ticket."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Static, TextArea

from tui.actions import action
from tui.app import breakfix
from tui.live.drill import LiveDrill
from tui.widgets.form import Form
from tui.widgets.keys_taken import keys_taken
from tui.widgets.notes_panel import note_rows
from tui.widgets.rows import MUTED, Row, Rows, key_of


class NoteDialog(Form[str]):
    """Writes a note. Its result is what to tell the learner about it."""

    title_text = "Note"
    ABOUT: ClassVar[tuple[str, str] | None] = (
        "Note",
        """
        What you write down here goes into the ticket. A note, or the reason of a drain, that says which part, what is
        wrong with it and since when helps whoever looks next.
        """,
    )
    CSS: ClassVar[str] = """
    NoteDialog #field { height: auto; margin: 1 0 0 0; }
    NoteDialog TextArea { height: auto; min-height: 1; max-height: 3; width: 1fr; border: none; padding: 0 1; }
    NoteDialog #how { width: auto; padding: 0 0 0 1; color: $muted; }
    NoteDialog #notes { height: auto; max-height: 8; margin: 1 0 0 0; }
    """
    BUTTONS: ClassVar[tuple[tuple[str, str], ...]] = (("keep", "Write it down"), ("back", "Back"))

    MOVE: ClassVar[str] = "note"
    QUESTION: ClassVar[str] = "Which part, what is wrong with it, and since when?"
    NONE_YET: ClassVar[str] = "No notes yet."

    def __init__(self, live: LiveDrill) -> None:
        super().__init__(live)
        self._warned = False

    def before(self) -> list[Row]:
        """What was written earlier."""
        return note_rows(self.live, breakfix(self).glyphs)

    def fields(self) -> ComposeResult:
        yield Rows([Row(self.QUESTION, MUTED)])
        text = TextArea(soft_wrap=True, show_line_numbers=False, tab_behavior="focus", compact=True)
        text.cursor_blink = False
        text.highlight_cursor_line = False
        key = key_of(self, "note.keep", self.actions())
        with Horizontal(id="field"):
            yield text
            yield Static(f"{key} writes it down", id="how", markup=False)
        with VerticalScroll(id="notes") as notes:
            notes.can_focus = False
            yield Rows(self.before() or [Row(self.NONE_YET, MUTED)])

    def close_dialog(self) -> None:
        """Close this; what is written and not kept is thrown away only when that is asked for twice."""
        if self.query_one(TextArea).text.strip() and not self._warned:
            self._warned = True
            self.complain("This is not written down yet. Once more Back throws it away.")
        else:
            super().close_dialog()

    @property
    def writing(self) -> bool:
        """Whether the cursor is in the note's text."""
        return isinstance(self.focused, TextArea)

    @action("note.keep", "Write it down", "enter", footer=10, when="writing")
    async def keep(self) -> None:
        """Keep the note."""
        field = self.query_one(TextArea)
        await keys_taken(field)
        text = " ".join(field.text.split())
        if not text:
            self.complain("Nothing is written yet.")
            return
        reply = await self.make(f":{self.MOVE} {text}")
        if reply is not None:
            self.dismiss(reply)

    async def pressed(self, button: str) -> None:
        await self.keep()
