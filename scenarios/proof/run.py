"""One seed of a proof: the reference solution played once, and what its lines show in other worlds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.kernel.units import DAY
from engine.world.world import World
from scenarios.evidence import Sighting, find_sightings, reveals
from scenarios.journal import Entry
from scenarios.model import Evidence, FaultUse, OtherMove, Script
from scenarios.proof.report import Failure
from scenarios.replay import Replay, Shown
from scenarios.script import script_lines
from scenarios.session import DrillSession
from scenarios.stage import Stage

LONGEST_LINE = 7 * DAY
"""A line of a script that runs longer is ended; it waits for what never comes."""


@dataclass
class ProofRun:
    """A stage, the reference session on it, and what it saw."""

    stage: Stage
    session: DrillSession
    sightings: list[Sighting]
    refused: list[str]
    _shown: dict[str, dict[int, Shown]] = field(default_factory=dict)

    @classmethod
    async def of(cls, stage: Stage) -> ProofRun:
        """Play the reference solution."""
        played = await play(stage, stage.scenario.solution)
        session = played.session
        return cls(stage, session, await find_sightings(stage, session.journal.entries), played.refused)

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
            last = max((one.entry for one in self.sightings), default=-1)
            world = await self.stage.world(faults, moves=moves)
            replay = Replay(world, self.stage.open_world)
            self._shown[key] = await replay.run(list(enumerate(self.entries[: last + 1])))
        return self._shown[key]

    async def yields_all(self, faults: Sequence[FaultUse]) -> bool:
        """Whether a world with other faults shows all the evidence where the reference run saw it."""
        replay = Replay(await self.stage.world(faults), self.stage.open_world)
        places = [
            (one, [sighting.entry for sighting in self.sightings if sighting.evidence == one.id])
            for one in self.stage.scenario.evidence
        ]

        def missing() -> bool:
            """Whether some evidence was not shown at any of its places, all of which have been passed."""
            done = replay.shown
            return any(
                all(place in done and not self.shows(one, done[place].text) for place in entries)
                for one, entries in places
            )

        last = max((one.entry for one in self.sightings), default=-1)
        await replay.run(list(enumerate(self.entries[: last + 1])), missing)
        return not missing()

    def shows(self, evidence: Evidence, text: str) -> bool:
        """Whether a text reveals a piece of evidence."""
        return reveals(self.stage, evidence, text)

    async def untouched(
        self, faults: Sequence[FaultUse], time: int, moves: Sequence[OtherMove] = ()
    ) -> Simulation[World]:
        """A world with some faults at a time, in which the learner did nothing."""
        world = await self.stage.world(faults, moves=moves)
        world.advance_to(time)
        return world


@dataclass
class Played:
    """A script that was played and handed in, and the moves in it that could not be made."""

    session: DrillSession
    refused: list[str]


async def play(stage: Stage, text: Script) -> Played:
    """Play a script on a stage and hand it in. A move that cannot be made is left out."""
    played = Played(await DrillSession.on(stage), [])
    session = played.session
    try:
        for number, line in script_lines(stage.fill(text)):
            if not session.submitted:
                await _perform(played, number, line)
        if not session.submitted:
            session.submit()
    finally:
        session.close()
    return played


async def _perform(played: Played, number: int, line: str) -> None:
    try:
        await played.session.perform(line, limit=LONGEST_LINE)
    except BreakfixError as error:
        played.refused.append(f"line {number} ({line}): {error.message}")
