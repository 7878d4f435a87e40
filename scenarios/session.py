"""A drill under way: the learner's terminals and other moves, what other people do meanwhile, and the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.kernel.calendar import local
from engine.kernel.names import quoted, unknown
from engine.kernel.simulation import Simulation
from engine.world.world import World
from scenarios import script
from scenarios.answering import comment
from scenarios.components import NOTHING, causes, require_cause, require_component
from scenarios.journal import Entry, Journal
from scenarios.model import Scenario
from scenarios.patterns import plain_text
from scenarios.recording import Recording
from scenarios.replay import order_hands
from scenarios.script import MoveError
from scenarios.stage import OTHERS_LINE, Stage, TimedFault, TimedMove
from scenarios.terminals import FrontEnd, LineResult, OpenWorld, ShellTerminals, Terminal, Terminals

if TYPE_CHECKING:
    from engine.shell.play import Record

Front = Callable[[int], FrontEnd]


def plain_front(number: int) -> FrontEnd:
    """A terminal that nobody looks at. It is one all the same: a login on another host takes the lines that follow."""
    return FrontEnd(interactive=True)


@dataclass(frozen=True, slots=True)
class Reply:
    """What a move gives back: a line's status and output, for others a sentence, and whether the session is over."""

    text: str = ""
    status: int = 0
    output: bytes = b""
    submitted: bool = False


@dataclass(frozen=True)
class BriefingText:
    """The briefing with what the seed chose."""

    form: str
    sender: str
    subject: str
    text: str


