"""Where the terminals of a session are shown: tabs, each with one pane or several.

All panes of all tabs are children of this one widget, so that splitting, zooming and changing tabs only moves them.
"""

from __future__ import annotations

from textual.geometry import NULL_OFFSET, NULL_SPACING, Region, Size
from textual.layout import ArrangeResult, Layout, WidgetPlacement
from textual.message import Message
from textual.widget import Widget

from tui.widgets.terminal_pane import TerminalPane
from tui.workspace.arrangement import LEAST_COLUMNS, LEAST_ROWS, Arrangement, Box, Way


class _TabLayout(Layout):
    """Places the panes of the tab that is shown."""

    name = "tab"

    def arrange(self, parent: Widget, children: list[Widget], size: Size, greedy: bool = True) -> ArrangeResult:
        assert isinstance(parent, PaneArea)
        area = Box(0, 0, size.width, size.height)
        boxes = parent.tab.boxes(area) if parent.tabs else []
        return [
            WidgetPlacement(
                Region(box.column, box.row, box.columns, box.rows), NULL_OFFSET, NULL_SPACING, pane, 0, False, False
            )
            for pane, box in boxes
            if pane in children
        ]


class PaneArea(Widget):
    """The tabs of a workspace. There is always one, except before the first pane is opened."""

    DEFAULT_CSS = """
    PaneArea { width: 1fr; height: 1fr; }
    PaneArea TerminalPane { width: 100%; height: 100%; border: none; }
    PaneArea TerminalPane.boxed { border: round $frame; border-title-color: $foreground; }
    PaneArea TerminalPane.boxed:focus { border: round $accent; border-title-style: bold; }
    .ascii PaneArea TerminalPane.boxed { border: ascii $frame; }
    .ascii PaneArea TerminalPane.boxed:focus { border: ascii $accent; }
    """

    class TabsChanged(Message):
        """Tabs were opened, closed or chosen, or the focus moved between panes."""

    def __init__(self) -> None:
        super().__init__()
        self.tabs: list[Arrangement[TerminalPane]] = []
        self.index = 0

    @property
    def layout(self) -> Layout:
        """Panes stand where the tab's arrangement says."""
        return _LAYOUT

    @property
    def tab(self) -> Arrangement[TerminalPane]:
        """The tab that is shown."""
        return self.tabs[self.index]

    @property
    def pane(self) -> TerminalPane | None:
        """The pane that is chosen."""
        return self.tab.chosen if self.tabs else None

    @property
    def _area(self) -> Box:
        return Box(0, 0, self.size.width, self.size.height)

    @property
    def panes(self) -> list[TerminalPane]:
        """All panes of all tabs."""
        return [pane for tab in self.tabs for pane in tab.panes]

    async def open_tab(self, pane: TerminalPane) -> None:
        """A new tab after the one that is shown, with this pane."""
        self.tabs.insert(self.index + 1, Arrangement.of(pane))
        self.index = min(self.index + 1, len(self.tabs) - 1)
        await self.mount(pane)
        self._show()

    async def open_tabs(self, tabs: list[Arrangement[TerminalPane]]) -> None:
        """Several tabs with all their panes; the first is shown."""
        self.tabs, self.index = tabs, 0
        await self.mount(*self.panes)
        self._show()

    async def split(self, way: Way, pane: TerminalPane) -> None:
        """Divide the chosen pane's space with a new one."""
        self.tab.split(way, pane)
        await self.mount(pane)
        self._show()

    def can_split(self, way: Way) -> bool:
        """Whether both halves would still be of use."""
        here = dict(self.tab.boxes(self._area))[self.tab.chosen]
        return all(half.columns >= LEAST_COLUMNS and half.rows >= LEAST_ROWS for half in here.divided(way, 0.5))

    async def close(self, pane: TerminalPane) -> None:
        """Take a pane away, and its tab with its last one."""
        number = next((number for number, tab in enumerate(self.tabs) if pane in tab.panes), None)
        if number is None:
            return
        if not self.tabs[number].remove(pane):
            del self.tabs[number]
            if number < self.index or self.index >= len(self.tabs):
                self.index = max(self.index - 1, 0)
        await pane.remove()
        self._show()

    def show_tab(self, index: int) -> None:
        """Another tab."""
        if 0 <= index < len(self.tabs):
            self.index = index
            self._show()

    def choose(self, pane: TerminalPane) -> None:
        """Another pane, in whichever tab."""
        for number, tab in enumerate(self.tabs):
            if pane in tab.panes and (number != self.index or tab.chosen is not pane):
                self.index = number
                tab.choose(pane)
                self._show()

    def choose_towards(self, direction: str) -> None:
        """The pane in a direction."""
        self.choose(self.tab.towards(direction, self._area))

    def toggle_zoom(self) -> None:
        """The chosen pane alone, or all again."""
        self.tab.zoomed = not self.tab.zoomed and len(self.tab.panes) > 1
        self._show()

    def resize(self, way: Way, step: float) -> None:
        """More or less space for the chosen pane."""
        self.tab.resize(way, step)
        self.refresh(layout=True)

    def _show(self) -> None:
        """Show what the arrangement says, with the focus where it belongs."""
        if not self.tabs:
            self.post_message(self.TabsChanged())
            return
        visible = [pane for pane, _ in self.tab.boxes(self._area)]
        for pane in self.panes:
            pane.display = pane in visible
            pane.set_class(self.tab.boxed and pane in visible, "boxed")
        self.refresh(layout=True)
        self.screen.set_focus(self.tab.chosen)  # at once: the next key is already meant for it
        self.post_message(self.TabsChanged())


_LAYOUT = _TabLayout()
