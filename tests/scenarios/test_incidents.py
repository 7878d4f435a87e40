"""Incidents: several things broken at once, what happens once something holds, and cases for the vendor."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from engine.kernel.errors import BreakfixError
from engine.kernel.units import MINUTE
from scenarios.debrief import page, result_json
from scenarios.model import Scenario
from scenarios.proof.prove import prove
from scenarios.session import DrillSession
from tests.scenarios.drill import TEXT, played, result, scenario
from tests.scenarios.fake import FakeTerminals

DATA: dict[str, Any] = yaml.safe_load(TEXT)
FIRST = {"fault": "gpu.fell_off_bus", "target": "{gpu}", "onset": "-{since}"}
SECOND = {"fault": "gpu.fell_off_bus", "target": "{other}", "onset": "-{since}"}


def incident(**changes: Any) -> Scenario:
    """The drill with a second GPU lost on another node."""
    vary = {
        **DATA["vary"],
        "elsewhere": {"kind": "node", "where": "not elsewhere == node and not jobs.running(elsewhere) == 0"},
    }
    vary["other"] = {"kind": "gpu", "in": "elsewhere"}
    board = {"parameters": {"cause": "board", "holds": "40m"}}
    solution = DATA["solution"].replace("  :hands", "")
    parts: dict[str, Any] = {
        "kind": "incident",
        "vary": vary,
        "faults": [{**FIRST, **board}, {**SECOND, **board}],
        "diagnosis": {
            **DATA["diagnosis"],
            "also": [{"component": "{other}", "cause": "gpu.fell_off_bus", "near": {}}],
        },
        "evidence": [
            *DATA["evidence"],
            {"id": "second", "says": "Another", "fact": "gpu.lost(other)", "patterns": ["Xid (PCI:{other.pci}): 79"]},
        ],
        "goals": [{"id": "back", "says": "x", "fact": "not gpu.lost(gpu) and not gpu.lost(other)"}],
        "solution": solution,
        "wrong_fixes": [],
    }
    return scenario(**{**parts, **changes})


BOTH = [":diagnose component={gpu} cause=gpu.fell_off_bus", ":diagnose component={other} cause=gpu.fell_off_bus"]


def diagnosis(lines: list[str], drill: Scenario) -> float:
    return result(lines, drill).score.points("diagnosis")


def test_each_of_two_troubles_is_half_of_the_diagnosis() -> None:
    drill = incident()
    assert diagnosis(BOTH, drill) == diagnosis(BOTH[::-1], drill) == 35
    assert diagnosis(BOTH[:1], drill) == diagnosis(BOTH[1:], drill) == 17.5


def test_what_is_said_beyond_the_number_of_troubles_costs() -> None:
    drill = incident()
    wrong = ":diagnose component=head-01 cause=network.broken"
    assert diagnosis([*BOTH, wrong], drill) == 25
    assert diagnosis([wrong, *BOTH], drill) == 7.5, "one of the first two was wrong, and there was one more"


def test_passed_is_who_named_everything_and_did_not_end_with_a_mistake() -> None:
    drill = incident()
    wrong = ":diagnose component=head-01 cause=network.broken"
    inexact = "the diagnosis is not exact"
    assert inexact not in result(BOTH, drill).not_passed
    assert inexact in result(BOTH[:1], drill).not_passed
    assert inexact not in result([wrong, *BOTH], drill).not_passed
    assert inexact in result([*BOTH, wrong], drill).not_passed


def test_the_debrief_names_everything_that_was_wrong() -> None:
    drill = incident()
    session = played([*BOTH, ":submit"], drill)
    judged = result([*BOTH, ":submit"], drill)
    gpu, other = (session.stage.choices.texts[name] for name in ("gpu", "other"))
    told = page(session, judged)
    assert f"What was wrong: {gpu}, gpu.fell_off_bus" in told
    assert f"and also: {other}, gpu.fell_off_bus" in told
    cause = "gpu.fell_off_bus"
    also = [{"component": other, "cause": cause}]
    assert result_json(session, judged)["truth"] == {"component": gpu, "cause": cause, "also": also}


def test_a_trouble_without_evidence_of_its_own_is_not_proved() -> None:
    failures = prove(incident(evidence=DATA["evidence"]), (1,), FakeTerminals).failures
    told = [str(failure) for failure in failures if "all the evidence shows without it" in failure.what]
    assert len(told) == 1 and "gpu.fell_off_bus {other}" in told[0]


def test_several_truths_are_an_incident() -> None:
    with pytest.raises(BreakfixError, match="where more is broken, write `kind: incident`"):
        incident(kind="drill")


# What waits for something


def spreading(**changes: str) -> Scenario:
    """The second GPU follows ten minutes after the learner came, if the first is still lost."""
    fault = {**SECOND, "onset": "10m", "when": "gpu.lost(gpu)", **changes}
    return incident(faults=[DATA["faults"][0], fault])


def lost(session: DrillSession, name: str) -> bool:
    return session.stage.holds(f"gpu.lost({name})", session.simulation)


def test_what_spreads_does_so_at_its_time_unless_it_was_stopped() -> None:
    assert not lost(played([":wait 9m"], spreading()), "other")
    assert lost(played([":wait 12m"], spreading()), "other")
    calm = spreading(when="not gpu.lost(gpu)")
    assert not lost(played([":wait 40m"], calm), "other")


def test_what_a_wrong_repair_brings_about_comes_after_it() -> None:
    drill = spreading(onset="0s", when="hands.ordered(reseat, gpu)")
    before = played([":wait 30m"], drill)
    assert not lost(before, "other")
    after = played([":wait 30m", ":hands reseat target={gpu}"], drill)
    assert lost(after, "other")
    ((at, fault, target),) = after.struck_meanwhile()
    assert (fault, target) == ("gpu.fell_off_bus", after.stage.choices.texts["other"])
    assert 30 * MINUTE <= at - after.stage.arrival < 31 * MINUTE


def test_it_strikes_once_and_stands_in_the_timeline() -> None:
    drill = spreading(onset="0s", when="hands.ordered(reseat, gpu)")
    lines = [":hands reseat target={gpu}", ":wait 5m", ":hands reseat target={gpu}", ":wait 5m"]
    assert len(list(played(lines, drill).struck_meanwhile())) == 1
    told = [moment.text for moment in result([*lines, ":submit"], drill).timeline if moment.who == "fault"]
    assert len(told) == 2


def test_a_message_waits_for_what_it_speaks_of() -> None:
    move = {"at": "0s", "who": "mara", "message": "You reseated it!", "when": "hands.ordered(reseat, gpu)"}
    drill = scenario(moves=[move])
    assert not played([":wait 20m"], drill).journal.of("message")
    session = played([":hands reseat target={gpu}"], drill)
    assert [entry.text for _, entry in session.journal.of("message")] == ["You reseated it!"]


def test_what_waits_comes_after_the_learner() -> None:
    with pytest.raises(BreakfixError, match="a fault with `when` strikes after the learner came"):
        spreading(onset="-5m")
    move = {"at": "-1m", "who": "mara", "message": "x", "when": "gpu.lost(gpu)"}
    with pytest.raises(BreakfixError, match="a move with `when` is made after the learner came"):
        scenario(moves=[move])


# Cases for the vendor


ESCALATE = ":escalate {gpu.pci} xid 79 at 09:10, nvidia-bug-report.log.gz on {node}"


def test_a_case_for_the_vendor_is_passed_by_escalating_it() -> None:
    goals = [{"id": "out", "says": "x", "fact": "not slurm.node.available(node)"}]
    drill = scenario(outcome="escalate", goals=goals, wrong_fixes=[])
    lines = ["gpus {node}", "log {node}", ":diagnose component={gpu} cause=gpu.fell_off_bus", "drain {node} x"]
    without, done = result(lines, drill), result([*lines, ESCALATE], drill)
    assert without.not_passed == ("it was not escalated",) and without.score.points("repair") == 0
    assert done.passed and done.score.points("repair") > 0
    assert done.score.points("record") == 10, "what was written to the vendor is a record"


def test_escalating_what_could_be_mended_costs() -> None:
    plain, called = result(DATA["solution"]), result([ESCALATE, *DATA["solution"].splitlines()])
    assert plain.score.points("repair") == 25
    assert called.score.points("repair") == 15 and called.passed
