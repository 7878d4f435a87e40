"""Points, their reasons, and what passes."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.errors import BreakfixError
from scenarios.debrief import page, result_json
from scenarios.model import Scenario
from scenarios.result import Part, Reason, Result
from scenarios.scoring import score
from scenarios.weights import WEIGHTS
from tests.scenarios.drill import played, result, scenario, start

RIGHT = ":diagnose component={gpu} cause=gpu.fell_off_bus"
REPAIR = ["drain {node} x", ":hands replace target={gpu}", ":wait 2h", "resume {node}"]


def points(lines: list[str], drill: Scenario | None = None) -> dict[str, float]:
    judged = result(lines, drill)
    return {part.name: part.points for part in judged.score.parts} | {"total": judged.score.total}


def test_weights_sum_to_a_hundred() -> None:
    for weights in WEIGHTS.values():
        assert sum(getattr(weights, name) for name in weights.__dataclass_fields__) == 100


def test_the_reference_solution_earns_everything() -> None:
    judged = result(scenario().solution)
    assert (judged.score.total, judged.passed, judged.not_passed) == (100.0, True, ())


def test_doing_nothing_scores_nothing() -> None:
    judged = result([])
    assert (judged.score.total, judged.passed) == (0.0, False)
    assert result([":wait 1h"]).score.total == 0.0


def test_the_first_diagnosis_earns_and_each_revision_costs() -> None:
    assert points([RIGHT])["diagnosis"] == 35
    assert points([":diagnose component=dgx-04 cause=network.broken", RIGHT])["diagnosis"] == 0
    assert points([RIGHT, ":diagnose component=dgx-04 cause=network.broken"])["diagnosis"] == 25
    assert points([RIGHT, RIGHT, RIGHT])["diagnosis"] == 15


def test_sixty_diagnoses_earn_nothing() -> None:
    guesses = [
        f":diagnose component=dgx-0{node}/gpu{gpu} cause=gpu.fell_off_bus" for node in (1, 2) for gpu in range(8)
    ]
    judged = result([*guesses * 4, RIGHT, *REPAIR])
    assert judged.score.points("diagnosis") == 0
    assert not judged.passed


@pytest.mark.parametrize(
    ("line", "earned"),
    [
        (":diagnose component={node}/gpu0 cause=gpu.fell_off_bus", 25.0),
        (":diagnose component={node} cause=network.broken", 10.0),
        (":diagnose component=dgx-04/gpu0 cause=gpu.fell_off_bus", 0.0),
        (":diagnose component={gpu} cause=cooling.fan_failed", 15.0),
        (":diagnose component=none cause=nothing-broken", 0.0),
    ],
)
def test_what_is_near_earns_a_part(line: str, earned: float) -> None:
    drill = scenario(
        vary={**_vary(), "gpu": {"kind": "gpu", "in": "node", "where": "gpu != dgx-01/gpu0 and gpu != dgx-02/gpu0"}}
    )
    assert points([line], drill)["diagnosis"] == earned


def _vary() -> dict[str, Any]:
    return {
        "node": {"kind": "node", "where": "jobs.running(node) > 0 and node != dgx-03"},
        "gpu": {"kind": "gpu", "in": "node"},
        "job": {"kind": "job", "in": "node"},
        "since": {"kind": "time", "low": "5m", "high": "20m"},
    }


def test_nothing_is_earned_by_what_the_briefing_said() -> None:
    briefing = {"sender": "a user", "subject": "{node}", "text": "It is {node}."}
    assert (
        points([":diagnose component={node} cause=cooling.fan_failed"], scenario(briefing=briefing))["diagnosis"] == 0
    )


def test_goals_that_hold_from_the_start_count_by_the_evidence() -> None:
    assert points([RIGHT])["repair"] == 0
    assert points(["log {node}"])["repair"] == round(25 / 3 * 0.75, 1)
    assert points([*REPAIR])["repair"] == round(25 * 2 / 3, 1)


def test_a_repair_that_does_not_last_is_none() -> None:
    lines = [
        "log {node}",
        "gpus {node}",
        RIGHT,
        "drain {node} x",
        ":hands power-cycle target={node}",
        ":wait 20m",
        "resume {node}",
    ]
    judged = result(lines)
    assert [goal.holds for goal in judged.goals] == [False, True]
    assert "goal not reached: All are back" in judged.not_passed


def test_pins_count_by_their_precision() -> None:
    look = ["gpus {node}", "log {node}"]
    assert points(look)["evidence"] == 10
    assert points([*look, ":pin LOST", ":pin 79, GPU has"])["evidence"] == 20
    assert points([*look, ":pin LOST", ":pin 79, GPU has", ":pin GPUs of", ":pin GPUs of"])["evidence"] == 15
    assert points(["echo GPU 1 LOST", ":pin LOST"])["evidence"] == 0


def test_reading_every_log_earns_half_of_the_evidence_at_most() -> None:
    logs = [f"log dgx-0{number}" for number in range(1, 5)]
    assert 0 < points([*logs, "gpus {node}"])["evidence"] <= 10


def test_safety_is_earned_by_evidence_and_lost_by_harm() -> None:
    look = ["gpus {node}", "log {node}"]
    assert points([":wait 1m"])["safety"] == 0
    assert points(look)["safety"] == 15
    harmful = result([*look, RIGHT, ":hands replace target={gpu}", ":wait 2h", "resume {node}"])
    assert harmful.score.points("safety") == 0
    assert "critical: Nobody is hurt" in harmful.not_passed
    assert [harm.kind for harm in harmful.harms] == ["node_down"]


def test_the_record_names_component_cause_and_time() -> None:
    assert points([":note {gpu.short}: Xid 79 at 10:15"])["record"] == 5
    assert points([":note {GPU.short}".replace("GPU", "gpu"), ":note XID 79"])["record"] == 4
    assert points(["drain {node} {gpu.pci} at 9:05"])["record"] == 3
    assert points([":note something is odd"])["record"] == 0


def test_the_record_of_what_is_healthy_needs_no_time() -> None:
    """Nothing began at any time; in a healthy drill component and cause are all that a record names."""
    drill = scenario().model_copy(update={"kind": "healthy"})
    noted = result([":note {gpu.short}: no Xid 79"], drill)
    assert noted.score.points("record") == 5
    (record,) = (part for part in noted.score.parts if part.name == "record")
    assert not any("time" in reason.text for reason in record.reasons)
    assert points([":note {gpu.short} at 10:15"], drill)["record"] == 2.5


def test_hints_cost() -> None:
    assert points([":hint", ":hint", RIGHT])["total"] == 35 - 14


def test_cheating_does_not_pay() -> None:
    patterns = ["echo Xid (PCI:{gpu.pci}): 79", "echo GPU {gpu.index} LOST", ":pin Xid", ":pin LOST", RIGHT]
    earned = points(patterns)
    assert earned["evidence"] == earned["safety"] == earned["repair"] == 0


MOVES = [
    "gpus {node}",
    "log {node}",
    ":pin GPU",
    ":pin LOST",
    ":pin 79, GPU has",
    RIGHT,
    ":diagnose component={node}/gpu0 cause=network.broken",
    ":note {gpu.short}: Xid 79 at 10:15",
    ":hint",
    *REPAIR,
]


async def _as_far_as_possible(lines: list[str], outcome: str) -> Result:
    """The result of some lines, those left out that cannot be made."""
    session = await start(scenario(outcome=outcome))
    for line in lines:
        with suppress(BreakfixError):
            await session.perform(session.stage.fill(line))
    session.submit()
    return await score(session)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from(MOVES), max_size=14), st.sampled_from(["repair", "escalate"]))
def test_the_reasons_of_every_part_add_up_to_its_points(lines: list[str], outcome: str) -> None:
    judged = asyncio.run(_as_far_as_possible(lines, outcome))
    for part in judged.score.parts:
        assert round(sum(reason.points for reason in part.reasons), 1) == part.points
        assert 0 <= part.points <= part.of


@given(st.lists(st.floats(-60, 60).map(lambda value: round(value, 4)), max_size=9), st.integers(1, 60))
def test_reasons_add_up_also_where_a_part_is_limited(values: list[float], of: int) -> None:
    part = Part.summed("any", of, [Reason(value, "x") for value in values])
    assert round(sum(reason.points for reason in part.reasons), 1) == part.points
    assert all(abs(new.points - old) <= 0.1 for new, old in zip(part.reasons, values, strict=False))
    limited = [reason.text for reason in part.reasons if reason.text.startswith("limited")]
    assert bool(limited) == (round(sum(values), 1) > of or sum(values) < 0)


def reasons(lines: list[str], name: str) -> list[str]:
    """What is told about a part."""
    return [one.text for part in result(lines).score.parts if part.name == name for one in part.reasons]


def test_what_counts_in_part_says_why() -> None:
    looked = "(counts as far as you looked: 1 of 2 pieces of evidence, 75% of what they weigh)"
    assert reasons(["log {node}"], "safety") == [f"kept: Nobody is hurt {looked}"]
    assert reasons(["log {node}"], "repair")[1] == f"was so from the start: It takes jobs {looked}"
    assert reasons(["log {node}", "gpus {node}"], "safety") == ["kept: Nobody is hurt"]
    seen = ["log {node}", ":pin 79, GPU has", "gpus {node}", ":pin GPUs of", ":pin GPUs of"]
    assert reasons(seen, "evidence") == [
        "seen and pinned: The kernel says so",
        "seen, not pinned (half): One is lost",
        "2 of 3 pins show no evidence, so pinning is scaled to 1/3",
    ]
    assert reasons([RIGHT] * 5, "diagnosis")[-1] == "limited: a part earns no less than 0"


def test_before_handing_in_the_result_tells_nothing() -> None:
    session = played(["log {node}", RIGHT])
    told = json.dumps(result_json(session, None))
    assert json.loads(told)["score"] == {"total": 0}
    texts = session.stage.choices.texts
    assert all(secret not in told for secret in (texts["gpu"], "gpu.fell_off_bus", "xid", "truth"))


def judged_session() -> tuple[Any, Result]:
    session = played([*scenario().solution.splitlines()])
    return session, asyncio.run(score(session))


def test_the_result_as_data() -> None:
    session, judged = judged_session()
    data = json.loads(json.dumps(result_json(session, judged)))
    assert data["truth"] == {"component": session.stage.choices.texts["gpu"], "cause": "gpu.fell_off_bus"}
    assert data["score"]["total"] == 100
    assert data["seed"] == 1
    assert data["evidence"][0]["seen"]["by"] == session.stage.fill("log {node}")
    assert [goal["holds"] for goal in data["goals"]] == [True, True]
    assert data["blast_radius"] == []
    assert sum(data["score"][part.name] for part in judged.score.parts) == data["score"]["total"]


def test_the_debrief_tells_what_was_wrong_and_why_the_points() -> None:
    session, judged = judged_session()
    text = page(session, judged)
    for words in (
        "100 / 100   passed",
        "A GPU falls off the PCIe bus",
        "saw: The kernel says so",
        "What ruled out",
        "It was dgx-",
    ):
        assert words in text
    assert text.index("fault │") < text.index("handed in")


def lab() -> Scenario:
    """A lab: a goal to reach and two questions."""
    questions = [
        {"id": "how-many", "text": "How many GPUs are lost?", "accept": ["1", {"regex": "^(?i)one$"}]},
        {"id": "which", "text": "Which one?", "accept": ["{gpu.short}"]},
    ]
    return scenario(kind="lab", diagnosis=None, wrong_fixes=None, questions=questions, goals=[
        {"id": "drained", "says": "It is drained", "fact": "slurm.node.drained(node)"},
    ])  # fmt: skip


def test_a_lab_counts_goals_and_answers() -> None:
    judged = result([":answer how-many One", ":answer which {gpu.short}", "drain {node} x"], lab())
    assert (judged.score.total, judged.passed) == (100, True)
    half = result([":answer how-many 2", ":answer how-many 1", ":answer which gpu9"], lab())
    assert (half.score.points("answers"), half.score.points("repair"), half.passed) == (20, 0, False)
    assert half.not_passed == ("goal not reached: It is drained", "not right: Which one?")


def test_an_escalation_weighs_the_record_more() -> None:
    drill = scenario(outcome="escalate")
    assert points([":note {gpu.short}: Xid 79 at 10:15"], drill)["record"] == 10
    assert points([RIGHT], drill)["diagnosis"] == 40
