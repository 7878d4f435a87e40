"""What a scenario file must mean, beyond its form: names, facts, causes and references that exist."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from engine.facts.facts import Facts
from engine.facts.kinds import BY_NAME
from engine.facts.values import ValueType
from engine.kernel.documents import Path
from engine.kernel.errors import BreakfixError
from engine.kernel.names import quoted, unknown
from engine.sites.build import load_site
from engine.sites.catalogue import site_names
from scenarios import script, texts
from scenarios.components import HEALTHY, NOTHING, causes
from scenarios.model import Choice, ComponentChoice, FaultUse, NumberChoice, Scenario, TimeChoice
from scenarios.templates import require, time_offset
from scenarios.vary import name_types

if TYPE_CHECKING:
    from engine.faults.fault import Fault

Found = Iterator[tuple[Path, str]]


def mistakes(scenario: Scenario) -> Found:
    """(path in the file, what is wrong) of everything that is."""
    types = name_types(scenario)
    for check in (_site, _vary, _causes, _references, _scripts, _parts):
        yield from check(scenario)
    yield from _texts(scenario, types)
    yield from _faults(scenario)


def _texts(scenario: Scenario, types: Mapping[str, ValueType]) -> Found:
    for path, text in texts.templates(scenario):
        yield from _refused(path, partial(require, text, types))
    for path, text in texts.times(scenario):
        yield from _refused(path, partial(time_offset, text))
    if scenario.settle.lstrip().startswith("-"):
        yield ("settle",), "the settling time begins when the learner hands in; write it like 5m"
    for path, text in texts.facts(scenario):
        yield from _refused(path, partial(Facts().check_truth, text, types))
    for path, pattern in texts.patterns(scenario):
        yield from _refused(path, partial(pattern.require, types))


def _site(scenario: Scenario) -> Found:
    if scenario.site not in site_names():
        yield ("site",), unknown("site", scenario.site, site_names())


def _vary(scenario: Scenario) -> Found:
    for name, choice in scenario.vary.items():
        path: Path = ("vary", name)
        if name in BY_NAME and choice.kind != name:
            yield path, f"{name} is also a kind of component; call this something else"
        yield from _choice(scenario, name, path, choice)


def _choice(scenario: Scenario, name: str, path: Path, choice: Choice) -> Found:
    names = list(scenario.vary)
    if isinstance(choice, ComponentChoice) and choice.in_ in names[names.index(name) :]:
        yield (*path, "in"), f"{choice.in_} is chosen after {name}; put it before"
    if isinstance(choice, ComponentChoice):
        for key, text in (("where", choice.where), ("prefer", choice.prefer)):
            yield from _refused((*path, key), partial(Facts().check_truth, text or "true", name_types(scenario, name)))
    if isinstance(choice, NumberChoice) and choice.low > choice.high:
        yield (*path, "low"), "low is more than high"
    if isinstance(choice, TimeChoice):
        wrong = [found for key in ("low", "high", "step") for found in _time((*path, key), getattr(choice, key))]
        yield from wrong
        if not wrong and (time_offset(choice.low) > time_offset(choice.high) or time_offset(choice.step) <= 0):
            yield path, "low is more than high, or the step is not positive"


def _time(path: Path, text: str) -> Found:
    return _refused(path, partial(time_offset, text))


def _faults(scenario: Scenario) -> Found:
    from engine.faults.fault import catalogue

    known = catalogue()
    for path, use in texts.fault_uses(scenario):
        if use.fault not in known:
            yield (*path, "fault"), unknown("fault", use.fault, known)
            continue
        names = [parameter.name for parameter in known[use.fault].parameters]
        for name in use.parameters:
            if name not in names:
                yield (*path, "parameters", name), unknown(f"parameter of {use.fault}", name, names)
        yield from _literal_values(scenario, path, use, known[use.fault])


def _literal_values(scenario: Scenario, path: Path, use: FaultUse, fault: Fault) -> Found:
    """Targets and values that the seed does not choose can be checked before anybody plays."""
    from engine.faults.fault import check_target

    for parameter in fault.parameters:
        value = use.parameters.get(parameter.name)
        if value is not None and "{" not in value:
            yield from _refused((*path, "parameters", parameter.name), partial(parameter.read, value))
    if "{" not in use.target and scenario.site in site_names():
        yield from _refused((*path, "target"), partial(check_target, load_site(scenario.site), fault, use.target))


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
            yield from _refused(path, partial(script.parse_move, line), f"line {number} of the script: ")
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


def _healthy(scenario: Scenario) -> Found:
    diagnosis = scenario.diagnosis
    if scenario.faults:
        yield ("faults",), "a healthy scenario has no faults"
    if diagnosis and (diagnosis.component, diagnosis.cause) != (NOTHING, HEALTHY):
        yield ("diagnosis",), f"the diagnosis of a healthy scenario is component: {NOTHING}, cause: {HEALTHY}"
    for number, piece in enumerate(scenario.evidence):
        if not piece.against:
            yield ("evidence", number), "where nothing is broken, `against` names the wrong cause that this refutes"


def _refused(path: Path, work: Callable[[], object], where: str = "") -> Found:
    """The complaint of `work`, if it has one."""
    try:
        work()
    except BreakfixError as error:
        yield path, where + error.message
