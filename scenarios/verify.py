"""A session verified: its entries made once more in a new session, at the same times, and what they gave compared."""

from __future__ import annotations

from collections.abc import Sequence

from engine.kernel.errors import BreakfixError
from scenarios import script
from scenarios.journal import Entry
from scenarios.replay import StandIn
from scenarios.session import DrillSession


async def redo(session: DrillSession, entries: Sequence[Entry]) -> list[int]:
    """Make the moves of `entries` in a session that has just begun. Returns the numbers of lines that differ.

    What other people did comes by itself. Raises BreakfixError for entries that belong to another scenario or version.
    """
    differing = []
    for number, entry in enumerate(entries):
        if entry.kind in ("other", "message", "record"):
            continue
        await session.pass_time(max(entry.started - session.simulation.now, 0))
        if entry.kind == "line":
            same = await _line(session, entry)
            differing += [] if same else [number]
        elif entry.kind == "wait":
            await session.wait(entry.ended - entry.started)
        else:
            await session.perform(_written(entry))
    return differing


async def _line(session: DrillSession, entry: Entry) -> bool:
    """Run a line again with the same answers. Whether it gave the same."""
    person = StandIn(session.world, session.front(entry.terminal).columns, session.front(entry.terminal).rows)
    person.begin(entry)
    before = session.person_at(entry.terminal, person.front)
    try:
        result = await session.line(entry.text, entry.terminal, entry.ended if entry.cancelled else None)
    finally:
        session.person_at(entry.terminal, before)
    return (result.output, result.status, result.ended) == (entry.output, entry.status, entry.ended)


def _written(entry: Entry) -> str:
    """The move as a script writes it."""
    if entry.kind == "diagnose":
        component, cause = entry.words
        return f":diagnose component={component} cause={cause}"
    if entry.kind == "hands":
        action, target = entry.words
        return f":hands {action} target={target}"
    if entry.kind == "answer":
        return f":answer {entry.words[0]} {entry.text}"
    if entry.kind not in script.MOVE_WORDS:
        raise BreakfixError(f"the session has an entry of the kind '{entry.kind}', which this version does not know")
    return f":{entry.kind} {entry.text}".rstrip()
