"""A drill on the screen."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from engine.kernel.errors import BreakfixError
from engine.shell.completion import Completion
from engine.shell.terminal import Terminal
from engine.world.records import Harm
from scenarios import saved
from scenarios.journal import Entry
from scenarios.model import Scenario
from scenarios.result import Result
from scenarios.scoring import score
from scenarios.session import DrillSession
from tui.drills import scenario_named
from tui.live.clock import SessionClock
from tui.live.live import Live, kept_layout
from tui.live.move_completion import complete_move
from tui.live.moves import is_move, make_move
from tui.live.seat import Seats
from tui.opening import parse_seed
from tui.played import Played, remember
from tui.store import JournalFile, Saved, new_journal, open_journal, read_journal


class LiveDrill(Live):
    """A drill: `session` makes the moves and keeps their journal. `messages` are those that came so far."""

    kind = "drill"

    def __init__(
        self, session: DrillSession, clock: SessionClock, seats: Seats, journal: JournalFile, source: str
    ) -> None:
        super().__init__(session.shell_terminals().play, clock, seats, journal)
        self.session = session
        self.source = source
        self.result: Result | None = None
        self._waiting_pins: list[str] = []
        self._scoring = asyncio.Lock()

    @property
    def title(self) -> str:
        return self.session.scenario.title

    @property
    def site(self) -> str:
        return self.session.scenario.site

    @property
    def over(self) -> bool:
        return self.session.submitted

    @property
    def elapsed(self) -> int:
        return self.session.elapsed

    @property
    def messages(self) -> list[Entry]:
        """What other people and the machine room said, oldest first."""
        return [entry for _, entry in self.session.journal.of("message")]

    @property
    def pins(self) -> list[Entry]:
        return [entry for _, entry in self.session.journal.of("pin")]

    @property
    def notes(self) -> list[Entry]:
        return [entry for _, entry in self.session.journal.of("note")]

    @property
    def escalations(self) -> list[Entry]:
        """What was handed to the vendor."""
        return [entry for _, entry in self.session.journal.of("escalate")]

    @property
    def diagnoses(self) -> list[Entry]:
        return [entry for _, entry in self.session.journal.of("diagnose")]

    @property
    def orders(self) -> list[Entry]:
        """Work ordered in the machine room."""
        return [entry for _, entry in self.session.journal.of("hands")]

    @property
    def hints_taken(self) -> list[tuple[str, int]]:
        """The hints that were taken, with what each cost."""
        hints, stage = self.session.scenario.hints, self.session.stage
        taken = len(hints) - self.session.hints_left
        return [(stage.fill(hint.text), hint.cost) for hint in hints[:taken]]

    @property
    def next_hint_cost(self) -> int | None:
        """What the next hint costs; None when there is none."""
        hints = self.session.scenario.hints
        taken = len(hints) - self.session.hints_left
        return hints[taken].cost if taken < len(hints) else None

    @property
    def harms(self) -> tuple[Harm, ...]:
        """What the learner's acts have harmed, since they came."""
        return tuple(
            harm for harm in self.simulation.world.blast_radius[""].harms if harm.time >= self.session.stage.arrival
        )

    @property
    def untouched(self) -> bool:
        return not any(entry.kind not in ("message", "other") for entry in self.session.journal.entries)

    def terminal(self, number: int) -> Terminal:
        self.session.terminal(number)
        return self.play.terminal(number)

    def resize(self, number: int, columns: int, rows: int) -> None:
        self.session.resize(number, columns, rows)

    async def run_line(self, number: int, text: str) -> None:
        if is_move(text):
            self.seat(number).say(await make_move(self.session, text, number))
        else:
            host = self.seat(number).host
            result = await self.session.line(text, number)
            self.knowledge.take(host, text, self.shown_by_last_line(number), result.ended)
            await self._pin_waiting()
        self._tell()

    def shown_by_last_line(self, number: int) -> str:
        """What the last line of a terminal showed, full-screen programs included."""
        lines = [entry for _, entry in self.session.journal.of("line") if entry.terminal == number]
        return lines[-1].everything if lines else ""

    async def move(self, line: str) -> str:
        """Make a move; what to tell. Raises BreakfixError for one that cannot be made."""
        reply = await self.session.perform(line)
        self._tell()
        return reply.text

    async def pin(self, text: str) -> str:
        """Pin each line of the text; what to tell. What a running command shows is pinned when it has ended. Raises
        BreakfixError for a line that stands nowhere.
        """
        told, waiting = [], 0
        for line in filter(None, (line.strip() for line in text.splitlines())):
            try:
                told.append(await self.move(f":pin {line}"))
            except BreakfixError:
                if not self.seats.busy:
                    raise
                self._waiting_pins.append(line)
                waiting += 1
        if waiting:
            told.append("It is pinned when the command has ended.")
        return told[0] if len(told) == 1 else f"Pinned {len(told)} lines."

    async def _pin_waiting(self) -> None:
        waiting, self._waiting_pins = self._waiting_pins, []
        for line in waiting:
            with suppress(BreakfixError):
                await self.move(f":pin {line}")

    async def pass_time(self, duration: int) -> None:
        if not self.over:
            await self.session.pass_time(duration)
            self._tell()

    def complete(self, number: int, line: str, cursor: int) -> Completion:
        return (
            complete_move(self.session, line, cursor)
            if line.startswith(":")
            else super().complete(number, line, cursor)
        )

    def interrupt(self, number: int) -> None:
        self.session.interrupt(number)

    async def submit(self) -> Result:
        """Hand in (if that was not done), score, and remember the result. However often it is called: once."""
        if not self.session.submitted:
            self.session.submit()
        async with self._scoring:
            if self.result is None:
                self.result = await score(self.session)
                remember(
                    Played(self.result.scenario, self.result.seed, round(self.result.score.total), self.result.passed)
                )
        return self.result

    def _tell(self) -> None:
        """Messages that came go to the journal; whoever shows them is told."""
        for _ in self.session.news():
            continue
        self.on_change()

    def forget(self) -> None:
        """The result has been seen; there is nothing to take up again."""
        self.play.close()
        self.journal.delete()


async def begin(scenario: Scenario, source: str, seed: int) -> LiveDrill:
    """A new drill. Raises BreakfixError."""
    journal = new_journal("drill", saved.header(scenario, source, seed))
    clock, seats = SessionClock(), Seats()
    session = await saved.begin(scenario, seed, seats.front, clock, journal.write)
    return LiveDrill(session, clock, seats, journal, source)


async def resume(found: Saved) -> LiveDrill:
    """The drill of a journal, where it ended. Raises BreakfixError."""
    told = found.header
    source = str(told.get("source"))
    scenario = await asyncio.to_thread(scenario_named, source)
    saved.check_header(scenario, told)
    records = list(read_journal(found.path))[1:]
    journal = open_journal(found.path)
    clock, seats = SessionClock(), Seats()
    try:
        seed = parse_seed(str(told.get("seed")))
        session = await saved.resume(scenario, seed, records, seats.front, clock, journal.write)
        live = LiveDrill(session, clock, seats, journal, source)
        live.layout = kept_layout(records)
        live.recall()
        return live
    except Exception as error:
        journal.close()
        raise BreakfixError(
            f"the session {found.path} is damaged: {error}", "Delete the file to begin that drill anew."
        ) from None
