"""Racks side by side: what stands in them from the top to the bottom, with a sign for how it looked when last seen."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.scroll_view import ScrollView
from textual.strip import Strip

from tui.actions import Acts, action
from tui.app import breakfix
from tui.live.live import Live
from tui.look.glyphs import ASCII, State
from tui.seen.racks import Rack
from tui.seen.site import Site

_STATES = {state: f"racks--{state.name.lower()}" for state in State}
_UNIT = 3


class RackView(ScrollView, Acts, can_focus=True):
    """The racks and a cursor on one of their machines. It shows sightings only, never how things are."""

    DEFAULT_CSS = """
    RackView { background: transparent; overflow-x: hidden; }
    RackView .racks--ok { color: $state-ok; }
    RackView .racks--degraded { color: $state-degraded; text-style: bold; }
    RackView .racks--down { color: $state-down; text-style: bold; }
    RackView .racks--drained { color: $state-drained; }
    RackView .racks--unknown { color: $state-unknown; }
    RackView .racks--frame { color: $muted; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {*_STATES.values(), "racks--frame"}

    class Moved(Message):
        """The cursor is on another machine."""

    class Chosen(Message):
        """The machine under the cursor was chosen."""

    def __init__(self, live: Live) -> None:
        super().__init__(id="rack-view")
        self.knowledge = live.knowledge
        self.site = Site(live.knowledge.inventory)
        self.racks: Sequence[Rack] = ()
        self.rack = self.place = 0
        self._name_columns = self._gpus = 0
        self._tops = [0]

    # What is drawn

    def show(self, racks: Sequence[Rack], at: str | None = None) -> None:
        """These racks; the cursor goes to the machine `at`, or stays on its own where it is still there."""
        kept = at or self.machine
        self.racks = racks
        machines = [name for rack in racks for _, name in rack.machines]
        self._name_columns = max(map(len, machines), default=0)
        patterns = {self.site.inventory.pattern(name) for name in machines if name in self.site.inventory.node_index}
        self._gpus = max((len(self.site.gpus(name)) for name in patterns), default=0)
        self._fit()
        if kept is None or not self.choose(kept):
            self._put(0, 0)

    def choose(self, machine: str) -> bool:
        """Put the cursor on a machine; whether it is there."""
        for number, rack in enumerate(self.racks):
            for place, (_, name) in enumerate(rack.machines):
                if name == machine:
                    self._put(number, place)
                    return True
        return False

    @property
    def machine(self) -> str | None:
        """The machine under the cursor."""
        if self.rack < len(self.racks):
            machines = self.racks[self.rack].machines
            return machines[min(self.place, len(machines) - 1)][1]
        return None

    @property
    def _width(self) -> int:
        """Columns that a rack takes with its frame and the gap behind it."""
        return _UNIT + 3 + self._name_columns + (self._gpus + 1 if self._gpus else 0) + 4

    @property
    def across(self) -> int:
        """How many racks stand side by side."""
        return max(self.scrollable_content_region.width // self._width, 1)

    def _fit(self) -> None:
        rows = [self.racks[start : start + self.across] for start in range(0, len(self.racks), self.across)]
        self._tops = [0, *accumulate(max(len(rack.machines) for rack in row) + 2 for row in rows)]
        self.virtual_size = Size(self.scrollable_content_region.width, self._tops[-1])
        self.refresh()

    def _at(self, y: int) -> tuple[int, int]:
        """The row of racks at a line of all that can be scrolled to, and which of its lines it is."""
        row = bisect_right(self._tops, y) - 1
        return row, y - self._tops[row]

    def on_resize(self, event: events.Resize) -> None:
        """As many side by side as there is room for."""
        self._fit()
        self._reveal()

    def render_line(self, y: int) -> Strip:
        """One line through the racks that stand there."""
        row, line = self._at(y + self.scroll_offset.y)
        drawn: list[Segment] = []
        for number in range(row * self.across, min((row + 1) * self.across, len(self.racks))):
            drawn += self._line(number, line)
        return Strip(drawn).adjust_cell_length(self.size.width, self.rich_style)

    def _line(self, number: int, line: int) -> list[Segment]:
        """A line of one rack: its head, a machine, nothing, or its foot."""
        rack, inner = self.racks[number], self._width - 3
        frame = self.get_component_rich_style("racks--frame")
        ascii_only = breakfix(self).glyphs is ASCII
        rule, bar = ("-", "|") if ascii_only else ("─", "│")
        left, right = ("++", "++") if ascii_only else ("╭╰", "╮╯")
        if line == 0:
            return [Segment(f"{left[0]}{f'{rule} {rack.name} ':{rule}<{inner}.{inner}}{right[0]} ", frame)]
        if line == len(rack.machines) + 1:
            return [Segment(f"{left[1]}{rule * inner}{right[1]} ", frame)]
        if line > len(rack.machines):
            return [Segment(" " * (inner + 3), self.rich_style)]
        return [Segment(bar, frame), *self._machine(number, line - 1, inner), Segment(f"{bar} ", frame)]

    def _machine(self, number: int, place: int, columns: int) -> list[Segment]:
        unit, name = self.racks[number].machines[place]
        glyphs, here = breakfix(self).glyphs, number == self.rack and self.machine == name
        state = self.knowledge.state(name)
        cursor = Style(reverse=True) if here else Style()
        frame = self.get_component_rich_style("racks--frame")
        drawn = [
            Segment(f"{unit:>{_UNIT}} ", frame),
            Segment(f"{glyphs.of(state)} ", self.get_component_rich_style(_STATES[state])),
            Segment(f"{name:<{self._name_columns}}", self.rich_style + cursor),
        ]
        gpus = self.site.gpus(name) if name in self.site.inventory.node_index else ()
        if gpus:
            drawn.append(Segment(" ", self.rich_style))
        for gpu in gpus:
            seen = self.knowledge.state(gpu)
            drawn.append(Segment(glyphs.of(seen), self.get_component_rich_style(_STATES[seen])))
        used = sum(len(segment.text) for segment in drawn)
        return [*drawn, Segment(" " * (columns - used), self.rich_style)]

    # The cursor

    def _put(self, rack: int, place: int) -> None:
        self.rack = max(min(rack, len(self.racks) - 1), 0)
        most = len(self.racks[self.rack].machines) - 1 if self.racks else 0
        self.place = max(min(place, most), 0)
        self._reveal()
        self.refresh()
        self.post_message(self.Moved())

    def _reveal(self) -> None:
        if self.size and self.racks:
            row = self.rack // self.across
            region = Region(0, self._tops[row], 1, self._tops[row + 1] - self._tops[row])
            self.scroll_to_region(region, animate=False, force=True, immediate=True)

    @action("racks.up", "Up", "up", "k")
    def up(self) -> None:
        """The machine above; from the highest one to the rack above."""
        if self.place == 0 and self.rack >= self.across:
            above = self.rack - self.across
            self._put(above, len(self.racks[above].machines) - 1)
        else:
            self._put(self.rack, self.place - 1)

    @action("racks.down", "Down", "down", "j")
    def down(self) -> None:
        """The machine below; from the lowest one to the rack below."""
        lowest = bool(self.racks) and self.place >= len(self.racks[self.rack].machines) - 1
        if lowest and self.rack + self.across < len(self.racks):
            self._put(self.rack + self.across, 0)
        else:
            self._put(self.rack, self.place + 1)

    @action("racks.left", "Left", "left", "h")
    def left(self) -> None:
        """The rack on the left."""
        self._put(self.rack - 1, self.place)

    @action("racks.right", "Right", "right", "l")
    def right(self) -> None:
        """The rack on the right."""
        self._put(self.rack + 1, self.place)

    @action("racks.page_up", "Page up", "pageup")
    def page_up(self) -> None:
        """Some rows of racks up."""
        self._put(self.rack - self._page, self.place)

    @action("racks.page_down", "Page down", "pagedown")
    def page_down(self) -> None:
        """Some rows of racks down."""
        self._put(self.rack + self._page, self.place)

    @property
    def _page(self) -> int:
        """As many racks as stand in about the height of the screen."""
        row = self.rack // self.across
        return max(self.size.height // (self._tops[row + 1] - self._tops[row]), 1) * self.across if self.racks else 0

    @action("racks.choose", "On the map", "enter", "m", footer=5, when="machine")
    def pick(self) -> None:
        """The machine under the cursor on the map, with all that is known of it."""
        self.post_message(self.Chosen())

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor, a double click chooses."""
        offset = event.get_content_offset(self)
        if offset is None or not self.racks:
            return
        row, line = self._at(offset.y + self.scroll_offset.y)
        column = offset.x // self._width
        number = row * self.across + column
        if column < self.across and number < len(self.racks) and 0 < line <= len(self.racks[number].machines):
            self._put(number, line - 1)
            if event.chain >= 2:
                self.pick()
