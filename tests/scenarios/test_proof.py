"""Proofs: a good drill is proved, and each way to spoil it is told with scenario, seed and subject."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from scenarios.model import Scenario
from scenarios.proof.prove import prove
from scenarios.proof.report import ProofReport
from tests.scenarios.drill import TEXT, scenario
from tests.scenarios.fake import FakeTerminals

DATA: dict[str, Any] = yaml.safe_load(TEXT)


def proof(drill: Scenario, *seeds: int) -> ProofReport:
    return prove(drill, seeds or (1,), FakeTerminals)


def failures(**changes: Any) -> list[tuple[str, str]]:
    """(check, subject) of what is said of the drill with some keys changed."""
    return [(failure.check, failure.subject) for failure in proof(scenario(**changes)).failures]


def evidence(**changes: Any) -> list[dict[str, Any]]:
    """The drill's evidence with its first piece changed."""
    first, second = DATA["evidence"]
    return [{**first, **changes}, second]


def test_a_good_drill_is_proved() -> None:
    report = proof(scenario(), 1, 2, 3)
    assert report.proved, report.lines()
    checks = "reference, guide, seen, idle, solved, wrong cause, identifiable, wrong fix, noise"
    assert report.lines() == [f"lost-gpu: proved over 3 seeds ({checks})"]


def test_the_matrix_says_which_evidence_tells_which_faults_apart() -> None:
    report = proof(scenario())
    first, *rows = report.matrix()
    assert first.startswith(f"{report.scenario}: evidence") and rows
    told = {evidence: suspects for evidence, suspects in (row.strip().split(": ", 1) for row in rows)}
    assert set(told) <= {one.id for one in scenario().evidence}
    assert all(int(text.split(" ")[0]) == text.count(",") + 1 for text in told.values())


def test_evidence_that_the_solution_does_not_show() -> None:
    report = proof(scenario(evidence=evidence(patterns=["Xid (PCI:{gpu.pci}): 80"])), 7)
    (failure, *_) = report.failures
    assert str(failure).startswith(
        "lost-gpu, seed 7, seen xid: no line of the reference solution shows it\n  Add a line"
    )


def test_evidence_that_the_twin_shows_too() -> None:
    assert ("seen", "xid") in failures(evidence=evidence(patterns=[{"regex": "^GPUs of {node}"}]))


def test_a_fact_that_does_not_tell_the_worlds_apart() -> None:
    assert ("seen", "xid") in failures(evidence=evidence(fact="node.up(node)"))
    assert ("seen", "xid") in failures(evidence=evidence(fact="gpu.xid(gpu, 48)"))


def test_a_drill_that_a_diagnosis_alone_passes() -> None:
    goals = [{"id": "back", "says": "x", "fact": "gpu.lost(gpu)"}]
    fixes = failures(goals=goals, wrong_fixes=None)
    assert ("solved", "") in fixes


def test_a_solution_that_does_not_solve() -> None:
    assert ("solved", "") in failures(solution="log {node}\n:submit\n")


def test_a_solution_with_a_move_that_cannot_be_made() -> None:
    report = proof(scenario(solution=":pin nothing such\n" + DATA["solution"]))
    (failure,) = report.failures
    assert (failure.check, failure.what) == (
        "reference",
        'line 1 (:pin nothing such): no line that a command printed holds "nothing such"',
    )


def test_a_wrong_cause_that_its_refutation_does_not_refute() -> None:
    wrong = {**DATA["diagnosis"]["wrong"][0], "instead": DATA["faults"]}
    diagnosis = {**DATA["diagnosis"], "wrong": [wrong]}
    assert ("wrong cause", "driver.library_mismatch") in failures(diagnosis=diagnosis)


def test_another_fault_that_yields_all_the_evidence() -> None:
    broad = [{"id": "count", "says": "One is lost", "fact": "gpu.lost(gpu)", "patterns": [{"regex": "GPU [0-9] LOST"}]}]
    wrong = {**DATA["diagnosis"]["wrong"][0], "refuted_by": ["count"]}
    diagnosis = {**DATA["diagnosis"], "wrong": [wrong]}
    found = [subject for check, subject in failures(evidence=broad, diagnosis=diagnosis) if check == "identifiable"]
    assert found
    assert all(subject.startswith("gpu.fell_off_bus dgx-0") for subject in found)


def healthy(**changes: Any) -> dict[str, Any]:
    """What makes the drill one in which nothing is broken, refuting a lost GPU alone."""
    lost = {"cause": "gpu.fell_off_bus", "component": "{gpu}", "instead": DATA["faults"], "refuted_by": ["there"]}
    there = {
        "id": "there", "says": "It is there", "fact": "gpu.visible(gpu)", "against": "gpu.fell_off_bus",
        "every": [{"regex": f"GPU {index} ok"} for index in range(8)],
    }  # fmt: skip
    return {
        "kind": "healthy",
        "faults": None,
        "diagnosis": {"component": "none", "cause": "nothing-broken", "wrong": [{**lost, "because": "It answers."}]},
        "evidence": [{**there, **changes}],
        "goals": [{"id": "in-service", "says": "It takes jobs", "fact": "slurm.node.available(node)"}],
        "record": {"component": ["{gpu.short}"], "cause": ["nothing"]},
        "wrong_fixes": None,
        "solution": "gpus {node}\n:pin GPU {gpu.index} ok\n:diagnose component=none cause=nothing-broken\n"
        ":note {gpu.short}: nothing\n:submit\n",
    }


def test_where_nothing_is_broken_only_the_causes_that_it_names_need_be_refuted() -> None:
    assert failures(**healthy()) == []
    narrow = failures(**healthy(patterns=[{"regex": "GPU {gpu.index} ok"}]))
    assert [subject.partition(" ")[0] for _, subject in narrow] == ["gpu.fell_off_bus"]


@pytest.mark.parametrize("breaks", [["in-service"], ["back", "in-service"], ["unhurt"]])
def test_a_wrong_fix_that_breaks_something_else(breaks: list[str]) -> None:
    fix = {**DATA["wrong_fixes"][0], "breaks": breaks}
    assert failures(wrong_fixes=[fix]) == [("wrong fix", "hope")]


def test_evidence_that_comes_from_the_noise() -> None:
    noise = [{"fault": "gpu.fell_off_bus", "target": "dgx-04/gpu1", "onset": "-20m"}]
    solution = "log dgx-04\n" + DATA["solution"]
    assert failures(noise=noise, solution=solution) == []
    broad = evidence(patterns=["GPU has fallen off the bus"])
    assert ("noise", "xid") in failures(noise=noise, solution=solution, evidence=broad)


def test_the_report_as_data() -> None:
    data = proof(scenario(solution="log {node}\n:submit\n"), 4).json()
    assert (data["proved"], data["seeds"]) == (False, [4])
    assert {"seed", "check", "subject", "what", "advice"} == set(data["failures"][0])
