"""The score of a session: its parts with their reasons, and whether it is passed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.kernel.simulation import Simulation
from engine.world.world import World
from scenarios.answering import is_right
from scenarios.diagnosing import Truth, diagnosis_part, given
from scenarios.evidence import Sighting, find_sightings, first_sightings, share
from scenarios.journal import Entry
from scenarios.model import Goal, SafetyRule
from scenarios.result import EvidenceResult, GivenDiagnosis, GoalResult, HarmResult, Part, Reason, Result, Score
from scenarios.session import DrillSession
from scenarios.stage import Stage
from scenarios.templates import time_offset
from scenarios.timeline import timeline
from scenarios.weights import ENOUGH, MOST_DIAGNOSES, NEEDLESS_ESCALATION, Weights, weights_of

_TIME_OF_DAY = re.compile(r"\b[0-2]?\d:[0-5]\d\b")


@dataclass(frozen=True)
class Findings:
    """What a score is made of."""

    stage: Stage
    entries: Sequence[Entry]
    goals: tuple[GoalResult, ...]
    safety: tuple[GoalResult, ...]
    evidence: tuple[EvidenceResult, ...]
    pins: tuple[bool, ...]
    truth: Truth
    diagnoses: tuple[GivenDiagnosis, ...]

    @property
    def seen(self) -> float:
        """The share of the evidence that was seen."""
        return share(self.stage.scenario, (one.id for one in self.evidence if one.seen))

    @property
    def scaled(self) -> str:
        """Why what takes no doing earns only a part of its points; empty when all of the evidence was seen."""
        found, of = sum(one.seen for one in self.evidence), len(self.evidence)
        if found == of:
            return ""
        weighed = f", {self.seen:.0%} of what they weigh" if len({one.weight for one in self.evidence}) > 1 else ""
        return f" (counts as far as you looked: {found} of {of} pieces of evidence{weighed})"


async def score(session: DrillSession) -> Result:
    """Judge a session that was handed in."""
    found = await find_sightings(session.stage, session.journal.entries)
    return judge(session, found)


def judge(session: DrillSession, found: Sequence[Sighting]) -> Result:
    """The result, given what was seen."""
    findings = _findings(session, found)
    entries = session.journal.of("hint")
    hints = float(sum(hint.cost for hint in session.scenario.hints[: len(entries)]))
    total = Score(_parts(findings, weights_of(session.scenario)), hints)
    missing = tuple(_missing(findings, total))
    harms = tuple(
        HarmResult(one.time, one.kind, one.what, one.cause) for one in session.simulation.world.blast_radius[""].harms
    )
    return Result(
        scenario=session.scenario.id,
        title=session.scenario.title,
        seed=session.stage.seed,
        passed=not missing,
        score=total,
        truths=findings.truth.answers,
        diagnoses=findings.diagnoses,
        goals=findings.goals,
        safety=findings.safety,
        evidence=findings.evidence,
        harms=harms,
        timeline=tuple(timeline(session, findings.evidence, harms)),
        arrival=session.stage.arrival,
        ended=session.simulation.now,
        lines=len(session.journal.of("line")),
        not_passed=missing,
    )


def end_state(session: DrillSession) -> tuple[tuple[GoalResult, ...], tuple[GoalResult, ...]]:
    """Goals and safety rules after the settling time."""
    stage = session.stage
    settled = session.simulation.fork()
    settled.advance(time_offset(stage.fill(stage.scenario.settle)))
    return (
        tuple(_goal(stage, goal, session.arrived, settled) for goal in stage.scenario.goals),
        tuple(_goal(stage, rule, session.arrived, settled) for rule in stage.scenario.safety),
    )


def _findings(session: DrillSession, found: Sequence[Sighting]) -> Findings:
    stage, entries = session.stage, session.journal.entries
    goals, safety = end_state(session)
    pins = [entry for _, entry in session.journal.of("pin")]
    truth = Truth.of(stage)
    return Findings(
        stage,
        entries,
        goals,
        safety,
        tuple(_evidence(stage, found, pins)),
        tuple(any(_shows(pin, sighting) for sighting in found) for pin in pins),
        truth,
        given(truth, session.journal.of("diagnose")),
    )


def _goal(stage: Stage, goal: Goal | SafetyRule, start: Simulation[World], end: Simulation[World]) -> GoalResult:
    holds, before = stage.holds(goal.fact, end), stage.holds(goal.fact, start)
    return GoalResult(goal.id, stage.fill(goal.says), holds, before, isinstance(goal, SafetyRule) and goal.critical)


def _evidence(stage: Stage, found: Sequence[Sighting], pins: Sequence[Entry]) -> list[EvidenceResult]:
    first = first_sightings(found)
    pinned = {sighting.evidence for sighting in found for pin in pins if _shows(pin, sighting)}
    results = []
    for one in stage.scenario.evidence:
        result = EvidenceResult(one.id, stage.fill(one.says), one.weight)
        if seen := first.get(one.id):
            text, pin = seen.text.strip(), one.id in pinned
            result = replace(result, at=seen.at, line=seen.line, text=text, pinned=pin, entry=seen.entry)
        results.append(result)
    return results


def _shows(pin: Entry, sighting: Sighting) -> bool:
    """Whether a pinned line is one that shows the evidence."""
    return pin.source == sighting.entry and pin.text == sighting.text


def _parts(findings: Findings, weights: Weights) -> tuple[Part, ...]:
    every = (
        diagnosis_part(findings.truth, findings.diagnoses, weights.diagnosis),
        _repair(findings, weights.repair),
        _seen_part(findings, weights.evidence),
        _safety(findings, weights.safety),
        _record(findings, weights.record),
        _answers(findings, weights.answers),
    )
    return tuple(part for part in every if part.of)


def _repair(findings: Findings, weight: int) -> Part:
    """Goals that hold at the end; those that held from the start count as far as evidence was found, in a lab as far as
    its questions were answered.
    """
    goals = findings.stage.scenario.goals
    lab = findings.stage.scenario.kind == "lab"
    looked = _answered(findings) if lab else findings.seen
    total = sum(goal.weight for goal in goals) or 1
    reasons = []
    for goal, result in zip(goals, findings.goals, strict=True):
        worth = weight * goal.weight / total
        if not result.holds:
            reasons.append(Reason(0.0, f"not reached: {result.says}"))
        elif result.at_start:
            scaled = " (counts as far as the questions were answered)" if lab and looked < 1 else findings.scaled
            reasons.append(Reason(worth * looked, f"was so from the start: {result.says}{scaled}"))
        else:
            reasons.append(Reason(worth, f"reached: {result.says}"))
    ending = findings.stage.scenario.ending
    if _escalated(findings) and ending != "escalate":
        away = "nothing is broken" if ending == "nothing" else "it could be mended here"
        reasons.append(Reason(-weight * NEEDLESS_ESCALATION, f"escalated, although {away}"))
    elif ending == "escalate" and not _escalated(findings):
        reasons.append(Reason(-float(weight), "not escalated"))
    return Part.summed("repair", weight, reasons)


def _seen_part(findings: Findings, weight: int) -> Part:
    """Half for what was seen, half for what was pinned, the latter by precision."""
    total = sum(one.weight for one in findings.evidence) or 1
    useful, pins = sum(findings.pins), len(findings.pins)
    reasons = []
    for one in findings.evidence:
        worth = weight * one.weight / total / 2
        if one.pinned:
            reasons.append(Reason(worth * (1 + useful / pins), f"seen and pinned: {one.says}"))
        elif one.seen:
            reasons.append(Reason(worth, f"seen, not pinned (half): {one.says}"))
        else:
            reasons.append(Reason(0.0, f"missed: {one.says}"))
    if useful < pins:
        scaled = f", so pinning is scaled to {useful}/{pins}" if useful else ""
        reasons.append(Reason(0.0, f"{pins - useful} of {pins} pins show no evidence{scaled}"))
    return Part.summed("evidence", weight, reasons)


def _safety(findings: Findings, weight: int) -> Part:
    """Rules that were kept, in proportion to the evidence found, so that idleness earns nothing."""
    rules = findings.stage.scenario.safety
    total = sum(rule.weight for rule in rules) or 1
    reasons = []
    for rule, result in zip(rules, findings.safety, strict=True):
        worth = weight * rule.weight / total * findings.seen
        if result.holds:
            reasons.append(Reason(worth, f"kept: {result.says}{findings.scaled}"))
        else:
            reasons.append(Reason(0.0, f"broken: {result.says}"))
    if not rules:
        reasons.append(Reason(weight * findings.seen, f"nothing here could be hurt{findings.scaled}"))
    return Part.summed("safety", weight, reasons)


def _record(findings: Findings, weight: int) -> Part:
    """Whether a note or a drain reason names component, cause and time: 2/5, 2/5 and 1/5. Where nothing is broken,
    nothing began at any time, so that component and cause are half of it each."""
    words, dated = findings.stage.scenario.record, findings.stage.scenario.kind != "healthy"
    texts = [entry.text.casefold() for entry in findings.entries if entry.kind in ("note", "record", "escalate")]
    if words is None or not texts:
        return Part.summed("record", weight, [Reason(0.0, "nothing was written down")])
    worth = weight * (0.4 if dated else 0.5)
    reasons = [
        _named(findings.stage, "the component", words.component, texts, worth),
        _named(findings.stage, "the cause", words.cause, texts, worth),
    ]
    if dated:
        timed = any(_TIME_OF_DAY.search(text) for text in texts)
        reasons.append(Reason(weight * 0.2 if timed else 0.0, f"the record gives {'the' if timed else 'no'} time"))
    return Part.summed("record", weight, reasons)


def _named(stage: Stage, what: str, words: Sequence[str], texts: Sequence[str], worth: float) -> Reason:
    named = any(stage.fill(word).casefold() in text for word in words for text in texts)
    return Reason(worth if named else 0.0, f"the record {'names' if named else 'does not name'} {what}")


def _answered(findings: Findings) -> float:
    """The share of a lab's questions that were answered rightly; 1 where nothing is asked."""
    questions = findings.stage.scenario.questions
    last = {entry.words[0]: entry.text for entry in findings.entries if entry.kind == "answer"}
    right = sum(is_right(findings.stage, one, last.get(one.id, "")) for one in questions)
    return right / len(questions) if questions else 1.0


