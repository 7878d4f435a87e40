"""What is shown while the window is too small for anything else. Whatever is open goes on below."""

from __future__ import annotations

from typing import Any

from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.screen import Screen
from textual.widgets import Static

from tui.actions import Acts
from tui.app import LEAST_COLUMNS, LEAST_ROWS


def fits(size: Size) -> bool:
    """Whether a window of this size shows everything that matters."""
    return size.width >= LEAST_COLUMNS and size.height >= LEAST_ROWS


def look_at_size(app: App[Any], size: Size) -> None:
    """Cover everything while the window is too small. Called when the first screen is there, and at every change of
    the program's size.
    """
    begun = len(app.screen_stack) > 1  # the lowest is Textual's own, empty
    if begun and not fits(size) and not isinstance(app.screen, TooSmall):
        app.push_screen(TooSmall())


class TooSmall(Screen[None], Acts):
    """Says how large the window has to be, and goes by itself when it is."""

    DEFAULT_CSS = """
    TooSmall { align: center middle; overflow: hidden; }
    TooSmall Static { width: auto; max-width: 100%; text-align: center; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._going = False

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def on_resize(self) -> None:
        """The window is another."""
        self.look()

    def on_screen_resume(self) -> None:
        """What covered this has gone."""
        self.look()

    def look(self) -> None:
        """Go, or say how much is missing."""
        size = self.app.size
        if not fits(size):
            self.query_one(Static).update(_words(size))
        elif self.app.screen is self and not self._going:  # a second event of the same change finds it going
            self._going = True
            self.dismiss(None)


def _words(size: Size) -> str:
    return (
        f"{LEAST_COLUMNS}x{LEAST_ROWS} is the least; this is {size.width}x{size.height}.\n"
        "Make the window larger, or its letters smaller, to go on.\nYour session goes on meanwhile."
    )
