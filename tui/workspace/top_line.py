"""The first line of a workspace: what is played, the site's time, the speed, and how long it has been."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.segment import Segment
from textual import events
from textual.strip import Strip
from textual.widget import Widget

from engine.kernel.units import SECOND
from tui.app import breakfix
from tui.live.live import Live


class TopLine(Widget):
    """` breakfix  Title   site   Tue 09:14:22  > 1x   00:12:31 `. A click on a part does what it stands for."""

    DEFAULT_CSS = """
    TopLine { height: 1; background: $panel; color: $foreground; }
    TopLine > .top--name { color: $accent; text-style: bold; }
    TopLine > .top--title { text-style: bold; }
    TopLine > .top--dim { color: $foreground-muted; }
    TopLine > .top--bad { color: $state-down; text-style: bold; }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"top--name", "top--title", "top--dim", "top--bad"}

    def __init__(self, live: Live) -> None:
        super().__init__()
        self.live = live
        self._cells: list[tuple[int, int, str]] = []
        self._shown: tuple[object, ...] = ()

    def show_session(self) -> None:
        """The time has gone on, or something else has changed."""
        now = self._parts()
        if now != self._shown:
            self._shown = now
            self.refresh()

    def _parts(self) -> tuple[tuple[str, str, str], ...]:
        """Text, style and action of each part on the right."""
        clock, glyphs = self.live.clock, breakfix(self).glyphs
        pace = f"{glyphs.pause} paused" if clock.paused else f"{glyphs.play} {clock.rate}x"
        elapsed = self.live.elapsed // SECOND
        spent = f"{elapsed // 3600:02}:{elapsed // 60 % 60:02}:{elapsed % 60:02}"
        unsaved = (("not saved", "top--bad", "app.help"),) if self.live.journal.broken else ()
        return (
            *unsaved,
            (self.live.time_of_day(), "", "workspace.time"),
            (pace, "", "workspace.time"),
            (spent, "top--dim", "workspace.time"),
            (f"{breakfix(self).glyphs.menu} menu", "top--name", "app.palette"),
        )

    def render_line(self, y: int) -> Strip:
        """The title on the left, as much of it as fits; the rest on the right."""
        width, base = self.size.width, self.rich_style
        right: list[Segment] = []
        column = width
        self._cells = []
        for text, style, id in reversed(self._parts()):
            cells = len(text) + 2
            if column - cells < 12:
                break
            column -= cells
            right.insert(0, Segment(f"{text}  ", self.get_component_rich_style(style) if style else base))
            self._cells.append((column, column + cells, id))
        left = self._left(column)
        self._cells.append((0, column, "workspace.side"))
        return Strip.join([Strip(left).adjust_cell_length(column, base), Strip(right)])

    def _left(self, room: int) -> list[Segment]:
        """Name, title and site; the site only where it fits, the title cut where it does not."""
        name, ellipsis = " breakfix ", breakfix(self).glyphs.ellipsis
        title, site = f" {self.live.title} ", f"  {self.live.site} "
        left = room - len(name)
        if cell_len(title) > left:
            title = f"{set_cell_size(title, max(left - 2, 0)).rstrip()}{ellipsis} "
        parts = [(name, "top--name"), (title, "top--title")]
        if cell_len(title) + cell_len(site) <= left:
            parts.append((site, "top--dim"))
        return [Segment(text, self.get_component_rich_style(style)) for text, style in parts]

    async def on_click(self, event: events.Click) -> None:
        """Do what was clicked."""
        for start, end, id in self._cells:
            if start <= event.x < end:
                event.stop()
                await breakfix(self).do_by_id(id)
                return
