"""The cluster of an exhibit on the screen: to look around where an item's lines were run. Nothing of it is kept."""

from __future__ import annotations

from pathlib import Path

from engine.kernel.errors import BreakfixError
from engine.shell.play import Play
from exams.exhibits import Exhibits
from exams.item import Item
from tui.live.clock import SessionClock
from tui.live.sandbox import LiveSandbox
from tui.live.seat import Seats
from tui.opening import Opening
from tui.store import JournalFile, Record


class NoJournal(JournalFile):
    """Takes the place of a journal where nothing is to be kept."""

    def __init__(self) -> None:
        super().__init__(Path())

    def write(self, record: Record) -> None:
        """Keep nothing."""

    def open(self) -> bool:
        """There is no file."""
        return False

    def delete(self) -> None:
        """There is no file."""


class LiveExhibit(LiveSandbox):
    """A sandbox that stands where an exhibit ends."""

    def __init__(self, opening: Opening, play: Play, clock: SessionClock, seats: Seats) -> None:
        super().__init__(opening, play, clock, seats, NoJournal(), {})
        self._arrival = play.simulation.now

    @property
    def title(self) -> str:
        return "The exhibit's cluster"

    @property
    def elapsed(self) -> int:
        return self.simulation.now - self._arrival


async def open_exhibit(exhibits: Exhibits, item: Item, seed: int) -> LiveExhibit:
    """The cluster behind an item's exhibit at a seed. Raises BreakfixError where the exhibit is a mere text."""
    site = item.exhibit.site if item.exhibit else None
    if site is None:
        raise BreakfixError("this exhibit is a text; there is no cluster behind it")
    simulation = (await exhibits.show(item, seed)).world()
    clock, seats = SessionClock(), Seats()
    return LiveExhibit(Opening(site, seed), Play(simulation, clock), clock, seats)
