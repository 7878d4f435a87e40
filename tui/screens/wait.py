"""Time: let some pass, set its speed, stop it."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import Button, Input, Label, Static

from engine.kernel.errors import BreakfixError
from engine.kernel.units import DAY, HOUR, MINUTE, SECOND, duration, format_duration
from tui.actions import action
from tui.app import Breakfix, breakfix
from tui.live.clock import RATES
from tui.widgets.dialog import Dialog
from tui.widgets.keys_taken import keys_taken

if TYPE_CHECKING:
    from engine.world.records import HandsOrder
    from tui.live.live import Live

DURATIONS = ("1m", "5m", "15m", "1h")
_STEP, _LONGEST_WATCH, _LONGEST = MINUTE, HOUR, 30 * DAY
_TICK = 0.5
_ONE_UNIT = re.compile(r"1[a-z]+")


def open_orders(live: Live) -> list[HandsOrder]:
    """Work ordered in the machine room that is not done, the first due first."""
    orders = live.simulation.world.hands[""].orders
    return sorted((order for order in orders if not order.done), key=lambda order: order.due_at)


async def pass_time(live: Live, time: int) -> None:
    """Let time (ns) pass: a move in a drill. Raises BreakfixError."""
    move = getattr(live, "move", None)
    if move is not None:
        await move(f":wait {format_duration(time)}")
    else:
        await live.pass_time(time)


async def pass_for(live: Live, time: int) -> str:
    """Let time (ns) pass. Returns what happened. Raises BreakfixError."""
    before = len(told(live))
    await pass_time(live, time)
    text = format_duration(time)
    passed = f"{text} {'has' if _ONE_UNIT.fullmatch(text) else 'have'} passed; it is {live.time_of_day()}."
    return "\n".join([passed, *told(live)[before:]])


async def pass_until_news(live: Live) -> str:
    """Let time pass until a message comes or work in the machine room is done. Returns what happened.

    Raises BreakfixError.
    """
    began, before = live.simulation.now, len(told(live))
    while len(told(live)) == before:
        left = began + _LONGEST_WATCH - live.simulation.now
        if left <= 0:
            return f"Nothing came in {format_duration(_LONGEST_WATCH)}; it is {live.time_of_day()}."
        due = [order.due_at - live.simulation.now + SECOND for order in open_orders(live)]
        await pass_time(live, max(min([_STEP, left, *due]), SECOND))
    news = "\n".join(told(live)[before:])
    return f"Something came after {_whole_seconds(live.simulation.now - began)}: {news}"


def told(live: Live) -> list[str]:
    """What came to the learner so far, oldest first: messages, and what was done in the machine room."""
    messages = getattr(live, "messages", None)
    if messages is not None:
        return [f"{entry.words[0]}: {entry.text}" for entry in messages]
    done = [order for order in live.simulation.world.hands[""].orders if order.done]
    return [f"machine room: {order.report}" for order in sorted(done, key=lambda order: order.due_at)]


def _whole_seconds(time: int) -> str:
    return format_duration(max(time // SECOND, 1) * SECOND)


class WaitDialog(Dialog[str]):
    """The time of a session. Its result is what happened in the wait that it ended with."""

    title_text = "Time"
    ABOUT = (
        "Time",
        """
        Time runs on by itself. Here you can let much of it pass at once, make it faster, or stop it while you think.
        In a drill, waiting is a move like any other: what others do meanwhile happens.
        """,
    )
    CSS = """
    WaitDialog .dialog { width: 76; }
    WaitDialog Horizontal { height: 1; margin-top: 1; }
    WaitDialog Label { width: 11; color: $muted; }
    WaitDialog Button { margin: 0 1 0 0; min-width: 5; }
    WaitDialog .rate { width: 9; }
    WaitDialog #for { width: 20; margin-right: 1; scrollbar-size-horizontal: 0; }
    WaitDialog #said { height: auto; margin-top: 1; }
    WaitDialog #said.error { color: $state-down; }
    """

    working = False
    """Whether a wait is under way."""
    happened: str | None = None
    """What happened in the wait that has ended."""

    def __init__(self, live: Live) -> None:
        super().__init__()
        self.live = live

    @property
    def can_wait(self) -> bool:
        """Whether time can be let pass now."""
        return not self.working and not self.live.over

    @property
    def on_field(self) -> bool:
        """Whether the field has the focus."""
        return isinstance(self.focused, Input)

    @property
    def on_button(self) -> bool:
        """Whether a button has the focus."""
        return isinstance(self.focused, Button)

    def content(self) -> ComposeResult:
        """The time, ways to let it pass, its speed."""
        yield Static(id="now", markup=False)
        with Horizontal():
            yield Label("Let pass")
            for text in DURATIONS:
                yield Button(text, id=f"for-{text}", compact=True, classes="wait")
        with Horizontal():
            yield Label("Or")
            yield Input(placeholder="how long, e.g. 10m", id="for", compact=True)
            yield Button("Wait", id="wait", compact=True, classes="wait", variant="primary")
        with Horizontal():
            yield Label("Or")
            at_most = format_duration(_LONGEST_WATCH)
            yield Button(f"Until something comes ({at_most} at most)", id="news", compact=True, classes="wait")
        with Horizontal():
            yield Label("Speed")
            for rate in RATES:
                yield Button(f"{rate}x", id=f"rate-{rate}", compact=True, classes="rate")
        with Horizontal():
            yield Label("Clock")
            yield Button("Pause", id="pause", compact=True)
        yield Static(id="said", markup=False)

    def on_mount(self) -> None:
        """Show the time, also as it passes."""
        self._show()
        self.query_one("#for", Input).focus()
        self.set_interval(_TICK, self._show)

    def _show(self) -> None:
        clock, glyphs = self.live.clock, breakfix(self).glyphs
        state = f"{glyphs.pause} paused" if clock.paused else f"{glyphs.play} {clock.rate}x"
        self.query_one("#now", Static).update(f"At the site it is {self.live.time_of_day()}   {state}{self._due()}")
        for rate in RATES:
            mark = f"{glyphs.play} " if rate == clock.rate and not clock.paused else ""
            self.query_one(f"#rate-{rate}", Button).label = f"{mark}{rate}x"
        pause = self.query_one("#pause", Button)
        pause.label = f"{glyphs.play} Go on" if clock.paused else f"{glyphs.pause} Pause"
        for button in self.query(".wait").results(Button):
            button.disabled = not self.can_wait

    def _due(self) -> str:
        orders = open_orders(self.live)
        if not orders:
            return ""
        first = orders[0]
        return f"\nMachine room: {first.action} {first.target} is due at {self.live.time_of_day(first.due_at)}"

    def _say(self, text: str, error: bool = False) -> None:
        said = self.query_one("#said", Static)
        mark = f"{breakfix(self).glyphs.cross} " if error else ""
        said.set_class(error, "error")
        said.update(f"{mark}{text}")

    # Letting time pass

    @action("wait.typed", "Wait", "enter", footer=5, when="on_field")
    async def wait_as_typed(self) -> None:
        """Let as much time pass as the field says."""
        field = self.query_one("#for", Input)
        await keys_taken(field)
        self._wait_for(field.value)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """The buttons."""
        what, _, value = str(event.button.id).partition("-")
        if what == "for":
            self._wait_for(value)
        elif what == "wait":
            self._wait_for(self.query_one("#for", Input).value)
        elif what == "rate":
            self._set_rate(int(value))
        else:
            {"news": self.wait_for_news, "pause": self.pause}[what]()

    def _wait_for(self, text: str) -> None:
        if not self.can_wait:
            return
        if not text.strip():
            self._say("Type how long, such as 10m.", error=True)
            return
        try:
            time = duration(text)
            if not 0 < time <= _LONGEST:
                raise BreakfixError("that is no time to wait for", "Write it like 90s, 10m or 1h30m, up to 30d.")
        except BreakfixError as error:
            self._say(str(error), error=True)
            return
        self._begin(
            lambda: pass_for(self.live, time), f"Letting {format_duration(time)} pass{breakfix(self).glyphs.ellipsis}"
        )

    @action("wait.news", "Until something comes", "prefix n", footer=20, when="can_wait")
    def wait_for_news(self) -> None:
        """Let time pass until a message comes or work in the machine room is done, an hour at most."""
        self._begin(
            lambda: pass_until_news(self.live), f"Waiting for something to come{breakfix(self).glyphs.ellipsis}"
        )

    def _begin(self, wait: Callable[[], Awaitable[str]], text: str) -> None:
        if not self.can_wait:
            return
        self.working = True
        self._say(text)
        self._show()
        # The program's worker, not the dialog's: closing the dialog must not cut a move short.
        app = breakfix(self)
        self.call_after_refresh(lambda: app.run_worker(self._do(app, wait), exit_on_error=False))

    async def _do(self, app: Breakfix, wait: Callable[[], Awaitable[str]]) -> None:
        """Wait, and be done with it; what goes wrong is told here."""
        said, wrong = "", False
        try:
            said = await wait()
        except BreakfixError as error:
            said, wrong = str(error), True
        except Exception as error:
            said, wrong = "The wait ended early.", True
            app.tell_trouble("Wait", error)
        finally:
            self.working = False
        if self not in app.screen_stack:  # it was closed meanwhile
            app.notify(said, severity="error" if wrong else "information", markup=False)
        elif wrong:
            self._say(said, error=True)
            self._show()
        else:
            self.happened = said
            self._leave()

    def on_screen_resume(self) -> None:
        """What lay over it is gone: if the wait has ended meanwhile, it goes too."""
        self.call_later(self._leave)

    def _leave(self) -> None:
        if self.happened is not None and self.is_active:
            self.dismiss(self.happened)

    # Its speed

    def _set_rate(self, rate: int) -> None:
        self.live.clock.set_rate(rate)
        self.live.clock.set_paused(False)
        self._changed()

    @action("wait.pause", "Pause/go on", "prefix p", footer=10)
    def pause(self) -> None:
        """Stop the session's time, or let it go on."""
        self.live.clock.set_paused(not self.live.clock.paused)
        self._changed()

    @action("wait.slower", "Slower", "prefix -")
    def slower(self) -> None:
        """The next lower speed."""
        self._step_rate(-1)

    @action("wait.faster", "Faster", "prefix +")
    def faster(self) -> None:
        """The next higher speed."""
        self._step_rate(1)

    def _step_rate(self, step: int) -> None:
        known = [*RATES].index(self.live.clock.rate) if self.live.clock.rate in RATES else 0
        self._set_rate(RATES[max(0, min(known + step, len(RATES) - 1))])

    def _changed(self) -> None:
        self._show()
        self.live.on_change()

    @action("wait.left", "Left", "left", when="on_button")
    def go_left(self) -> None:
        """To the button before."""
        self.focus_previous(Button)

    @action("wait.right", "Right", "right", when="on_button")
    def go_right(self) -> None:
        """To the next button."""
        self.focus_next(Button)
