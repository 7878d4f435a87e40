"""The glossary as a dialog: a line to search in, and the terms that fit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input

from tui.actions import action
from tui.glossary import Term, fitting, terms
from tui.widgets.dialog import Dialog
from tui.widgets.rows import ACCENT, MUTED, Row, Rows


class Glossary(Dialog[None]):
    """The terms; `about` is what to begin with."""

    title_text = "Glossary"
    ABOUT = ("Glossary", "Type a word, or a part of what it means. Below each term stand commands that show it.")
    DEFAULT_CSS = """
    Glossary .dialog { height: 90%; }
    Glossary Input { height: 1; border: none; padding: 0; background: $panel; margin-bottom: 1; }
    Glossary #terms { height: 1fr; }
    """

    def __init__(self, about: str = "") -> None:
        super().__init__()
        self.about = about
        self._told = VerticalScroll(Rows(), id="terms", can_focus=False)

    def content(self) -> ComposeResult:
        """A line to search in, and the terms."""
        yield Input(self.about, placeholder="type to search", compact=True, select_on_focus=True)
        yield self._told

    def on_mount(self) -> None:
        """Show what fits, or everything."""
        self._show(fitting(self.about) if self.about else terms())
        self.query_one(Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Only what fits."""
        self._show(fitting(event.value) if event.value.strip() else terms())

    def _show(self, found: Sequence[Term]) -> None:
        rows = list(_rows(found))
        self._told.query_one(Rows).show(rows or [Row("Nothing here fits what you typed.", MUTED)])
        self._told.scroll_home(animate=False)

    @action("glossary.up", "Scroll up", "up")
    def up(self) -> None:
        """Show what stands above."""
        self._told.scroll_up(animate=False)

    @action("glossary.down", "Scroll down", "down", footer=20)
    def down(self) -> None:
        """Show what stands below."""
        self._told.scroll_down(animate=False)

    @action("glossary.page_up", "Page up", "pageup")
    def page_up(self) -> None:
        """A page back."""
        self._told.scroll_page_up(animate=False)

    @action("glossary.page_down", "Page down", "pagedown", footer=21)
    def page_down(self) -> None:
        """A page on."""
        self._told.scroll_page_down(animate=False)


def _rows(found: Sequence[Term]) -> Iterator[Row]:
    for number, term in enumerate(found):
        if number:
            yield Row()
        yield Row(term.title, ACCENT)
        yield Row(term.means)
        yield Row(f"Shown by: {term.shown_by}", MUTED)
