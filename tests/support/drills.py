"""A drill under way with the program around it, for tests of its panels, dialogs and debrief."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen

from scenarios.script import script_lines
from tests.support.frame import shown
from tests.support.screens import at_home
from tui.actions import Acts
from tui.app import Breakfix
from tui.drills import scenario_named
from tui.live.drill import LiveDrill, begin
from tui.settings import Settings
from tui.widgets.footer import Footer
from tui.widgets.panel import Panel

SIZES = [(80, 24), (120, 36), (200, 60)]
OPENING = 8
"""So many lines of the reference solution of gpu-off-the-bus look for the fault and pin three lines."""

_NAMED_KEYS = ("enter", "tab", "down", "up", "escape")

Result = TypeVar("Result")


class Played(Generic[Result]):
    """A drill on the screen: the session, the program, its pilot, and what a screen that was closed gave."""

    def __init__(self, live: LiveDrill, app: Breakfix, pilot: Pilot[Any]) -> None:
        self.live, self.app, self.pilot = live, app, pilot
        self.results: list[Result | None] = []

    async def open(self, screen: Screen[Result]) -> None:
        """Show a screen of the drill."""
        self.app.push_screen(screen, self.results.append)
        await self.settle()

    async def press(self, *keys: str) -> None:
        """Press keys, and let everything be drawn."""
        await self.pilot.press(*keys)
        await self.settle()

    async def type(self, text: str) -> None:
        """Type a text."""
        await self.press(*("space" if letter == " " else letter for letter in text))

    async def at_once(self, *texts: str) -> None:
        """Type texts, and press keys that have names, so fast that nothing is done in between."""
        for text in texts:
            for key in [text] if text in _NAMED_KEYS else list(text):
                name = "space" if key == " " else key
                self.app.post_message(events.Key(name, key if len(key) == 1 else None))
        await self.settle()

    async def paste(self, text: str) -> None:
        """Put a text into the focused field at once, which takes less time than typing it."""
        focused = self.app.screen.focused
        assert focused is not None
        focused.post_message(events.Paste(text))
        await self.settle()

    async def click(self, selector: str, offset: tuple[int, int] = (0, 0)) -> None:
        """Click on a widget."""
        await self.pilot.click(selector, offset=offset)
        await self.settle()

    async def settle(self) -> None:
        """Wait until there is nothing left to do."""
        for _ in range(3):
            await self.pilot.pause()

    @property
    def screen(self) -> str:
        """What is painted."""
        return shown(self.app)


class Panels(Screen[None], Acts):
    """Panels one under the other, as they stand beside the terminals."""

    AUTO_FOCUS = ""
    DEFAULT_CSS = "Panels { overflow-y: auto; }"

    def __init__(self, *panels: Panel) -> None:
        super().__init__()
        self.panels = panels

    def compose(self) -> ComposeResult:
        yield from self.panels
        yield Footer()


def play(
    act: Callable[[Played[Any]], Awaitable[None]],
    *,
    size: tuple[int, int] = (80, 24),
    glyphs: str = "unicode",
    name: str = "gpu-off-the-bus",
    lines: int | None = 0,
    moves: Sequence[str] = (),
) -> None:
    """Begin a drill, play so many lines of its reference solution (None: all but the last), make moves, then `act`."""

    async def run() -> None:
        live = await begin(scenario_named(name), name, 1)
        try:
            stage = live.session.stage
            solution = [line for _, line in script_lines(stage.fill(stage.scenario.solution)) if line != ":submit"]
            for line in [*solution[:lines], *moves]:
                await live.session.perform(line)
            for _ in live.session.news():
                continue
            app = Breakfix(settings=Settings.model_validate({"glyphs": glyphs}))
            async with app.run_test(size=size) as pilot:
                await at_home(pilot)
                await act(Played(live, app, pilot))
        finally:
            live.close()

    asyncio.run(run())
