"""The last line: what can be done now, with its keys. A click does it too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from tui.actions import Offer
from tui.app import breakfix
from tui.keys import PREFIX, shown

_ROOMY = 100
"""Columns from which on the entries stand a little apart."""


class Footer(Widget):
    """Actions of the focus chain that ask to be shown, best rank first, as many as fit. After the prefix key it shows
    the keys that may follow.
    """

    DEFAULT_CSS = """
    Footer { height: 1; dock: bottom; background: $panel; color: $foreground; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"footer--key", "footer--title"}
    DEFAULT_CLASSES = "chrome"

    def __init__(self) -> None:
        super().__init__()
        self._cells: list[tuple[int, int, str]] = []
        self._shown: list[tuple[str, str]] = []

    def on_mount(self) -> None:
        """Follow the focus and the prefix key."""
        self.watch(self.app, "prefixed", self.look_again, init=False)
        self.screen.screen_layout_refresh_signal.subscribe(self, lambda _: self.look_again())
        self.watch(self.screen, "focused", self.look_again, init=False)
        self.call_after_refresh(self.look_again)

    def look_again(self, *_: object) -> None:
        """Show what can be done now, if that has changed."""
        entries = list(self._entries())
        if entries != self._shown:
            self._shown = entries
            self.refresh()

    def _entries(self) -> Iterator[tuple[str, str]]:
        """Key and title of each action, and the action's id after a NUL."""
        app = breakfix(self)
        offers = [one for one in app.offers() if one.enabled]
        if app.prefixed:
            for one in offers:
                for sequence in app.keymap.keys(one.action):
                    if sequence.startswith(f"{PREFIX} "):
                        yield shown(sequence.split(" ")[1]), f"{one.action.title}\0{one.action.id}"
                        break
            return
        for one in sorted((one for one in offers if one.action.footer), key=_rank):
            yield app.keymap.shown(one.action), f"{one.action.title}\0{one.action.id}"

    def render_line(self, y: int) -> Strip:
        """Draw as many entries as fit."""
        width = self.size.width
        key_style = self.get_component_rich_style("footer--key")
        title_style = self.get_component_rich_style("footer--title")
        segments: list[Segment] = []
        self._cells, column = [], 0
        gap = " " * (2 if width >= _ROOMY else 1)
        for key, named in self._shown:
            title, _, id = named.partition("\0")
            cells = len(key) + len(title) + 2 + len(gap)
            if column + cells > width + len(gap):
                continue
            self._cells.append((column, column + cells, id))
            segments += [Segment(f" {key} ", key_style), Segment(f"{title}{gap}", title_style)]
            column += cells
        base = self.rich_style
        return Strip(segments).adjust_cell_length(width, Style(bgcolor=base.bgcolor, color=base.color))

    async def on_click(self, event: events.Click) -> None:
        """Do what was clicked."""
        for start, end, id in self._cells:
            if start <= event.x < end:
                event.stop()
                breakfix(self).prefixed = False
                await breakfix(self).do_by_id(id)
                return


def _rank(offer: Offer) -> int:
    return offer.action.footer
