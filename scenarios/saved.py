"""A drill that can be taken up again: played with a journal, and brought back from one.

The journal holds what engine.shell.play writes (lines, actions, checkpoints of the shells) and the session's entries
(pins, notes, diagnoses, messages, and lines with what they printed).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from engine.kernel.errors import BreakfixError
from engine.shell.play import Record, Writer
from engine.shell.scheduler import Pace
from scenarios.journal import Entry, decode, encode
from scenarios.model import Scenario
from scenarios.session import DrillSession, Front
from scenarios.stage import Stage
from scenarios.terminals import ShellTerminals


async def begin(scenario: Scenario, seed: int, front: Front, pace: Pace | None, write: Writer) -> DrillSession:
    """A new session whose journal goes to `write`. Raises BreakfixError."""
    session = await DrillSession.on(Stage.build(scenario, seed), front, partial(ShellTerminals, pace=pace, write=write))
    _journal(session)
    return session


async def resume(
    scenario: Scenario, seed: int, records: Iterable[Record], front: Front, pace: Pace | None, write: Writer
) -> DrillSession:
    """The session whose journal holds `records` (without its header), to go on where it ended. Raises BreakfixError."""
    session = await DrillSession.on(Stage.build(scenario, seed), front, partial(ShellTerminals, pace=pace, write=write))
    rest = session.restore(records)
    session.take_up([decode(record["entry"]) for record in rest if "entry" in record])
    _journal(session)
    return session


def header(scenario: Scenario, source: str, seed: int) -> dict[str, Any]:
    """What a journal says first: which scenario at which seed; `source` is its name or file."""
    return {"kind": "drill", "scenario": scenario.id, "source": source, "uuid": scenario.uuid, "seed": seed}


def check_header(scenario: Scenario, told: Record) -> None:
    """Raises BreakfixError unless the journal belongs to this scenario."""
    if told.get("uuid") != scenario.uuid:
        raise BreakfixError(
            f"the saved session was played with another scenario than {scenario.id} is now", "Start the drill anew."
        )


def _journal(session: DrillSession) -> None:
    def keep(entry: Entry) -> None:
        session.shell_terminals().play.write({"entry": encode(entry)})

    session.journal.on_add = keep
