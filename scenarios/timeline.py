"""The timeline of a session: what went wrong, what the learner did and saw, what others did, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.world.records import HandsOrder
from scenarios.components import causes
from scenarios.journal import Entry
from scenarios.result import EvidenceResult, HarmResult, Moment
from scenarios.session import DrillSession


def timeline(session: DrillSession, evidence: Iterable[EvidenceResult], harms: Iterable[HarmResult]) -> list[Moment]:
    """Everything worth telling, in order of time."""
    moments = [*_faults(session), *_moves(session, list(evidence))]
    moments += [
        Moment(harm.at, "harm", f"{harm.kind.replace('_', ' ')}: {harm.what}, by {harm.cause}") for harm in harms
    ]
    moments += [Moment(order.due_at, "room", order.report) for order in _orders(session) if order.done]
    return sorted(moments, key=lambda moment: moment.at)


def _faults(session: DrillSession) -> Iterator[Moment]:
    known = causes(session.scenario)
    for use in session.scenario.faults:
        if use.when is None:
            title = known.get(use.fault, use.fault)
            yield Moment(session.stage.time(use.onset), "fault", f"{title}: {session.stage.fill(use.target)}")
    for at, fault, target in session.struck_meanwhile():
        yield Moment(at, "fault", f"{known.get(fault, fault)}: {target}")


def _moves(session: DrillSession, evidence: list[EvidenceResult]) -> Iterator[Moment]:
    for number, entry in enumerate(session.journal.entries):
        for one in evidence:
            if one.entry == number:
                yield Moment(entry.ended, "you", f"saw: {one.says} ({one.line})")
        if text := _told(entry):
            yield Moment(entry.started, "others" if entry.kind in ("other", "message") else "you", text)


def _orders(session: DrillSession) -> tuple[HandsOrder, ...]:
    return session.simulation.world.hands[""].orders


def _told(entry: Entry) -> str | None:
    if entry.kind == "diagnose":
        return f"diagnosis: {entry.words[0]}, {entry.words[1]}"
    if entry.kind == "hands":
        return f"ordered: {' '.join(entry.words)}"
    if entry.kind == "other":
        return f"{entry.user} on {entry.host}: {entry.text}"
    if entry.kind == "message" and entry.words == ("machine room",):
        return None  # its own line, at the time when the work was done
    if entry.kind == "record":
        return f"gave {entry.words[0]} the reason: {entry.text}"
    if entry.kind in ("message", "note"):
        return f"{entry.kind}: {entry.text}"
    if entry.kind == "escalate":
        return f"escalated: {entry.text}"
    return {"hint": "took a hint", "submit": "handed in"}.get(entry.kind)
