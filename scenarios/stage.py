"""The stage of a scenario at a seed: what was chosen, and the worlds that can stand there when the learner arrives.

All worlds are forks of one: the real one with its faults, the twin without them, and those in which a wrong cause
stands instead. Noise, workloads and what other people did before are the same in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.facts.fact import View
from engine.facts.facts import Facts
from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.kernel.units import HOUR, MINUTE
from engine.world.world import World
from scenarios.model import FactText, FaultUse, OtherMove, Scenario, WrongCause
from scenarios.templates import fill, time_offset
from scenarios.terminals import OTHERS_TERMINAL, FrontEnd, OpenWorld, ShellTerminals
from scenarios.vary import Choices, choose, name_types

OTHERS_LINE = HOUR
"""How long a line of another person may run; one from before the learner came ends with their coming."""


@dataclass(frozen=True)
class TimedMove:
    """What another person does at `time` (ns since the site's start), or from then on once the fact `when` holds."""

    time: int
    who: str
    host: str
    line: str | None
    message: str | None
    terminal: int
    when: FactText | None = None


@dataclass(frozen=True)
class TimedFault:
    """A fault that strikes once the fact `when` holds, from `time` on."""

    time: int
    use: FaultUse
    when: FactText


@dataclass
class Stage:
    """A scenario at a seed. `base` is the site at its start, untouched."""

    scenario: Scenario
    seed: int
    base: Simulation[World]
    choices: Choices
    open_world: OpenWorld
    _arrivals: dict[str, Simulation[World]] = field(default_factory=dict, repr=False)

    @classmethod
    def build(cls, scenario: Scenario, seed: int, open_world: OpenWorld = ShellTerminals) -> Stage:
        """Open the site and choose what the seed chooses. Raises BreakfixError."""
        base = scenario.ground.open(seed, scenario.settings, scenario.standing)
        return cls(scenario, seed, base, choose(scenario, base, lateness=_lateness(scenario, base)), open_world)

    @property
    def arrival(self) -> int:
        """When the learner comes, ns since the site's start."""
        return time_offset(self.fill(self.scenario.lead))

    def fill(self, text: str) -> str:
        """A text of the scenario with what was chosen."""
        return fill(text, self.choices.texts)

    def holds(self, fact: FactText, simulation: Simulation[World]) -> bool:
        """Whether a fact of the scenario holds in a world now."""
        expression = Facts().check_truth(fact, name_types(self.scenario))
        return bool(expression.ask(View(simulation.world, simulation.now), self.choices.facts))

    def time(self, text: str) -> int:
        """A time of the scenario (from the learner's arrival) in ns since the site's start.

        Nothing happens at a whole minute: what is a minute or more before the arrival, or after it, comes some seconds
        later than it says, all of it by the same time, so that the order stays and logs give nothing away.
        """
        offset = time_offset(self.fill(text))
        time = self.arrival + offset + (_lateness(self.scenario, self.base) if offset > 0 or offset <= -MINUTE else 0)
        if time < 0:
            raise BreakfixError(
                f"scenario {self.scenario.id}: {text} lies before the site's start", "Make `lead` larger."
            )
        return time

    async def real(self) -> Simulation[World]:
        """The world that the learner comes into."""
        return await self.world(self.scenario.faults)

    async def twin(self) -> Simulation[World]:
        """The same world without the faults."""
        return await self.world(())

    async def instead(self, wrong: WrongCause) -> Simulation[World]:
        """The world in which a wrong cause is the true one."""
        return await self.world(wrong.instead, moves=wrong.moves)

    async def world(
        self, faults: Sequence[FaultUse], *, noise: bool = True, moves: Sequence[OtherMove] = ()
    ) -> Simulation[World]:
        """A world at the learner's arrival, with some faults, and what somebody did besides. What comes later is
        scheduled in it."""
        key = f"{faults!r} {noise} {moves!r}"
        if key not in self._arrivals:
            self._arrivals[key] = await self._arrive(faults, noise, moves)
        return self._arrivals[key].fork()

    async def _arrive(self, faults: Sequence[FaultUse], noise: bool, moves: Sequence[OtherMove]) -> Simulation[World]:
        faults = [use for use in faults if use.when is None]
        onsets = [self.time(use.onset) for use in faults]
        simulation = await self._before(noise, min([self._quiet_until, *onsets]))
        for use, onset in zip(faults, onsets, strict=True):
            self.inject(simulation, use, onset)
        await self._past(simulation, self.arrival, moves)
        simulation.advance_to(self.arrival)
        simulation.world.blast_radius.update("", harms=())
        return simulation

    @property
    def _quiet_until(self) -> int:
        """When the first fault of the scenario begins, or what would stand instead of it."""
        wrong = self.scenario.diagnosis.wrong if self.scenario.diagnosis else ()
        onsets = [use.onset for use in (*self.scenario.faults, *(use for one in wrong for use in one.instead))]
        onsets += [move.at for one in wrong for move in one.moves]
        return min([self.arrival, *map(self.time, onsets)])

    async def _before(self, noise: bool, time: int) -> Simulation[World]:
        """The world at a time until which nothing was broken; many worlds have the same one behind them."""
        key = f"{noise} {time}"
        if key not in self._arrivals:
            simulation = self.base.fork()
            for use in self.scenario.noise if noise else ():
                self.inject(simulation, use, self.time(use.onset))
            await self._past(simulation, time)
            simulation.advance_to(time)
            self._arrivals[key] = simulation
        return self._arrivals[key].fork()

    def inject(self, simulation: Simulation[World], use: FaultUse, onset: int) -> None:
        """Let a fault strike at a time (ns since the site's start)."""
        from engine.faults.fault import InjectFault

        parameters = tuple((name, self.fill(value)) for name, value in sorted(use.parameters.items()))
        simulation.apply(InjectFault(use.fault, self.fill(use.target), parameters, onset - simulation.now))

    def moves(self, besides: Sequence[OtherMove] = ()) -> list[TimedMove]:
        """What other people do, in order of time; workloads are what users did."""
        work = [OtherMove(at=job.at, who=job.user, line=job.line) for job in self.scenario.workloads]
        timed = [self._timed(move, number) for number, move in enumerate([*work, *self.scenario.moves, *besides])]
        return sorted(timed, key=lambda move: move.time)

    def _timed(self, move: OtherMove, number: int) -> TimedMove:
        host = self.fill(move.host) if move.host else self.base.world.inventory.login_host
        line, message = (self.fill(text) if text else None for text in (move.line, move.message))
        who = self.fill(move.who)
        return TimedMove(self.time(move.at), who, host, line, message, OTHERS_TERMINAL + number, move.when)

    def waiting_faults(self, faults: Sequence[FaultUse] | None = None) -> list[TimedFault]:
        """Faults (the scenario's own) that strike once something holds, in order of time."""
        uses = self.scenario.faults if faults is None else faults
        timed = [TimedFault(self.time(use.onset), use, use.when) for use in uses if use.when is not None]
        return sorted(timed, key=lambda fault: fault.time)

    async def _past(self, simulation: Simulation[World], end: int, besides: Sequence[OtherMove] = ()) -> None:
        """What other people did from now until a time before the learner came."""
        begin = simulation.now
        for move in self.moves(besides):
            if move.line and move.when is None and begin <= move.time < end:
                simulation.advance_to(move.time)
                terminals = self.open_world(simulation)
                await terminals.open(move.host, move.who, move.terminal, FrontEnd()).run_line(move.line, end)
                terminals.close()


def _lateness(scenario: Scenario, base: Simulation[World]) -> int:
    """How much later than a scenario says everything happens in it."""
    return base.stream(f"stage/{scenario.id}").integer(1, MINUTE - 1)
