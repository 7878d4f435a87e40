"""A small menu where the mouse is: for a right click on something."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.geometry import Offset, Size
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from tui.widgets.dialog import Dialog
from tui.widgets.footer import Footer

# The frame (a column each side, a row above and below), a blank beside the text, and the footer's row.
_FRAME_COLUMNS, _FRAME_ROWS, _FOOTER_ROWS = 4, 2, 1


def place(columns: int, rows: int, at: Offset, screen: Size) -> Offset:
    """Where a box of a size stands with its corner at a cell, or as near as it is whole."""
    return Offset(
        max(min(at.x, screen.width - columns), 0),
        max(min(at.y, screen.height - _FOOTER_ROWS - rows), 0),
    )


class ContextMenu(Dialog[str]):
    """`items` are ids with what the menu says; `x` and `y` the cell that was clicked. Its result is the id."""

    ABOUT = ("Menu", "The arrows and Enter choose, or a click. Escape or a click beside the menu closes it.")
    CSS = """
    ContextMenu { align: left top; background: transparent; }
    ContextMenu > OptionList { width: auto; padding: 0 1; border: round $accent; background: $surface; }
    ContextMenu > OptionList:focus { border: round $accent; background-tint: $surface 0%; }
    ContextMenu > OptionList > .option-list--option { padding: 0; }
    """

    def __init__(self, items: list[tuple[str, str]], x: int, y: int) -> None:
        super().__init__()
        self.items, self.at = items, Offset(x, y)

    def compose(self) -> ComposeResult:
        yield OptionList(*(Option(title, id=id) for id, title in self.items), markup=False)
        yield Footer()

    def on_mount(self) -> None:
        """Choose the first."""
        self.query_one(OptionList).highlighted = 0

    def on_resize(self, event: events.Resize) -> None:
        """Stand where the mouse is, within the screen."""
        menu = self.query_one(OptionList)
        columns = min(max(len(title) for _, title in self.items) + _FRAME_COLUMNS, event.size.width)
        rows = min(len(self.items) + _FRAME_ROWS, event.size.height - _FOOTER_ROWS)
        menu.styles.width, menu.styles.height = columns, rows
        menu.styles.offset = place(columns, rows, self.at, event.size)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """This one."""
        self.dismiss(event.option_id)
