"""A drill in plain mode: the briefing, the shell's prompt, the learner's moves, news as they come, and the journal."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from engine.kernel.errors import BreakfixError
from engine.shell.completion import Completion, complete
from scenarios import saved
from scenarios.guide import Guide, plain_step
from scenarios.model import Scenario
from scenarios.session import DrillSession
from scenarios.terminals import FrontEnd
from tui.drills import last_saved, scenario_named
from tui.live.move_completion import complete_move
from tui.live.moves import briefing_text, is_move, make_move, moves_text
from tui.opening import parse_seed
from tui.pace import WallPace
from tui.plain.conversation import converse, finish_journal, print_bytes
from tui.store import JournalFile, new_journal, open_journal, read_journal


@dataclass
class Conversation:
    """A session at a terminal, with its journal."""

    session: DrillSession
    journal: JournalFile
    left: bool = False
    told_step: str = ""

    def __post_init__(self) -> None:
        self.guide = Guide(self.session)

    async def run(self) -> DrillSession:
        """Talk until the drill is handed in or left."""
        terminals = self.session.shell_terminals()
        try:
            while not (self.session.submitted or self.left):
                self.session.terminal()
                shown = terminals.play.terminals[-1]
                await converse(self, shown, self.move, clock_runs=True, ended=self._over)
        finally:
            finish_journal(self.journal)
        return self.session

    def forget(self) -> None:
        """The drill was scored; there is nothing to take up again."""
        self.journal.delete()

    async def run_line(self, text: str) -> int:
        """A line for the shell."""
        status = (await self.session.line(text)).status
        self._tell_news()
        return status

    async def pass_time(self, duration: int) -> None:
        """The learner thinks."""
        await self.session.pass_time(duration)
        self.session.shell_terminals().play.write({"clock": self.session.simulation.now})
        self._tell_news()

    def complete(self, line: str, cursor: int) -> Completion:
        """Tab, for moves and for the shell."""
        if line.startswith(":"):
            return complete_move(self.session, line, cursor)
        return complete(self.session.shell_terminals().play.terminals[-1].top, line, cursor)

    def interrupt(self) -> None:
        """Ctrl-C."""
        self.session.interrupt()

    async def move(self, line: str) -> bool:
        """A line that begins with a colon: one of the learner's moves, if it is one."""
        if not is_move(line):
            return False
        if line.strip() == ":quit":
            self.left = True
            return True
        print(await make_move(self.session, line))
        self._tell_news()
        return True

    def brief(self) -> None:
        """The briefing."""
        print(briefing_text(self.session))

    def _over(self) -> bool:
        return self.session.submitted or self.left

    def _tell_news(self) -> None:
        for entry in self.session.news():
            print(f"[{self.session.clock(entry.started)}] {' '.join(entry.words)}: {entry.text}")
        self.guide_on()

    def guide_on(self) -> None:
        """The next step of a guided drill, when it is another one."""
        step = plain_step(self.session, self.guide) if self.session.scenario.guide else ""
        if step != self.told_step:
            self.told_step = step
            print(f"\n{step or 'All steps are done.'}\n")


def _front(number: int) -> FrontEnd:
    columns, rows = shutil.get_terminal_size()
    return FrontEnd(columns=columns, rows=rows, interactive=True, printer=print_bytes)


async def begin(scenario: Scenario, source: str, seed: int) -> Conversation:
    """A new drill, with its briefing told."""
    journal = new_journal("drill", saved.header(scenario, source, seed))
    session = await saved.begin(scenario, seed, _front, WallPace(), journal.write)
    conversation = Conversation(session, journal)
    conversation.brief()
    print(f"\n{moves_text(scenario)}\n")
    conversation.guide_on()
    return conversation


async def resume(name: str | None) -> Conversation:
    """The last drill (of that name) that was not handed in. Raises BreakfixError if there is none."""
    found = last_saved(name)
    told = found.header
    scenario = scenario_named(str(told.get("source")))
    saved.check_header(scenario, told)
    records = list(read_journal(found.path))[1:]
    journal = open_journal(found.path)
    try:
        session = await saved.resume(
            scenario, parse_seed(str(told.get("seed"))), records, _front, WallPace(), journal.write
        )
    except Exception as error:
        raise BreakfixError(
            f"the session {found.path} is damaged: {error}", "Delete the file to begin that drill anew."
        ) from None
    conversation = Conversation(session, journal)
    conversation.brief()
    for past in session.shell_terminals().play.past.values():
        for line in past.lines:
            print(f"{line.prompt}{line.text}\n{line.output}", end="")
    return conversation