class DrillSession:
    """A scenario at a seed, as one learner plays it. `start` makes one."""

    def __init__(
        self, stage: Stage, simulation: Simulation[World], front: Front, open_world: OpenWorld | None = None
    ) -> None:
        self.stage = stage
        self.simulation = simulation
        self.front = front
        self.arrived = simulation.fork()
        self.journal = Journal()
        self.submitted = False
        self._world = (open_world or stage.open_world)(simulation)
        self._terminals: dict[int, Terminal] = {}
        self._recordings: dict[int, Recording] = {}
        self._plan = self._planned()
        self._waiting: list[TimedMove | TimedFault] = []
        self._reasons = self._slurm_reasons()
        self._told_orders = self._told_messages = 0
        self._causes = causes(self.scenario)

    @classmethod
    async def start(
        cls, scenario: Scenario, seed: int, *, open_world: OpenWorld = ShellTerminals, front: Front = plain_front
    ) -> DrillSession:
        """Build the world and let the learner in. Raises BreakfixError."""
        return await cls.on(Stage.build(scenario, seed, open_world), front)

    @classmethod
    async def on(cls, stage: Stage, front: Front = plain_front, open_world: OpenWorld | None = None) -> DrillSession:
        """A session on a stage that was built before.

        `front(number)` is what looks at terminal `number`; `open_world` gives the learner's terminals (their pace, and
        where their journal goes).
        """
        return cls(stage, await stage.real(), front, open_world)

    @property
    def scenario(self) -> Scenario:
        return self.stage.scenario

    @property
    def briefing(self) -> BriefingText:
        """What the learner is told at first."""
        given = self.scenario.briefing
        return BriefingText(given.form, *(self.stage.fill(text) for text in (given.sender, given.subject, given.text)))

    @property
    def vocabulary(self) -> Mapping[str, str]:
        """The causes that a diagnosis may name, with their titles."""
        return self._causes

    @property
    def elapsed(self) -> int:
        """Simulated ns since the learner came."""
        return self.simulation.now - self.stage.arrival

    @property
    def hints_left(self) -> int:
        return len(self.scenario.hints) - len(self.journal.of("hint"))

    def clock(self, time: int) -> str:
        """A time as the site's clocks show it."""
        inventory = self.simulation.world.inventory
        return local(inventory.timezone, inventory.start + time).strftime("%H:%M:%S")

    def _planned(self) -> list[TimedMove | TimedFault]:
        """What happens by itself after the learner came, in order of time."""
        moves = [move for move in self.stage.moves() if move.time >= self.stage.arrival]
        return sorted([*moves, *self.stage.waiting_faults()], key=lambda one: one.time)

    def terminal(self, number: int = 1) -> Terminal:
        """Terminal `number` of the learner, opened on the login host when first used or after it was closed."""
        known = self._terminals.get(number)
        if known is None or known.closed:
            recording = self._recordings[number] = Recording(self.simulation, self.front(number))
            inventory = self.simulation.world.inventory
            known = self._world.open(inventory.login_host, inventory.learner, number, recording.front)
            self._terminals[number] = known
        return known

    async def perform(self, text: str, terminal: int = 1, limit: int | None = None) -> Reply:
        """One line of a script: a shell line or another move. Raises MoveError for a move that cannot be made.

        A shell line that still runs after `limit` of simulated time is ended with Ctrl-C.
        """
        move = script.parse_move(text)
        if isinstance(move, script.Line):
            result = await self.line(move.text, terminal, None if limit is None else self.simulation.now + limit)
            return Reply(status=result.status, output=result.output)
        if isinstance(move, script.Wait):
            return await self.wait(move.duration)
        reply = self._move(move)
        if not self.submitted:
            await self._others(self.simulation.now)
        return reply

    async def line(self, text: str, number: int = 1, until: int | None = None) -> LineResult:
        """Run a line in the learner's terminal; at `until` Ctrl-C is pressed."""
        self._require_open()
        await self._others(self.simulation.now)
        terminal, recording = self.terminal(number), self._recordings[number]
        recording.clear()
        result = await terminal.run_line(text, until)
        recording.cancelled |= result.cancelled
        inventory = self.simulation.world.inventory
        span = (result.started, result.ended)
        entry = Entry("line", *span, text, terminal=number, status=result.status, output=result.output)
        self.journal.add(recording.onto(replace(entry, host=inventory.login_host, user=inventory.learner)))
        self._note_reasons()
        await self._others(self.simulation.now)
        return result

    def shell_terminals(self) -> ShellTerminals:
        """The learner's terminals, where they are the engine's shell."""
        assert isinstance(self._world, ShellTerminals)
        return self._world

    def restore(self, records: Iterable[Record]) -> list[Record]:
        """Bring a session that has just begun to where a journal ends. Returns the journal's other records."""

        def front(number: int) -> FrontEnd:
            self._recordings[number] = Recording(self.simulation, self.front(number))
            return self._recordings[number].front

        rest, terminals = self.shell_terminals().resume(records, front)
        self._terminals = {terminal.number: terminal for terminal in terminals}
        return rest

    def take_up(self, entries: Sequence[Entry]) -> None:
        """Go on after the moves that are in `entries`, which came from the same journal."""
        self.journal.entries = list(entries)
        self.submitted = bool(self.journal.of("submit"))
        begun = [one for one in self._planned() if one.time <= self.simulation.now]
        self._plan = [one for one in self._planned() if one.time > self.simulation.now]
        self._waiting = [one for one in begun if one.when is not None and not self._happened(one)]
        self._reasons = self._slurm_reasons()
        self._told_orders = sum(order.done for order in self.simulation.world.hands[""].orders)
        self._told_messages = len(self.journal.of("message"))

    def resize(self, number: int, columns: int, rows: int) -> None:
        """The window of a terminal has another size; lines that follow see it."""
        self.terminal(number)
        front = self._recordings[number].front
        front.columns, front.rows = columns, rows
        shown = self.shell_terminals().play.terminal(number)
        shown.columns, shown.rows = columns, rows

    def person_at(self, number: int, front: FrontEnd) -> FrontEnd:
        """Let another front end answer at a terminal. Returns the one before."""
        self.terminal(number)
        before, self._recordings[number].outer = self._recordings[number].outer, front
        return before

    @property
    def world(self) -> Terminals:
        """The terminals of the session's world."""
        return self._world

    def interrupt(self, number: int = 1) -> None:
        """Ctrl-C in a terminal."""
        if number in self._terminals:
            self._recordings[number].cancelled = True
            self._terminals[number].interrupt()

    async def wait(self, duration: int) -> Reply:
        """Let time pass, as a move."""
        self._require_open()
        started = self.simulation.now
        await self.pass_time(duration)
        self.journal.add(Entry("wait", started, self.simulation.now))
        return Reply(f"It is {self.clock(self.simulation.now)}.")

    async def pass_time(self, duration: int) -> None:
        """Let time pass while nobody does anything; what other people do happens in it."""
        await self._others(self.simulation.now + duration)

    def news(self) -> Iterator[Entry]:
        """Messages that came since the last call: of other people, and of work in the machine room that is done."""
        orders = [order for order in self.simulation.world.hands[""].orders if order.done]
        for order in orders[self._told_orders :]:
            self._add("message", order.report, words=("machine room",))
        self._told_orders = len(orders)
        messages = self.journal.of("message")
        told, self._told_messages = self._told_messages, len(messages)
        yield from (entry for _, entry in messages[told:])

    def submit(self) -> Reply:
        """Hand in; nothing can be done after it."""
        self._require_open()
        self._add("submit")
        self.submitted = True
        return Reply("Submitted.", submitted=True)

    def close(self) -> None:
        """Stop everything that runs in the session's terminals."""
        self._world.close()

    def _move(self, move: script.Move) -> Reply:
        self._require_open()
        if isinstance(move, script.Diagnose):
            return self._diagnose(move)
        if isinstance(move, script.Pin):
            return self._pin(move)
        if isinstance(move, script.Note):
            return self._noted("note", move.text)
        if isinstance(move, script.Escalate):
            self._add("escalate", move.text)
            return Reply("Escalated. What you wrote goes to the vendor with whatever bundle it names.")
        if isinstance(move, script.Answer):
            return self._answer(move)
        if isinstance(move, script.Hands):
            return self._hands(move)
        return self._hint() if isinstance(move, script.Hint) else self.submit()

    def _diagnose(self, move: script.Diagnose) -> Reply:
        component = require_component(self.simulation.world, move.component)
        cause = require_cause(self._causes, move.cause)
        again = bool(self.journal.of("diagnose"))
        self._add("diagnose", words=(component, cause))
        named = "" if component == NOTHING else f"{component}, "
        said = f"Diagnosis: {named}{self._causes[cause]}."
        if again and self.scenario.kind == "incident":
            return Reply(f"{said} It stands beside the others; each one more than what is broken costs 10 points.")
        return Reply(f"{said} It stands now; the points are the first one's, less 10." if again else said)

    def _pin(self, move: script.Pin) -> Reply:
        """Pin the line of the latest output that holds the text."""
        for number, entry in reversed(self.journal.of("line")):
            for line in plain_text(entry.everything).splitlines():
                if move.text in line:
                    self._add("pin", line, source=number)
                    return Reply(f"Pinned: {line.strip()}")
        raise MoveError(f"no line that a command printed holds {quoted(move.text)}")

    def _noted(self, kind: Any, text: str) -> Reply:
        self._add(kind, text)
        return Reply("Noted.")

    def _answer(self, move: script.Answer) -> Reply:
        known = [question.id for question in self.scenario.questions]
        if move.question not in known:
            raise MoveError(unknown("question", move.question, known))
        self._add("answer", move.text, words=(move.question,))
        if self.scenario.kind != "lab":
            return Reply("Answered.")
        question = next(one for one in self.scenario.questions if one.id == move.question)
        return Reply(comment(self.stage, question, move.text))

    @property
    def answers(self) -> dict[str, str]:
        """The last answer to each question that was answered, by its id."""
        return {entry.words[0]: entry.text for _, entry in self.journal.of("answer")}

    def _hint(self) -> Reply:
        given = len(self.journal.of("hint"))
        if given >= len(self.scenario.hints):
            raise MoveError("there are no more hints")
        self._add("hint")
        hint = self.scenario.hints[given]
        points = f"{hint.cost} point{'s' * (hint.cost != 1)}"
        return Reply(f"{self.stage.fill(hint.text).rstrip()}\n({points}; {self.hints_left or 'no'} more)")

    def _hands(self, move: script.Hands) -> Reply:
        order = order_hands(self.simulation, move.action, move.target, self.simulation.world.inventory.learner)
        if isinstance(order, str):
            raise MoveError(order)
        self._add("hands", words=(move.action, move.target))
        return Reply(f"Order {order.number}: {move.action} {move.target}, done at about {self.clock(order.due_at)}.")

    def _add(self, kind: Any, text: str = "", **more: Any) -> None:
        now = self.simulation.now
        self.journal.add(Entry(kind, now, now, text, user=self.simulation.world.inventory.learner, **more))

    def _require_open(self) -> None:
        if self.submitted:
            raise MoveError("this session has been submitted")

    async def _others(self, until: int) -> None:
        """Let time pass until `until`, with what other people do on the way."""
        while self._plan and self._plan[0].time <= until:
            one = self._plan.pop(0)
            await self._world.pass_time(max(one.time - self.simulation.now, 0))
            if one.when is None or self.stage.holds(one.when, self.simulation):
                await self._happen(one)
            else:
                self._waiting.append(one)
        await self._world.pass_time(max(until - self.simulation.now, 0))
        await self._look_around()

    async def _look_around(self) -> None:
        """What was waiting for something that holds now happens."""
        for one in list(self._waiting):
            if one.when is not None and self.stage.holds(one.when, self.simulation):
                self._waiting.remove(one)
                await self._happen(one)

    async def _happen(self, one: TimedMove | TimedFault) -> None:
        if isinstance(one, TimedFault):
            self.stage.inject(self.simulation, one.use, self.simulation.now)
        else:
            await self._other(one)

    def _happened(self, one: TimedMove | TimedFault) -> bool:
        """Whether what waits for something has happened already, as the journal and the world's record tell."""
        if isinstance(one, TimedMove):
            said = [entry.text for _, entry in self.journal.of("message", "other")]
            return (one.message or one.line) in said
        known = (one.use.fault, self.stage.fill(one.use.target))
        return any((fault, target) == known for _, fault, target in self.struck_meanwhile())

    def struck_meanwhile(self) -> Iterator[tuple[int, str, str]]:
        """Time, fault and target of the faults that struck after the learner came, because something held."""
        from engine.faults.fault import InjectFault

        before = len(self.arrived.recorded)
        for recorded in self.simulation.recorded[before:]:
            if isinstance(recorded.action, InjectFault):
                yield recorded.time, recorded.action.fault, recorded.action.target

    async def _other(self, move: TimedMove) -> None:
        now = self.simulation.now
        if move.message:
            self.journal.add(Entry("message", now, now, move.message, words=(move.who,)))
        if move.line:
            terminal = self._world.open(move.host, move.who, move.terminal, FrontEnd())
            result = await terminal.run_line(move.line, now + OTHERS_LINE)
            terminal.close()
            entry = Entry(
                "other", now, self.simulation.now, move.line, terminal=move.terminal, host=move.host, user=move.who
            )
            self.journal.add(replace(entry, status=result.status, output=result.output))
        self._reasons = self._slurm_reasons()

    def _note_reasons(self) -> None:
        """Keep the drain reasons that the learner has just set; resuming a node wipes them."""
        before, self._reasons = self._reasons, self._slurm_reasons()
        for node, reason in self._reasons.items():
            if reason and reason != before.get(node):
                self._add("record", reason, words=(node,))

    def _slurm_reasons(self) -> dict[str, str]:
        """Reasons that people gave, not slurmctld itself."""
        table, people = self.simulation.world.slurm_nodes, (self.simulation.world.inventory.learner, "root")
        return {node: table[node].reason for node in table.changed() if table[node].reason_user in people}
