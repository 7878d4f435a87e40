"""The terminals of a session in their tabs and panes, and what can be done with them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from engine.kernel.hostlist import expand
from tui.actions import Acts, action
from tui.app import breakfix
from tui.live.live import Live
from tui.widgets.terminal_pane import TerminalPane
from tui.workspace.arrangement import Arrangement, Way, from_data, to_data
from tui.workspace.moves import Moves
from tui.workspace.pane_area import PaneArea

_DIRECTIONS = {"h": "left", "j": "down", "k": "up", "l": "right"}
_ROWS_LIKE_A_COLUMN = 4
"""A pane is divided side by side where it is more than so many times as wide as high."""


class Terminals(PaneArea, Acts):
    """The tabs of the session `live`."""

    def __init__(self, live: Live) -> None:
        super().__init__()
        self.live = live
        self._asked: TerminalPane | None = None
        self._leaving: set[TerminalPane] = set()

    @property
    def can_play(self) -> bool:
        """Whether the session goes on."""
        return not self.live.over

    @property
    def has_tabs(self) -> bool:
        """Whether there is more than one tab."""
        return len(self.tabs) > 1

    @property
    def has_splits(self) -> bool:
        """Whether the tab holds more than one pane."""
        return bool(self.tabs) and len(self.tab.panes) > 1

    async def open(self, show: Callable[[TerminalPane], Awaitable[None]], host: str | None = None) -> None:
        """A new terminal, shown by `show`, and from there a login on `host`."""
        pane = TerminalPane(self.live.seat(self.live.new_number()))
        await show(pane)
        if host is not None and host != pane.seat.host:
            pane.run_text(f"ssh {host}")

    async def open_hosts(self, hosts: Sequence[str]) -> None:
        """A new tab with a login on each host: side by side, as far as there is room, and all typed in together."""
        first, *others = hosts
        await self.open(self.open_tab, first)
        for host in others:
            if not await self._beside(host):
                self.notify(f"There is no room for {host} and those after it.", severity="warning", timeout=5)
                break
        self.tab.together = len(self.tab.panes) > 1
        self.choose(self.tab.panes[0])
        self.post_message(self.TabsChanged())

    async def _beside(self, host: str) -> bool:
        """A pane for a host where the largest one of the tab is; whether there was room."""
        last_first = self.tab.boxes(self._area)[::-1]  # of those that are about as large, so that hosts stay in order
        largest = max(box.columns * box.rows for _, box in last_first)
        for pane, box in sorted(last_first, key=lambda placed: placed[1].columns * placed[1].rows < largest * 0.9):
            self.tab.choose(pane)
            wide = box.columns > _ROWS_LIKE_A_COLUMN * box.rows
            for way in (Way.SIDE_BY_SIDE, Way.STACKED) if wide else (Way.STACKED, Way.SIDE_BY_SIDE):
                if self.can_split(way):
                    await self.open(partial(self.split, way), host)
                    return True
        return False

    async def begin(self) -> None:
        """The terminals that the session has, arranged as they were; or its first one."""
        numbers = self.live.known_terminals() or [1]
        missing = {number: TerminalPane(self.live.seat(number)) for number in numbers}
        tabs: list[Arrangement[TerminalPane]] = []
        for data in self.live.layout:
            with suppress(ValueError, TypeError, KeyError):
                tree = from_data(data, lambda number: missing.pop(number, None))
                tabs += [Arrangement.of_tree(tree)] if tree is not None else []
        # What the arrangement does not name was closed; without one, every terminal gets a tab.
        await self.open_tabs(tabs or [*map(Arrangement.of, missing.values())])

    def layout_data(self) -> list[Any]:
        """The arrangement as plain data."""
        return [to_data(tab.root, lambda pane: pane.seat.number) for tab in self.tabs]

    def titles(self) -> list[str]:
        """What the tabs are called: the host of their chosen pane, and how many others a zoomed one hides."""
        for pane in self.panes:
            pane.border_title = f"{pane.seat.number} {pane.seat.title}"
        for tab in self.tabs:
            for pane in tab.panes if tab.together and len(tab.panes) > 1 else ():
                pane.border_title = f"{pane.border_title} (all alike)"
        hidden = [f" (1 of {len(tab.panes)})" if tab.zoomed else "" for tab in self.tabs]
        return [f"{tab.chosen.seat.title}{note}" for tab, note in zip(self.tabs, hidden, strict=True)]

    def _workspace(self) -> Moves:
        screen = self.screen
        assert isinstance(screen, Moves)
        return screen

    @action("workspace.new_tab", "New tab", "prefix c", footer=70, when="can_play")
    async def new_tab(self) -> None:
        """Another terminal on the login host, in a tab of its own."""
        await self.open(self.open_tab)

    @action("workspace.host", "Open host", "prefix d", footer=72, when="can_play")
    def open_host(self) -> None:
        """Choose a host and log in there, in a new tab."""
        from tui.screens.hosts import HostPicker

        async def opened(chosen: str) -> None:
            await self.open_hosts(expand(chosen))

        self._workspace().ask(HostPicker(self.live, several=True), "Open host", opened)

    @action("workspace.split_right", "Split", "prefix |", "prefix %", footer=75, when="can_play")
    async def split_right(self) -> None:
        """Two terminals side by side."""
        await self._split(Way.SIDE_BY_SIDE)

    @action("workspace.split_down", "Split below", "prefix -", 'prefix "', when="can_play")
    async def split_down(self) -> None:
        """Two terminals one above the other."""
        await self._split(Way.STACKED)

    async def _split(self, way: Way) -> None:
        if not self.can_split(way):
            self.notify("There is no room for another pane here.", timeout=3)
            return
        await self.open(lambda pane: self.split(way, pane))

    @action("workspace.next_tab", "Next tab", "prefix n", when="has_tabs")
    def next_tab(self) -> None:
        """The tab to the right, or the first."""
        self.show_tab((self.index + 1) % len(self.tabs))

    @action("workspace.previous_tab", "Previous tab", "prefix N", when="has_tabs")
    def previous_tab(self) -> None:
        """The tab to the left, or the last."""
        self.show_tab((self.index - 1) % len(self.tabs))

    @action(
        "workspace.tab", "Tab 1 to 9", *(f"prefix {number}" for number in range(1, 10)), when="has_tabs", takes_key=True
    )
    def choose_tab(self, key: str = "1") -> None:
        """The tab of that number."""
        self.show_tab(int(key or 1) - 1)

    @action("workspace.next_pane", "Next pane", "prefix o", when="has_splits")
    def next_pane(self) -> None:
        """The next pane of this tab."""
        self.choose(self.tab.next())

    @action(
        "workspace.pane_towards",
        "Pane in a direction",
        *(f"prefix {direction}" for direction in ("left", "right", "up", "down")),
        when="has_splits",
        takes_key=True,
    )
    def pane_towards(self, key: str = "right") -> None:
        """The pane in that direction."""
        self.choose_towards(_DIRECTIONS.get(key, key or "right"))

    @action("workspace.wider", "Wider pane", "prefix >", when="has_splits")
    def wider(self) -> None:
        """More columns for this pane."""
        self.resize(Way.SIDE_BY_SIDE, 0.05)

    @action("workspace.narrower", "Narrower pane", "prefix <", when="has_splits")
    def narrower(self) -> None:
        """Fewer columns for this pane."""
        self.resize(Way.SIDE_BY_SIDE, -0.05)

    @action("workspace.taller", "Taller pane", "prefix +", when="has_splits")
    def taller(self) -> None:
        """More rows for this pane."""
        self.resize(Way.STACKED, 0.05)

    @action("workspace.flatter", "Flatter pane", "prefix _", when="has_splits")
    def flatter(self) -> None:
        """Fewer rows for this pane."""
        self.resize(Way.STACKED, -0.05)

    @action("workspace.zoom", "Zoom", "prefix z", when="has_splits")
    def zoom(self) -> None:
        """This pane alone, or all panes of the tab again."""
        self.toggle_zoom()

    @action("workspace.together", "All panes alike", "prefix *", when="has_splits")
    def type_together(self) -> None:
        """Enter each line in all panes of this tab, or no longer."""
        self.tab.together = not self.tab.together
        alike = "A line that you enter here is entered in every pane of this tab."
        self.notify(alike if self.tab.together else "Each pane by itself again.", timeout=3)
        self.post_message(self.TabsChanged())

    def on_terminal_pane_entered(self, message: TerminalPane.Entered) -> None:
        """The other panes of the tab get the same line, where they are to."""
        tab = next((one for one in self.tabs if message.pane in one.panes), None)
        if tab is not None and tab.together and message.text.strip():
            for pane in tab.panes:
                if pane is not message.pane:
                    pane.run_text(message.text)

    @action("workspace.close_pane", "Close", "prefix x")
    def close_pane(self) -> None:
        """Close this terminal and stop what runs in it; where something runs, ask for it twice."""
        pane = self.pane
        if pane is None:
            return
        if pane.seat.busy and self._asked is not pane:
            self._asked = pane
            self.notify("Something runs in this terminal. Close it all the same? Then once more.", timeout=5)
            return
        breakfix(self).carry_out("Close", self.leave(pane))

    async def leave(self, pane: TerminalPane) -> None:
        """Close a terminal; the last one begins anew on the login host."""
        if pane in self._leaving or pane not in self.panes:
            return  # its shell tells that it has ended, while it is being closed
        self._leaving.add(pane)
        pane.seat.leave()
        alone = len(self.panes) == 1
        if alone and not self.live.over:
            await self.open(self.open_tab)
        if not alone or not self.live.over:
            await self.close(pane)
