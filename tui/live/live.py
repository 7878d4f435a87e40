"""A session on the screen, whatever its kind: seats at its terminals, its clock, and the journal on disk."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

from engine.kernel.calendar import local
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.shell.completion import Completion
from engine.shell.play import Play, Record
from engine.shell.terminal import Terminal
from engine.world.world import World
from tui.live.clock import SessionClock
from tui.live.seat import Seat, Seats
from tui.seen.knowledge import Knowledge
from tui.store import JournalFile

_CLOCK_JOURNALED_EVERY = 15 * SECOND
_LEAST_TIME = SECOND // 20


Layout = list[Any]
"""Tabs of terminals, as tui/workspace/arrangement.py writes them."""


class Live(ABC):
    """A session that is played on the screen. `on_change` is called when something other than a terminal changed."""

    kind: str

    def __init__(self, play: Play, clock: SessionClock, seats: Seats, journal: JournalFile) -> None:
        self.play = play
        self.clock = clock
        self.journal = journal
        self.seats = seats
        seats.live = self
        self.knowledge = Knowledge(play.simulation.world.inventory)
        self.on_change: Callable[[], None] = lambda: None
        self.layout: Layout = []
        self._told_clock = play.simulation.now
        self._keeping = asyncio.Lock()

    @property
    def simulation(self) -> Simulation[World]:
        return self.play.simulation

    @property
    @abstractmethod
    def title(self) -> str:
        """What the top line says."""

    @property
    @abstractmethod
    def site(self) -> str: ...

    @property
    def over(self) -> bool:
        """Whether nothing can be done in it any more."""
        return False

    @property
    @abstractmethod
    def elapsed(self) -> int:
        """Simulated ns since the learner came."""

    @abstractmethod
    def terminal(self, number: int) -> Terminal:
        """The shell's terminal, opened on the login host when first used and after it was left."""

    @abstractmethod
    async def run_line(self, number: int, text: str) -> None:
        """Run a line in a terminal."""

    @abstractmethod
    async def pass_time(self, duration: int) -> None:
        """Let simulated time pass at once, with whatever happens in it."""

    def interrupt(self, number: int) -> None:
        """Ctrl-C in a terminal."""
        self.terminal(number).interrupt()

    def complete(self, number: int, line: str, cursor: int) -> Completion:
        """Tab in a terminal."""
        return self.seat(number).shell_completion(line, cursor)

    def resize(self, number: int, columns: int, rows: int) -> None:
        """The pane of a terminal has another size."""
        terminal = self.terminal(number)
        terminal.columns, terminal.rows = columns, rows

    def seat(self, number: int) -> Seat:
        """The seat at terminal `number`, made when first asked for."""
        return self.seats.seat(number)

    def known_terminals(self) -> list[int]:
        """Numbers of the terminals that are open."""
        return sorted({terminal.number for terminal in self.play.terminals if not terminal.closed})

    def has_ended(self, number: int) -> bool:
        """Whether a terminal was there and its shell has been left."""
        found = [terminal for terminal in self.play.terminals if terminal.number == number]
        return bool(found) and found[-1].closed

    def new_number(self) -> int:
        """A number for another terminal."""
        return max([0, *self.seats.numbers, *(terminal.number for terminal in self.play.terminals)]) + 1

    def time_of_day(self, at: int | None = None) -> str:
        """A time as the site's clocks show it: `Tue 09:14:22`."""
        inventory = self.simulation.world.inventory
        return local(inventory.timezone, inventory.start + (self.simulation.now if at is None else at)).strftime(
            "%a %H:%M:%S"
        )

    def keep_layout(self, layout: Layout) -> None:
        """Remember how the terminals are arranged, for when the session is taken up again."""
        if layout != self.layout:
            self.layout = layout
            self.play.write({"layout": layout})

    def recall(self) -> None:
        """Know again what was on the screen before the session was taken up again."""
        past = [line for terminal in self.play.past.values() for line in terminal.lines]
        for line in sorted(past, key=lambda line: line.ended):
            self.knowledge.take(line.host, line.text, line.output, line.ended)

    async def keep_time(self) -> None:
        """Let the time pass that has come on the wall and that no running command has spent. Called now and then."""
        if self.over or self._keeping.locked():
            return
        async with self._keeping:
            due = self.clock.unspent
            if due >= _LEAST_TIME:
                self.clock.spend(due)
                await self.pass_time(due)
            if self.simulation.now - self._told_clock >= _CLOCK_JOURNALED_EVERY:
                self._told_clock = self.simulation.now
                self.play.write({"clock": self.simulation.now})

    @property
    @abstractmethod
    def untouched(self) -> bool:
        """Whether nothing was done in it that anybody would want to come back to."""

    def close(self) -> None:
        """Stop everything; the journal stays, unless nothing was done."""
        with suppress(Exception):
            self.play.write({"clock": self.simulation.now})
        untouched = self.untouched
        self.play.close()
        if untouched:
            self.journal.delete()
        self.journal.close()


def kept_layout(records: Iterable[Record]) -> Layout:
    """The last arrangement that a journal tells."""
    found: Layout = []
    for record in records:
        layout = record.get("layout")
        found = layout if isinstance(layout, list) else found
    return found