def _answers(findings: Findings, weight: int) -> Part:
    """The last answer to each question counts."""
    stage = findings.stage
    last = {entry.words[0]: entry.text for entry in findings.entries if entry.kind == "answer"}
    questions = stage.scenario.questions
    reasons = []
    for question in questions:
        right = is_right(stage, question, last.get(question.id, ""))
        said = f"{'right' if right else 'not right'}: {' '.join(stage.fill(question.text).split())}"
        reasons.append(Reason(weight / len(questions) if right else 0.0, said))
    return Part.summed("answers", weight, reasons)


def _escalated(findings: Findings) -> bool:
    return any(entry.kind == "escalate" for entry in findings.entries)


def _missing(findings: Findings, total: Score) -> list[str]:
    """What keeps it from being passed."""
    wanting = [f"goal not reached: {goal.says}" for goal in findings.goals if not goal.holds]
    if findings.stage.scenario.kind == "lab":
        return wanting + [
            reason.text
            for part in total.parts
            if part.name == "answers"
            for reason in part.reasons
            if not reason.points
        ]
    most = MOST_DIAGNOSES + len(findings.truth.troubles) - 1
    if not (findings.diagnoses and findings.truth.named(findings.diagnoses) and len(findings.diagnoses) <= most):
        wanting.insert(0, "the diagnosis is not exact")
    if findings.stage.scenario.ending == "escalate" and not _escalated(findings):
        wanting.append("it was not escalated")
    if any(goal.at_start and goal.holds for goal in findings.goals) and findings.seen < ENOUGH:
        wanting.append("less than half of the evidence was found, and what was so from the start counts only with it")
    return wanting + [f"critical: {rule.says}" for rule in findings.safety if rule.critical and not rule.holds]
