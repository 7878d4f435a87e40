"""A terminal pane on a screen of its own, at a seat that does what a test says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen

from engine.shell.completion import Completion
from tui.app import Breakfix
from tui.live.seat import Seat
from tui.settings import Settings
from tui.widgets.terminal_pane import TerminalPane


@dataclass
class FakeSeat:
    """`runner` runs its lines; it prints, asks and shows through `view` as a shell does."""

    runner: Callable[[FakeSeat, str], Awaitable[None]]
    prompt: str = "\x1b[32mops@dgx-01\x1b[0m:~$ "
    view: Any = None
    number: int = 1
    host: str = "dgx-01"
    can_run: bool = True
    past: tuple[Any, ...] = ()
    history: list[str] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)
    words: tuple[str, ...] = ()
    busy: bool = False
    interrupts: int = 0
    resized: list[tuple[int, int]] = field(default_factory=list)
    now: int = 0
    closed: bool = False
    top: Any = field(default_factory=lambda: SimpleNamespace(pending="", idle=True))

    @property
    def live(self) -> Any:
        return SimpleNamespace(
            kind="drill", over=False, simulation=self, resize=lambda number, *size: self.resized.append(size)
        )

    @property
    def terminal(self) -> Any:
        return self

    def knows_command(self, name: str) -> bool:
        return True

    def complete(self, line: str, cursor: int) -> Completion:
        return Completion(cursor, self.words)

    async def run_line(self, text: str) -> None:
        self.ran.append(text)
        self.busy = True
        await self.runner(self, text)
        self.busy = False

    def interrupt(self) -> None:
        self.interrupts += 1

    def meant(self, word: str) -> str | None:
        return None


async def echo(seat: FakeSeat, text: str) -> None:
    """A runner: says what it was given."""
    seat.view.print(f"ran {text}\n".encode(), False)


async def forever(seat: FakeSeat, text: str) -> None:
    """A runner: runs until Ctrl-C."""
    before = seat.interrupts
    while seat.interrupts == before:
        await asyncio.sleep(0.002)


class PaneScreen(Screen[Any]):
    """The pane, and what it told."""

    def __init__(self, seat: Any, size: tuple[int, int] | None = None) -> None:
        super().__init__()
        self.pane = TerminalPane(cast(Seat, seat))
        self.told: list[Any] = []
        if size:
            self.pane.styles.width, self.pane.styles.height = size

    def compose(self) -> ComposeResult:
        yield self.pane

    def on_terminal_pane_pin_wanted(self, message: TerminalPane.PinWanted) -> None:
        self.told.append(("pin", message.text))

    def on_terminal_pane_menu_wanted(self, message: TerminalPane.MenuWanted) -> None:
        self.told.append(("menu", message.x, message.y))

    def on_terminal_pane_ended(self, message: TerminalPane.Ended) -> None:
        self.told.append("ended")

    def on_terminal_pane_changed(self, message: TerminalPane.Changed) -> None:
        self.told.append("changed")


@asynccontextmanager
async def pane_of(
    seat: Any, size: tuple[int, int] = (80, 24), pane_size: tuple[int, int] | None = None, **settings: Any
) -> AsyncIterator[tuple[Pilot[Any], TerminalPane, PaneScreen]]:
    """The program with a pane at the seat."""
    app = Breakfix(settings=Settings(**settings))
    async with app.run_test(size=size) as pilot:
        screen = PaneScreen(seat, pane_size)
        await app.push_screen(screen)
        screen.pane.focus()
        await pilot.pause()
        yield pilot, screen.pane, screen


async def until(pilot: Pilot[Any], condition: Callable[[], bool], seconds: float = 15) -> None:
    """Wait for something; fails when it does not come."""
    for _ in range(int(seconds / 0.01)):
        await pilot.pause(0.01)
        if condition():
            await pilot.pause()
            return
    raise AssertionError("it did not come")


async def run(pilot: Pilot[Any], pane: TerminalPane, *lines: str) -> None:
    """Enter lines, each when the one before has ended."""
    for line in lines:
        pane.run_text(line)
        await until(pilot, lambda: not pane.conversation.running)


async def resize(pilot: Pilot[Any], pane: TerminalPane, columns: int, rows: int) -> None:
    """Give the pane another size; the screen around it stays as large as the program needs it."""
    pane.styles.width, pane.styles.height = columns, rows
    await pilot.pause()
