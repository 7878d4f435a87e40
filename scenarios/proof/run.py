"""One seed of a proof: the reference solution played once, and what its lines show in other worlds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.kernel.units import DAY
from engine.world.world import World
from scenarios.evidence import Sighting, find_sightings, reveals
from scenarios.guide import Guide
from scenarios.journal import Entry
from scenarios.model import Evidence, FaultUse, OtherMove, Script
from scenarios.proof.report import Failure
from scenarios.replay import Replay, Shown
from scenarios.script import script_lines
from scenarios.session import DrillSession
from scenarios.stage import Stage

T = TypeVar("T")

LONGEST_LINE = 7 * DAY
"""A line of a script that runs longer is ended; it waits for what never comes."""


@dataclass(frozen=True, slots=True)
class Share:
    """Which part of what all seeds of a proof look at together falls to one: every `count`th, from `index` on."""

    index: int = 0
    count: int = 1

    def of(self, parts: Sequence[T]) -> Sequence[T]:
        """Its own among the parts."""
        return parts[self.index :: self.count]


WHOLE = Share()
"""All of it."""


@dataclass
class ProofRun:
    """A stage, the reference session on it, what it saw, and its share of what is looked at by turns."""

    stage: Stage
    session: DrillSession
    sightings: list[Sighting]
    refused: list[str]
    share: Share = WHOLE
    undone: Sequence[str] = ()
    told_apart: list[tuple[str, str]] = field(default_factory=list)
    """(evidence, suspect) for each fault that was tried in the place of the true ones: what it did not show."""
    _shown: dict[str, dict[int, Shown]] = field(default_factory=dict)
    _free: list[int] | None = None

    @classmethod
    async def of(cls, stage: Stage, share: Share = WHOLE) -> ProofRun:
        """Play the reference solution."""
        played = await play(stage, stage.scenario.solution)
        session = played.session
        return cls(
            stage, session, await find_sightings(stage, session.journal.entries), played.refused, share, played.undone
        )

    @property
    def entries(self) -> list[Entry]:
        return self.session.journal.entries

    def failure(self, check: str, subject: str, what: str, advice: str) -> Failure:
        """A failure at this seed."""
        return Failure(self.stage.scenario.id, self.stage.seed, check, subject, what, advice)

    def sighting(self, evidence: str) -> Sighting | None:
        """Where the reference solution first saw a piece of evidence."""
        return next((one for one in self.sightings if one.evidence == evidence), None)

    async def elsewhere(self, faults: Sequence[FaultUse], moves: Sequence[OtherMove] = ()) -> dict[int, Shown]:
        """What the lines up to the last sighting show in a world with other faults, or after other moves."""
        key = f"{faults!r} {moves!r}"
        if key not in self._shown:
            replay = Replay(await self.stage.world(faults, moves=moves), self.stage.open_world)
            self._shown[key] = await replay.run(self._until_last_sighting())
        return self._shown[key]

    async def yields_all(self, faults: Sequence[FaultUse]) -> bool:
        """Whether a world with other faults shows all the evidence where the reference run saw it.

        What shows by a look alone is looked at first, the look that told the last world apart before the others: most
        worlds lack some of the evidence, and need no more.
        """
        simulation = await self.stage.world(faults)
        known: dict[int, Shown] = {}
        looks = await self._free_looks()
        for place in list(looks):
            known[place] = await self._alone(simulation, place)
            if lacking := self._lacks(known):
                looks.remove(place)
                looks.insert(0, place)
                return self._note(lacking, faults)
        replay = Replay(simulation, self.stage.open_world)
        await replay.run(self._until_last_sighting(), lambda: self._lacks(replay.shown) is not None)
        return self._note(self._lacks(replay.shown), faults)

    def _note(self, lacking: str | None, faults: Sequence[FaultUse]) -> bool:
        """Keep what told some faults apart. Returns whether nothing did."""
        if lacking is not None:
            self.told_apart.append((lacking, ", ".join(use.fault for use in faults) or "nothing"))
        return lacking is None

    def _places(self, evidence: str) -> list[int]:
        return [one.entry for one in self.sightings if one.evidence == evidence]

    def _lacks(self, shown: Mapping[int, Shown]) -> str | None:
        """Evidence that did not show at any of its places, all of which have been passed; None if there is none."""
        return next(
            (
                one.id
                for one in self.stage.scenario.evidence
                if all(place in shown and not self.shows(one, shown[place].text) for place in self._places(one.id))
            ),
            None,
        )

    def _until_last_sighting(self) -> list[tuple[int, Entry]]:
        last = max((one.entry for one in self.sightings), default=-1)
        return list(enumerate(self.entries[: last + 1]))

    async def _alone(self, simulation: Simulation[World], place: int) -> Shown:
        """What an entry shows at its time in a world in which nothing else was done."""
        shown = await Replay(simulation.fork(), self.stage.open_world).run([(place, self.entries[place])])
        return shown.get(place, Shown(""))

    async def _free_looks(self) -> list[int]:
        """Entries that show their evidence in the real world without anything that the solution did before them, the
        quickest first.
        """
        if self._free is None:
            real = await self.stage.real()
            free = []
            for place in sorted({one.entry for one in self.sightings}):
                text = (await self._alone(real, place)).text
                found = [one for one in self.stage.scenario.evidence if place in self._places(one.id)]
                if all(self.shows(one, text) for one in found):
                    free.append(place)
            self._free = sorted(free, key=lambda place: self.entries[place].ended - self.entries[place].started)
        return self._free

    def shows(self, evidence: Evidence, text: str) -> bool:
        """Whether a text reveals a piece of evidence."""
        return reveals(self.stage, evidence, text)

    async def untouched(
        self, faults: Sequence[FaultUse], time: int, moves: Sequence[OtherMove] = ()
    ) -> Simulation[World]:
        """A world with some faults at a time, in which the learner did nothing."""
        world = await self.stage.world(faults, moves=moves)
        for fault in self.stage.waiting_faults(faults):
            if fault.time <= time:
                world.advance_to(fault.time)
                if self.stage.holds(fault.when, world):
                    self.stage.inject(world, fault.use, world.now)
        world.advance_to(time)
        return world


@dataclass
class Played:
    """A script that was played and handed in, the moves in it that could not be made, and the steps of a guide that
    it did not do.
    """

    session: DrillSession
    refused: list[str]
    undone: list[str] = field(default_factory=list)


async def play(stage: Stage, text: Script) -> Played:
    """Play a script on a stage and hand it in. A move that cannot be made is left out."""
    played = Played(await DrillSession.on(stage), [])
    session = played.session
    guide = Guide(session)
    try:
        for number, line in script_lines(stage.fill(text)):
            if not session.submitted:
                await _perform(played, number, line)
                list(session.news())  # what came meanwhile is a sign for some steps
                guide.follow()
        if not session.submitted:
            session.submit()
        played.undone = [step.title for step in guide.steps if not step.done]
    finally:
        session.close()
    return played


async def _perform(played: Played, number: int, line: str) -> None:
    try:
        await played.session.perform(line, limit=LONGEST_LINE)
    except BreakfixError as error:
        played.refused.append(f"line {number} ({line}): {error.message}")
