"""The debrief: the result as a page to read and as data for JSON."""

from __future__ import annotations

import textwrap
from typing import Any

from engine.kernel.units import SECOND
from scenarios.components import NOTHING, causes
from scenarios.result import GivenDiagnosis, Reason, Result, unfinished
from scenarios.session import DrillSession

_WIDTH = 78
RULE = "─" * _WIDTH


def page(session: DrillSession, result: Result) -> str:
    """The debrief as text."""
    blocks = [
        _head(result),
        _truth(session, result),
        _reasons(result),
        _evidence(session, result),
        _wrong(session),
        _time(session, result),
    ]
    teaching = "\n\n".join(_folded(" ".join(text.split())) for text in paragraphs(session))
    told = ["\n".join(map(_folded, block)) for block in blocks if block]
    further = "\n".join(map(_folded, _further(session)))
    return "\n\n".join([*told, teaching, further] if teaching else [*told, further]) + "\n"


def paragraphs(session: DrillSession) -> list[str]:
    """The teaching text, paragraph by paragraph, with what the seed chose."""
    return [text for text in session.stage.fill(session.scenario.debrief).split("\n\n") if text.strip()]


def _folded(line: str) -> str:
    """A line in the width of a terminal; what is continued stands four columns further in. Words stay whole."""
    inset = len(line) - len(line.lstrip())
    return textwrap.fill(
        line,
        _WIDTH,
        subsequent_indent=" " * (inset + 4 if inset else 0),
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )


def result_json(session: DrillSession, result: Result | None) -> dict[str, Any]:
    """The result as data; without one (not handed in) it tells nothing."""
    if result is None:
        return unfinished(session.scenario.id, session.scenario.title, session.stage.seed)

    def when(time: int) -> dict[str, Any]:
        return {"at": session.clock(time), "after_seconds": (time - result.arrival) // SECOND}

    return {
        "scenario": result.scenario,
        "title": result.title,
        "seed": result.seed,
        "submitted": True,
        "passed": result.passed,
        "not_passed_because": list(result.not_passed),
        "score": _score_json(result),
        "diagnoses": [
            {**when(one.at), "component": one.component, "cause": one.cause, "exact": one.exact}
            for one in result.diagnoses
        ],
        "goals": [
            {"id": one.id, "says": one.says, "holds": one.holds, "held_at_start": one.at_start} for one in result.goals
        ],
        "evidence": [
            {
                "id": one.id,
                "says": one.says,
                "seen": {**when(one.at), "by": one.line, "text": one.text} if one.at is not None else None,
                "pinned": one.pinned,
            }
            for one in result.evidence
        ],
        "safety": [
            {"id": one.id, "says": one.says, "kept": one.holds, "critical": one.critical} for one in result.safety
        ],
        "blast_radius": [
            {**when(one.at), "kind": one.kind, "what": one.what, "cause": one.cause} for one in result.harms
        ],
        "timeline": [{**when(one.at), "who": one.who, "text": one.text} for one in result.timeline],
        "lines": result.lines,
        "seconds": (result.ended - result.arrival) // SECOND,
        "truth": _truth_json(result),
    }


def _truth_json(result: Result) -> dict[str, Any]:
    """Component and cause; where several things were broken, the others are under `also`."""
    first, *others = [{"component": component, "cause": cause} for component, cause in result.truths]
    return {**first, "also": others} if others else dict(first)


def _score_json(result: Result) -> dict[str, Any]:
    parts = {part.name: part.points for part in result.score.parts}
    reasons = {
        part.name: [{"points": one.points, "text": one.text} for one in part.reasons] for part in result.score.parts
    }
    return {"total": result.score.total, **parts, "hints": 0.0 - result.score.hints, "reasons": reasons}


def _head(result: Result) -> list[str]:
    parts = "   ".join(f"{part.name} {points_text(part.points)}/{part.of}" for part in result.score.parts)
    hints = f"   hints −{points_text(result.score.hints)}" if result.score.hints else ""
    verdict = "passed" if result.passed else "not passed"
    return [
        f"{points_text(result.score.total)} / 100   {verdict}",
        f"{parts}{hints}",
        RULE,
        *(f"  {why}" for why in result.not_passed),
    ]


def _truth(session: DrillSession, result: Result) -> list[str]:
    titles = causes(session.scenario)
    wrong = [
        "nothing" if component == NOTHING else f"{component}, {cause} ({titles[cause]})"
        for component, cause in result.truths
    ]
    return [
        f"What was wrong: {wrong[0]}",
        *(f"     and also: {one}" for one in wrong[1:]),
        *(f"You said:       {_said(one)}" for one in result.diagnoses),
    ]


def _said(one: GivenDiagnosis) -> str:
    words = "nothing is broken" if one.component == NOTHING else f"{one.component}, {one.cause}"
    return f"{words} (exact)" if one.exact else words


def _reasons(result: Result) -> list[str]:
    lines = ["Points"]
    for part in result.score.parts:
        lines.append(f"  {part.name} {points_text(part.points)} of {part.of}")
        lines += [f"    {signed_points(reason)}  {reason.text}" for reason in part.reasons]
    return [*lines, *(f"  {hints}" for hints in hints_told(result))]


def hints_told(result: Result) -> list[str]:
    """What hints cost, if any were taken."""
    earned, cost = sum(part.points for part in result.score.parts), result.score.hints
    limited = " (limited: a score is no less than 0)" if cost > earned else ""
    return [f"hints -{points_text(cost)}{limited}"] if cost else []


def _evidence(session: DrillSession, result: Result) -> list[str]:
    lines = ["Evidence"]
    for one in result.evidence:
        mark = "●" if one.pinned else "○" if one.seen else "✗"
        lines.append(f"  {mark} {one.says}")
        if one.at is not None:
            lines.append(f"      {session.clock(one.at)}  {one.line}{'' if one.pinned else '   (not pinned)'}")
    return [*lines, "  ● pinned  ○ seen  ✗ missed"] if result.evidence else []


def _wrong(session: DrillSession) -> list[str]:
    wrong = session.scenario.diagnosis.wrong if session.scenario.diagnosis else ()
    lines = [f"  {one.cause}: {' '.join(session.stage.fill(one.because).split())}" for one in wrong]
    return ["What ruled out the other causes", *lines] if lines else []


def _further(session: DrillSession) -> list[str]:
    """What to read, and how somebody else gets the same."""
    scenario = session.scenario
    same = same_for_others(scenario.id, session.stage.seed, scenario.kind)
    return ["Read on", *(f"  {source}" for source in scenario.sources), f"The same for somebody else: {same}"]


def same_for_others(name: str, seed: int, kind: str) -> str:
    """The line that gives somebody else the same scenario, with the same details."""
    return f"breakfix {'lab' if kind == 'lab' else 'drill'} {name} --seed {seed}"


def _time(session: DrillSession, result: Result) -> list[str]:
    rows = [f"  {session.clock(one.at)} {one.who:>6} │ {' '.join(one.text.split())}" for one in result.timeline]
    return ["Timeline", *rows]


def points_text(value: float) -> str:
    """Points as people write them: `35`, `2.5`."""
    return f"{value:.1f}".removesuffix(".0")


def signed_points(reason: Reason) -> str:
    """A reason's points with their sign, in a column."""
    return f"{reason.points:+.1f}".removesuffix(".0").rjust(5)
