"""The bar of tabs over the terminals: a click chooses one, `+` opens another."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from tui.app import breakfix

_LEFT, _MIDDLE = 1, 2


class TabBar(Widget):
    """One line: ` 1 head-01  2 dgx-07  + `."""

    DEFAULT_CSS = """
    TabBar { height: 1; background: $surface; color: $foreground-muted; }
    TabBar > .tab--chosen { color: $foreground; background: $background; text-style: bold; }
    TabBar > .tab--new { color: $accent; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"tab--chosen", "tab--new"}

    class Chosen(Message):
        """Tab `index` was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    class CloseWanted(Message):
        """Tab `index` was clicked with the middle button."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    class NewWanted(Message):
        """`+` was clicked."""

    def __init__(self) -> None:
        super().__init__()
        self._titles: list[str] = []
        self._chosen = 0
        self._cells: list[tuple[int, int, int]] = []

    def show(self, titles: list[str], chosen: int) -> None:
        """The tabs as they are now."""
        if (titles, chosen) != (self._titles, self._chosen):
            self._titles, self._chosen = titles, chosen
            self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw the tabs; where they do not fit, the titles are cut."""
        base = self.rich_style
        chosen = self.get_component_rich_style("tab--chosen")
        width = max((self.size.width - 4) // max(len(self._titles), 1) - 5, 1)
        segments, column = [], 0
        self._cells = []
        # With more tabs than fit, those before the chosen one go out of sight first.
        fitting = max((self.size.width - 4) // (width + 5), 1)
        first = max(0, self._chosen - fitting + 1)
        for index, title in list(enumerate(self._titles))[first:]:
            text = f" {index + 1} {_cut(title, width, breakfix(self).glyphs.ellipsis)} "
            segments.append(Segment(text, chosen if index == self._chosen else base))
            self._cells.append((column, column + len(text), index))
            column += len(text)
        segments.append(Segment(" + ", self.get_component_rich_style("tab--new")))
        self._cells.append((column, column + 3, -1))
        return Strip(segments).adjust_cell_length(self.size.width, base)

    def on_click(self, event: events.Click) -> None:
        """Choose, close or open."""
        for start, end, index in self._cells:
            if start <= event.x < end:
                event.stop()
                if event.button == _MIDDLE and index >= 0:
                    self.post_message(self.CloseWanted(index))
                elif event.button == _LEFT:
                    self.post_message(self.NewWanted() if index < 0 else self.Chosen(index))


def _cut(text: str, width: int, ellipsis: str) -> str:
    return text if len(text) <= width else text[: max(width - 1, 0)] + ellipsis
