"""Help: what can be done here, and with which keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Input

from tui.actions import Offer, action
from tui.app import breakfix
from tui.help_text import HelpLine, Section, searched, sections
from tui.widgets.dialog import Dialog
from tui.widgets.rows import ACCENT, MUTED, Row, Rows, title

_KEY_COLUMNS = 16


class Help(Dialog[None]):
    """`offered` are the actions that can be done where help was asked for, `texts` title and text of what has focus."""

    title_text = "Help"
    DEFAULT_CSS = """
    Help .dialog { height: 90%; }
    Help Input { height: 1; border: none; padding: 0; background: $panel; margin-bottom: 1; }
    Help #told { height: 1fr; }
    """

    def __init__(self, offered: list[Offer], texts: list[tuple[str, str]]) -> None:
        super().__init__()
        self.offered, self.texts = offered, texts
        self._told = VerticalScroll(Rows(), id="told", can_focus=False)
        self._sections: list[Section] = []

    def content(self) -> ComposeResult:
        """A line to search in, and the help."""
        yield Input(placeholder="type to search", compact=True)
        yield self._told

    def on_mount(self) -> None:
        """Show everything."""
        self._sections = sections(self.offered, self.texts, breakfix(self).keymap)
        self._show("")
        self.query_one(Input).focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Only what fits."""
        self._show(event.value)

    def _show(self, query: str) -> None:
        rows = list(self._rows(searched(self._sections, query)))
        self._told.query_one(Rows).show(rows or [Row("Nothing here fits what you typed.", MUTED)])
        self._told.scroll_home(animate=False)

    def _rows(self, found: Iterable[Section]) -> Iterator[Row]:
        for number, section in enumerate(found):
            if number:
                yield Row()
            yield title(section.title)
            for line in section.lines:
                yield from self._line(line)

    def _line(self, line: HelpLine) -> Iterator[Row]:
        """Keys stand in a column of their own; too many of them get a row of their own."""
        if line.bullet:
            yield Row(line.text, lead=((f"{breakfix(self).glyphs.bullet} ", MUTED),))
        elif not line.keys:
            yield Row(line.text)
        elif cell_len(line.keys) < _KEY_COLUMNS:
            yield Row(line.text, lead=((f"{line.keys:<{_KEY_COLUMNS}}", ACCENT),))
        else:
            yield Row(line.keys, ACCENT)
            yield Row(line.text, lead=((" " * _KEY_COLUMNS, ""),))

    @action("help.up", "Scroll up", "up")
    def up(self) -> None:
        """Show what stands above."""
        self._told.scroll_up(animate=False)

    @action("help.down", "Scroll down", "down", footer=20)
    def down(self) -> None:
        """Show what stands below."""
        self._told.scroll_down(animate=False)

    @action("help.page_up", "Page up", "pageup")
    def page_up(self) -> None:
        """A page back."""
        self._told.scroll_page_up(animate=False)

    @action("help.page_down", "Page down", "pagedown", footer=21)
    def page_down(self) -> None:
        """A page on."""
        self._told.scroll_page_down(animate=False)

    @action("app.help", "Help", "f1", "prefix ?", footer=90)
    def close_help(self) -> None:
        """What can be done here, and with which keys; once more goes back."""
        self.dismiss(None)
