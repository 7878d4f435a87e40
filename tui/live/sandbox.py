"""A sandbox on the screen: a site to play with, any fault that was asked for, no score."""

from __future__ import annotations

from typing import Any

from engine.kernel.errors import BreakfixError
from engine.kernel.units import duration, format_duration
from engine.shell.play import Play
from engine.shell.terminal import Terminal
from scenarios.recording import Recording
from tui.live.clock import SessionClock
from tui.live.live import Live, kept_layout
from tui.live.seat import Seats
from tui.opening import Opening
from tui.store import JournalFile, Saved, new_journal, open_journal, read_journal


class LiveSandbox(Live):
    """A sandbox. Its terminals are logins on the site's login host (or the one that was asked for)."""

    kind = "sandbox"

    def __init__(
        self,
        opening: Opening,
        play: Play,
        clock: SessionClock,
        seats: Seats,
        journal: JournalFile,
        recordings: dict[int, Recording],
    ) -> None:
        super().__init__(play, clock, seats, journal)
        self.opening = opening
        self.recordings = recordings
        self._login = opening.login(play.simulation.world.inventory)
        self._touched = False

    @property
    def title(self) -> str:
        return self.simulation.world.inventory.title

    @property
    def site(self) -> str:
        return self.opening.site

    @property
    def elapsed(self) -> int:
        return self.simulation.now

    @property
    def untouched(self) -> bool:
        return not self._touched and not self.play.past

    def terminal(self, number: int) -> Terminal:
        try:
            known = self.play.terminal(number)
        except KeyError:
            known = None
        if known is None or known.closed:
            options = _options(self.play, self.seats, self.recordings, number)
            known = self.play.open_terminal(*self._login, number, **options)
        return known

    async def run_line(self, number: int, text: str) -> None:
        self._touched = True
        seat = self.seat(number)
        if text.startswith(":wait "):
            await self._wait(number, text.removeprefix(":wait "))
            return
        host, recording = seat.host, self.recordings[number]
        recording.clear()
        result = await self.play.run_line(self.terminal(number), text)
        frames = "".join(f"{frame}\n" for frame in recording.frames)
        shown = result.output.decode("utf-8", "replace") + frames
        self.knowledge.take(host, text, shown, self.simulation.now)
        self.on_change()

    async def _wait(self, number: int, text: str) -> None:
        try:
            waited = duration(text.strip())
        except BreakfixError as error:
            self.seat(number).say(str(error))
            return
        await self.pass_time(waited)
        self.seat(number).say(f"{format_duration(waited)} pass.")

    async def pass_time(self, duration: int) -> None:
        await self.play.shell.scheduler.pass_time(duration)
        self.on_change()


async def begin(opening: Opening) -> LiveSandbox:
    """A new sandbox. Raises BreakfixError."""
    journal = new_journal("sandbox", opening.header())
    clock, seats = SessionClock(), Seats()
    return LiveSandbox(opening, opening.play(clock, journal.write), clock, seats, journal, {})


async def resume(found: Saved) -> LiveSandbox:
    """The sandbox of a journal, where it was left. Raises BreakfixError."""
    opening = Opening.of(found.header)
    records = list(read_journal(found.path))[1:]
    journal = open_journal(found.path)
    clock, seats, recordings = SessionClock(), Seats(), dict[int, Recording]()
    try:
        play = opening.play(clock, journal.write)
        play.resume(records, lambda number: _options(play, seats, recordings, number))
        live = LiveSandbox(opening, play, clock, seats, journal, recordings)
        live.layout = kept_layout(records)
        live.recall()
        return live
    except Exception as error:
        journal.close()
        raise BreakfixError(
            f"the session {found.path} is damaged: {error}", "Delete the file to begin a new one."
        ) from None


def _options(play: Play, seats: Seats, recordings: dict[int, Recording], number: int) -> dict[str, Any]:
    """The shell's way to a seat; what full-screen programs show is kept on the way."""
    recordings[number] = Recording(play.simulation, seats.front(number))
    front = recordings[number].front
    return {
        "interactive": True,
        "columns": front.columns,
        "rows": front.rows,
        "printer": front.printer,
        "asker": front.asker,
        "shower": front.shower,
    }
