"""A drill in plain mode: the briefing, the shell's prompt, the learner's moves, news as they come, and the journal."""

from __future__ import annotations

import shutil
from dataclasses import dataclass

from engine.kernel.errors import BreakfixError
from engine.shell.completion import Completion, complete
from scenarios import saved
from scenarios.model import Scenario
from scenarios.script import MOVE_WORDS
from scenarios.session import DrillSession
from scenarios.terminals import FrontEnd
from tui.drills import MOVES, scenario_named
from tui.move_completion import complete_move
from tui.opening import parse_seed
from tui.pace import WallPace
from tui.plain import converse, finish_journal, print_bytes
from tui.store import JournalFile, new_journal, open_journal, read_journal, saved_sessions


@dataclass
class Conversation:
    """A session at a terminal, with its journal."""

    session: DrillSession
    journal: JournalFile
    left: bool = False

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
        word = line.strip().removeprefix(":").split(" ")[0]
        if word in ("help", "briefing", "causes", "quit"):
            {"help": _help, "briefing": self.brief, "causes": self._causes, "quit": self._quit}[word]()
            return True
        if word not in MOVE_WORDS:
            if word.isalpha():
                print(f"There is no move :{word}; `:help` shows them. (To run it in the shell, put a space before it.)")
            return word.isalpha()
        try:
            reply = await self.session.perform(line.strip())
        except BreakfixError as error:
            print(error)
            return True
        print(reply.text)
        self._tell_news()
        return True

    def brief(self) -> None:
        """The briefing."""
        told = self.session.briefing
        print(f"\n{self.session.scenario.title}  ({told.form}, {self.session.clock(self.session.stage.arrival)})")
        print(f"From: {told.sender}\nSubject: {told.subject}\n\n{told.text}")

    def _causes(self) -> None:
        for cause, title in sorted(self.session.vocabulary.items()):
            print(f"  {cause:<28} {title}")

    def _quit(self) -> None:
        self.left = True

    def _over(self) -> bool:
        return self.session.submitted or self.left

    def _tell_news(self) -> None:
        for entry in self.session.news():
            print(f"[{self.session.clock(entry.started)}] {' '.join(entry.words)}: {entry.text}")


def _help() -> None:
    print(MOVES)


def _front(number: int) -> FrontEnd:
    columns, rows = shutil.get_terminal_size()
    return FrontEnd(columns=columns, rows=rows, interactive=True, printer=print_bytes)


async def begin(scenario: Scenario, source: str, seed: int) -> Conversation:
    """A new drill, with its briefing told."""
    journal = new_journal(scenario.id, saved.header(scenario, source, seed))
    session = await saved.begin(scenario, seed, _front, WallPace(), journal.write)
    conversation = Conversation(session, journal)
    conversation.brief()
    print(f"\n{MOVES}\n")
    return conversation


async def resume(name: str | None) -> Conversation:
    """The last drill (of that name) that was not handed in. Raises BreakfixError if there is none."""
    found = [
        one for one in saved_sessions("drill") if name in (None, one.header.get("scenario"), one.header.get("source"))
    ]
    if not found:
        raise BreakfixError("there is no drill to take up again", "`breakfix list drills` shows what can be begun.")
    told = found[0].header
    scenario = scenario_named(str(told.get("source")))
    saved.check_header(scenario, told)
    records = list(read_journal(found[0].path))[1:]
    journal = open_journal(found[0].path)
    try:
        session = await saved.resume(
            scenario, parse_seed(str(told.get("seed"))), records, _front, WallPace(), journal.write
        )
    except Exception as error:
        raise BreakfixError(
            f"the session {found[0].path} is damaged: {error}", "Delete the file to begin that drill anew."
        ) from None
    conversation = Conversation(session, journal)
    conversation.brief()
    for past in session.shell_terminals().play.past.values():
        for prompt, line, output in past.transcript:
            print(f"{prompt}{line}\n{output}", end="")
    return conversation
