"""Something to write about an item: a note for oneself, or what is wrong with it."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Button, TextArea

from exams.attempt import NOTE_LIMIT
from tui.actions import action
from tui.widgets.dialog import Dialog
from tui.widgets.rows import MUTED, Row, Rows


class ExamNote(Dialog[str]):
    """Its result is the text."""

    title_text = "Note"
    ABOUT: ClassVar[tuple[str, str] | None] = ("Note", "Write, and keep it with Enter. Esc leaves it as it was.")
    DEFAULT_CSS = """
    ExamNote .dialog { max-width: 74; }
    ExamNote TextArea { height: 6; border: none; padding: 0 1; margin: 1 0 0 0; }
    ExamNote #buttons { height: 1; margin: 1 0 0 0; }
    """

    def __init__(self, title: str, about: str, text: str = "") -> None:
        super().__init__()
        self.title_text, self._about, self._text = title, about, text

    def content(self) -> ComposeResult:
        yield Rows([Row(self._about, MUTED)])
        text = TextArea(
            self._text, soft_wrap=True, show_line_numbers=False, tab_behavior="focus", compact=True, id="text"
        )
        text.cursor_blink = False
        text.highlight_cursor_line = False
        yield text
        with Horizontal(id="buttons"):
            yield Button("Keep it", id="keep", compact=True)
            yield Button("Back", id="back", compact=True)

    def on_mount(self) -> None:
        """Write on where the text ends."""
        text = self.query_one(TextArea)
        text.move_cursor(text.document.end)
        text.focus()

    @property
    def writing(self) -> bool:
        """Whether the cursor is in the text."""
        return isinstance(self.focused, TextArea)

    @action("note.keep", "Keep it", "enter", footer=10, when="writing")
    def keep(self) -> None:
        """Keep what is written."""
        self.dismiss(self.query_one(TextArea).text.strip()[:NOTE_LIMIT])

    @on(Button.Pressed)
    def _button(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "keep":
            self.keep()
        else:
            self.close_dialog()
