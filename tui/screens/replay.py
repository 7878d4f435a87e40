"""Replay: a session that was played, line by line, at the speed one likes; beside it the reference path where there is
room and the drill is over.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, VerticalScroll
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import RichLog, Static

from engine.kernel.units import SECOND
from tui.actions import Acts, action
from tui.app import breakfix
from tui.live.live import Live
from tui.live.transcript import Moment
from tui.widgets.footer import Footer
from tui.widgets.rows import Row, Rows

EMPTY = "No line was typed in this session."
SPEEDS = (1, 2, 5, 20, 100)
_WIDE = 130
_LONGEST_PAUSE = 3.0
_SHORTEST_PAUSE = 0.15


class Replay(Screen[None], Acts):
    """The moments of the session `live`; `reference` are rows to show beside them. It begins standing at the first."""

    ABOUT = (
        "Replay",
        """
        What you typed, what it printed and your moves, in their order. Space plays and stops, the arrows go one moment
        on or back, Home and End to the first and the last, `+` and `-` change the speed. A wait takes three seconds at
        most. Up, down and the page keys scroll.
        """,
    )
    CSS = """
    Replay #replay-top { dock: top; height: 1; padding: 0 1; background: $panel; }
    Replay #replay-log { width: 2fr; height: 1fr; padding: 0 1; background: $background; }
    Replay #replay-reference { display: none; width: 1fr; height: 1fr; padding: 0 1; border-left: vkey $frame; }
    Replay.wide #replay-reference { display: block; }
    """

    def __init__(self, live: Live, told: Sequence[Moment], reference: Sequence[Row] = ()) -> None:
        super().__init__()
        self.live, self.told, self.reference = live, told, reference
        self.shown = 0
        self._speed = SPEEDS.index(5)
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        yield Static(markup=False, id="replay-top")
        with Horizontal():
            yield RichLog(id="replay-log", wrap=True, highlight=False, markup=False, max_lines=20_000)
            if self.reference:
                with VerticalScroll(id="replay-reference", can_focus=False):
                    yield Rows(list(self.reference))
        yield Footer()

    def on_mount(self) -> None:
        """Show the first moment."""
        self.query_one(RichLog).focus()
        self.go_to(1)

    def on_resize(self, event: events.Resize) -> None:
        """The reference beside it where there is room."""
        self.set_class(event.size.width >= _WIDE, "wide")
        self.call_after_refresh(self._write_anew)

    # What is shown

    def go_to(self, count: int) -> None:
        """Show the first `count` moments."""
        count = min(max(count, 0), len(self.told))
        log = self.query_one(RichLog)
        if count < self.shown or not self.shown:
            log.clear()
            begin = 0
        else:
            begin = self.shown
        for one in self.told[begin:count]:
            for line in self._lines(one):
                log.write(line)
        self.shown = count
        self._show_top()

    def _write_anew(self) -> None:
        """At another width."""
        count, self.shown = self.shown, 0
        self.go_to(count)

    def _lines(self, one: Moment) -> list[Text]:
        """A moment as it is painted."""
        variables = self.app.theme_variables
        if not one.is_line:
            return [Text(f"[{one.text}]", style=variables.get("accent", ""))]
        lines = [Text.assemble((one.prompt, variables.get("muted", "")), (one.text, "bold"))]
        if one.output:
            lines.append(Text.from_ansi(one.output.rstrip("\n")))
        return lines

    def _show_top(self) -> None:
        glyphs = breakfix(self).glyphs
        if not self.told:
            self.query_one("#replay-top", Static).update(EMPTY)
            return
        now = self.told[max(self.shown - 1, 0)]
        sign = glyphs.play if self.playing else glyphs.pause
        head = f"{sign} {self.shown} of {len(self.told)}   {self.live.time_of_day(now.began)}   {SPEEDS[self._speed]}x"
        terminal = f"   terminal {now.terminal}" if len({one.terminal for one in self.told}) > 1 else ""
        self.query_one("#replay-top", Static).update(f"{head}{terminal}")

    # Playing

    @property
    def playing(self) -> bool:
        """Whether it goes on by itself."""
        return self._timer is not None

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _plan(self) -> None:
        """The next moment comes after as long as there was between the two, made shorter by the speed."""
        if self.shown >= len(self.told):
            self._timer = None
            self._show_top()
            return
        before, after = self.told[max(self.shown - 1, 0)], self.told[self.shown]
        seconds = max(after.began - before.began, 0) / SECOND / SPEEDS[self._speed]
        self._timer = self.set_timer(min(max(seconds, _SHORTEST_PAUSE), _LONGEST_PAUSE), self._next)
        self._show_top()

    def _next(self) -> None:
        self.go_to(self.shown + 1)
        self._plan()

    @action("replay.play", "Play or stop", "space", footer=10)
    def play(self) -> None:
        """Let it go on by itself, or stop it. At its end it begins again."""
        if self.playing:
            self._stop()
            self._show_top()
            return
        if self.shown >= len(self.told):
            self.go_to(1)
        self._plan()

    @action("replay.on", "On", "right", "l", footer=20)
    def step_on(self) -> None:
        """To the next moment."""
        self._stop()
        self.go_to(self.shown + 1)

    @action("replay.back", "Back", "left", "h", footer=30)
    def step_back(self) -> None:
        """To the moment before."""
        self._stop()
        self.go_to(max(self.shown - 1, min(1, len(self.told))))

    @action("replay.first", "Begin", "home", "g")
    def first(self) -> None:
        """To the first moment."""
        self._stop()
        self.go_to(min(1, len(self.told)))

    @action("replay.last", "End", "end", "G")
    def last(self) -> None:
        """To the last moment."""
        self._stop()
        self.go_to(len(self.told))

    @action("replay.faster", "Faster", "+", "=", footer=40)
    def faster(self) -> None:
        """Play faster."""
        self._change_speed(1)

    @action("replay.slower", "Slower", "-", footer=50)
    def slower(self) -> None:
        """Play slower."""
        self._change_speed(-1)

    def _change_speed(self, by: int) -> None:
        self._speed = min(max(self._speed + by, 0), len(SPEEDS) - 1)
        if self.playing:
            self._stop()
            self._plan()
        self._show_top()

    @action("replay.close", "Done", "escape", "q", footer=60)
    def close(self) -> None:
        """Back to where you came from."""
        self._stop()
        self.dismiss(None)
