"""Choosing a host: all hosts of the site with role and rack, in the site's order; those that were used last are marked.

A row is made when it comes into view, so that a site of thousands of hosts opens at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.geometry import Offset, Region
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual
from textual.widgets import Input, OptionList
from textual.widgets.option_list import Option

from tui.actions import Acts, action
from tui.app import breakfix
from tui.live.hosts_in_use import recent_hosts
from tui.screens.context_menu import place
from tui.seen.site import Site
from tui.widgets.dialog import Dialog
from tui.widgets.keys_taken import keys_taken

if TYPE_CHECKING:
    from textual.css.styles import RulesMap

    from engine.world.inventory import Inventory
    from tui.live.live import Live

_COLUMNS, _ROWS_BESIDE_LIST = 64, 4
_NAME_COLUMNS, _ROLE_COLUMNS, _RACK_COLUMNS = 22, 10, 8


def cut(text: str, columns: int, ellipsis: str) -> str:
    """A text in exactly so many columns; the ellipsis stands where some of it is missing."""
    if cell_len(text) <= columns:
        return text + " " * (columns - cell_len(text))
    return set_cell_size(text, max(columns - 1, 0)) + ellipsis[:columns]


class LazyRow(Visual):
    """A row of a list that is made when it is painted: `make(columns)` gives `rows` lines."""

    def __init__(self, make: Callable[[int], Content], rows: int = 1) -> None:
        self.make, self.rows = make, rows

    def get_optimal_width(self, rules: RulesMap, container_width: int) -> int:
        """All there is."""
        return container_width

    def get_height(self, rules: RulesMap, width: int) -> int:
        """Known without making the row."""
        return self.rows

    def render_strips(self, width: int, height: int | None, style: Style, options: RenderOptions) -> list[Strip]:
        """Make it and draw it."""
        return self.make(width).render_strips(width, self.rows, style, options)


class SearchBox(Input, Acts):
    """A line to search in. `search` is called with each text, `chosen` with Enter; the list has the id `list_id`.

    Keys count in the order in which they were pressed, however fast: the list has been searched before it is moved in.
    """

    def __init__(
        self, list_id: str, placeholder: str, search: Callable[[str], None], chosen: Callable[[], None]
    ) -> None:
        super().__init__(placeholder=placeholder, compact=True, id="search")
        self.list_id, self.search, self.chosen = list_id, search, chosen

    def watch_value(self, value: str) -> None:
        """Search at once."""
        self.search(value)

    async def _move(self, how: str) -> None:
        await keys_taken(self)
        getattr(self.screen.query_one(f"#{self.list_id}", OptionList), f"action_{how}")()

    @action("search.choose", "Choose", "enter", footer=5)
    async def choose(self) -> None:
        """Take what is marked in the list."""
        await keys_taken(self)
        self.chosen()

    @action("search.up", "Up in the list", "up")
    async def up(self) -> None:
        """Mark the entry above."""
        await self._move("cursor_up")

    @action("search.down", "Down in the list", "down")
    async def down(self) -> None:
        """Mark the entry below."""
        await self._move("cursor_down")

    @action("search.page_up", "A page up in the list", "pageup")
    async def page_up(self) -> None:
        """Mark an entry a page further up."""
        await self._move("page_up")

    @action("search.page_down", "A page down in the list", "pagedown")
    async def page_down(self) -> None:
        """Mark an entry a page further down."""
        await self._move("page_down")


def fitting_hosts(inventory: Inventory, hosts: Sequence[str], text: str) -> list[str]:
    """The hosts whose name holds every word of a text; if there are none, those whose name, role or rack does."""
    words = text.lower().split()
    named = [host for host in hosts if all(word in host.lower() for word in words)]
    return named or [host for host in hosts if all(word in _described(inventory, host) for word in words)]


def _described(inventory: Inventory, host: str) -> str:
    node = inventory.node(host)
    return f"{host} {node.role} {node.rack}".lower()


class HostPicker(Dialog[str]):
    """A host of the session's site; where `several` is set, also a list of them. `at` is the one to begin with, if any;
    the box hangs `below` a part of the screen, or stands in its middle.
    """

    title_text = "Hosts"
    ABOUT = (
        "Hosts",
        """
        Type a part of a name, a role or a rack. The arrows and Enter choose, or a click. A list such as `dgx-[01-04]`
        opens a tab with a login on each of them, in which a line that you enter is entered on all.
        """,
    )
    CSS = f"""
    HostPicker .dialog {{ max-width: {_COLUMNS}; }}
    HostPicker Input {{ scrollbar-size-horizontal: 0; }}
    HostPicker #hosts {{ height: auto; max-height: 70vh; margin-top: 1; }}
    """

    def __init__(
        self, live: Live, at: str | None = None, below: Region | None = None, *, several: bool = False
    ) -> None:
        super().__init__()
        self.several = several
        self.live, self.at, self.below = live, at, below
        self.inventory = live.simulation.world.inventory
        self.recent = recent_hosts(live)
        self.hosts = self.inventory.host_names

    def content(self) -> ComposeResult:
        """A line to search in, and the hosts."""
        yield SearchBox("hosts", "a part of the name, the role or the rack", self._show, self._choose)
        yield OptionList(id="hosts", compact=True, markup=False)

    def on_mount(self) -> None:
        """Show all."""
        self._show("")
        self.query_one(SearchBox).focus()

    def on_resize(self, event: events.Resize) -> None:
        """Hang below the part of the screen, right edge under right edge, as near as the box is whole."""
        if self.below is None:
            return
        screen = event.size
        columns, most_rows = min(_COLUMNS, screen.width * 9 // 10), screen.height * 7 // 10
        rows = min(len(self.hosts), most_rows) + _ROWS_BESIDE_LIST
        corner = Offset(self.below.right - columns, self.below.bottom)
        self.styles.align = ("left", "top")
        self.query_one(".dialog").styles.offset = place(columns, rows, corner, screen)

    def _choose(self) -> None:
        self.query_one(OptionList).action_select()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """This one."""
        self.dismiss(event.option_id)

    def _show(self, text: str) -> None:
        shown = self.query_one(OptionList)
        several = Site(self.inventory).nodes(text.strip()) if self.several and set(text) & set("[,") else []
        fitting = several or fitting_hosts(self.inventory, self.hosts, text)
        options = [Option(LazyRow(self._maker(host)), id=host) for host in fitting]
        if len(several) > 1:
            fitting = [text.strip(), *several]
            options.insert(0, Option(f"{len(several)} hosts side by side, typed in together", id=text.strip()))
        shown.set_options(options)
        at = self.at if self.at in fitting and not text.strip() else next(iter(fitting), None)
        shown.highlighted = fitting.index(at) if at is not None else None
        self.query_one(".dialog").border_subtitle = f"{len(several or fitting)} of {len(self.hosts)}"

    def _maker(self, host: str) -> Callable[[int], Content]:
        return lambda columns: self._row(host, columns)

    def _row(self, host: str, columns: int) -> Content:
        node = self.inventory.node(host)
        ellipsis = breakfix(self).glyphs.ellipsis
        cells = [cut(host, _NAME_COLUMNS, ellipsis), cut(node.role, _ROLE_COLUMNS, ellipsis)]
        cells += [cut(node.rack, _RACK_COLUMNS, ellipsis), "recent" if host in self.recent else ""]
        return Content(cut(" ".join(cells), columns, ellipsis))
