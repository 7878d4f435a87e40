"""What a scenario file must mean, beyond its form: names, facts, causes and references that exist."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from engine.facts.facts import Facts
from engine.facts.values import ValueType
from engine.kernel.names import quoted, unknown
from scenarios import guide, script, texts
from scenarios.components import HEALTHY, NOTHING, causes
from scenarios.model import Scenario
from scenarios.templates import require, time_offset
from scenarios.vary import name_types
from scenarios.world_checks import Found, fault_mistakes, refused, site_mistakes, vary_mistakes, work_mistakes

if TYPE_CHECKING:
    pass


def mistakes(scenario: Scenario) -> Found:
    """(path in the file, what is wrong) of everything that is."""
    types = name_types(scenario)
    yield from site_mistakes(scenario.ground, ("site",))
    yield from work_mistakes(scenario.ground, scenario.standing, ("standing",))
    yield from vary_mistakes(scenario, ("vary",))
    for check in (_causes, _references, _scripts, _parts, _conditions):
        yield from check(scenario)
    yield from _texts(scenario, types)
    yield from _guide(scenario, types)
    yield from fault_mistakes(texts.fault_uses(scenario), scenario.ground)


def _texts(scenario: Scenario, types: Mapping[str, ValueType]) -> Found:
    for path, text in texts.templates(scenario):
        yield from refused(path, partial(require, text, types))
    for path, text in texts.times(scenario):
        yield from refused(path, partial(time_offset, text))
    if scenario.settle.lstrip().startswith("-"):
        yield ("settle",), "the settling time begins when the learner hands in; write it like 5m"
    for path, text in texts.facts(scenario):
        yield from refused(path, partial(Facts().check_truth, text, types))
    for path, pattern in texts.patterns(scenario):
        yield from refused(path, partial(pattern.require, types))


def _guide(scenario: Scenario, types: Mapping[str, ValueType]) -> Found:
    """Texts, lines and signs of the steps, if there is a guide."""
    for path, text in guide.templates(scenario):
        yield from refused(path, partial(require, text, types))
        yield from refused(path, partial(guide.require_keys, text))
    for path, pattern in guide.patterns(scenario):
        yield from refused(path, partial(pattern.require, types))
    for path, text in guide.scripts(scenario):
        for _, line in script.script_lines(text):
            yield from refused(path, partial(script.parse_move, line))
    questions = [one.id for one in scenario.questions]
    for path, sign in guide.signs(scenario):
        yield from refused(path, partial(guide.require_sense, sign))
        if sign.fact is not None:
            yield from refused((*path, "fact"), partial(Facts().check_truth, sign.fact, types))
        if sign.answer is not None and sign.answer not in questions:
            yield (*path, "answer"), unknown("question", sign.answer, questions)


def _causes(scenario: Scenario) -> Found:
    known = causes(scenario)
    for path, cause in texts.causes_named(scenario):
        if cause not in known:
            yield path, f"{unknown('cause', cause, known)} (what is no fault needs a title under `causes`)"


def _references(scenario: Scenario) -> Found:
    evidence = [one.id for one in scenario.evidence]
    wrong = scenario.diagnosis.wrong if scenario.diagnosis else ()
    ends = [*(one.id for one in scenario.goals), *(one.id for one in scenario.safety)]
    for name, ids in (("evidence", evidence), ("goals", ends)):
        yield from (
            ((name,), f"the id {quoted(one)} stands here twice") for one in dict.fromkeys(ids) if ids.count(one) > 1
        )
    for number, item in enumerate(wrong):
        for place, name in enumerate(item.refuted_by):
            if name not in evidence:
                yield ("diagnosis", "wrong", number, "refuted_by", place), unknown("evidence", name, evidence)
    named = [item.cause for item in wrong]
    for number, piece in enumerate(scenario.evidence):
        if not (piece.patterns or piece.every):
            yield ("evidence", number), "no text reveals it; add `patterns`, or `every` for texts that stand together"
        if piece.against and piece.against not in named:
            yield ("evidence", number, "against"), unknown("wrong cause", piece.against, named)
    for number, fix in enumerate(scenario.wrong_fixes):
        for place, name in enumerate(fix.breaks):
            if name not in ends:
                yield ("wrong_fixes", number, "breaks", place), unknown("goal or safety rule", name, ends)


def _scripts(scenario: Scenario) -> Found:
    from engine.hands.action import catalogue

    for path, text in texts.scripts(scenario):
        for number, line in script.script_lines(text):
            yield from refused(path, partial(script.parse_move, line), f"line {number} of the script: ")
            words = line.split()
            if words[:1] == [":hands"] and len(words) > 1 and words[1] not in catalogue():
                yield path, f"line {number} of the script: {unknown('machine-room action', words[1], catalogue())}"


def _parts(scenario: Scenario) -> Found:
    """What each kind of scenario must have."""
    if scenario.kind == "lab":
        return
    parts = {name: getattr(scenario, name) for name in ("diagnosis", "evidence", "goals", "record")}
    yield from (((name,), f"a {scenario.kind} needs {name}") for name, value in parts.items() if not value)
    if scenario.kind == "healthy":
        yield from _healthy(scenario)
    elif not scenario.faults:
        yield ("kind",), f"a {scenario.kind} needs faults; where nothing is broken, write `kind: healthy`"


def _conditions(scenario: Scenario) -> Found:
    """What waits for something happens after the learner came, and not among what stands from the start."""
    for path, use in texts.fault_uses(scenario):
        if use.when is not None and path[0] != "faults":
            yield (*path, "when"), "only the faults of the scenario itself can wait for something"
        elif use.when is not None and use.onset.lstrip().startswith("-"):
            yield (*path, "onset"), "a fault with `when` strikes after the learner came; write an onset of 0s or more"
    for number, move in enumerate(scenario.moves):
        if move.when is not None and move.at.lstrip().startswith("-"):
            yield ("moves", number, "at"), "a move with `when` is made after the learner came; write 0s or more"
    if scenario.diagnosis and scenario.diagnosis.also and scenario.kind != "incident":
        yield (
            ("diagnosis", "also"),
            f"a {scenario.kind} has one diagnosis; where more is broken, write `kind: incident`",
        )


def _healthy(scenario: Scenario) -> Found:
    diagnosis = scenario.diagnosis
    if scenario.faults:
        yield ("faults",), "a healthy scenario has no faults"
    if diagnosis and (diagnosis.component, diagnosis.cause) != (NOTHING, HEALTHY):
        yield ("diagnosis",), f"the diagnosis of a healthy scenario is component: {NOTHING}, cause: {HEALTHY}"
    for number, piece in enumerate(scenario.evidence):
        if not piece.against:
            yield ("evidence", number), "where nothing is broken, `against` names the wrong cause that this refutes"
