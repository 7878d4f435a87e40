"""Drafts of drills from sandbox sessions, and what an author has not written yet."""

from __future__ import annotations

import asyncio

import pytest

from engine.kernel.errors import BreakfixError
from scenarios.catalogue import packaged
from scenarios.draft import Recorded, draft
from scenarios.load import load
from scenarios.proof.prove import prove
from scenarios.skeleton import skeleton
from scenarios.unwritten import leftovers

UUID = "00000000-0000-4000-8000-000000000002"
LOST = ("gpu.fell_off_bus", "dgx-02/gpu5", {})
LINES = ["sinfo", "ssh dgx-02 nvidia-smi", "ssh dgx-02 sudo dmesg | grep Xid"]


def drafted(*lines: str, faults: tuple[tuple[str, str, dict[str, str]], ...] = (LOST,)) -> str:
    return asyncio.run(draft(Recorded("dgx-h100-4", 1, faults, lines), "lost-one", UUID))


def test_a_draft_has_what_told_the_fault_from_its_twin() -> None:
    made = load(drafted(*LINES), "lost-one.yaml", "lost-one")
    assert made.diagnosis is not None
    assert (made.diagnosis.component, made.diagnosis.cause) == ("dgx-02/gpu5", "gpu.fell_off_bus")
    shown = [pattern.source for one in made.evidence for pattern in one.patterns]
    assert any("Unable to determine the device handle for GPU5" in text for text in shown)
    assert any(text.startswith("NVRM: Xid (PCI:0000:c3:00): 79") for text in shown), "without the time before it"
    assert {one.fact for one in made.evidence} == {"gpu.lost(dgx-02/gpu5)"}
    assert [goal.fact for goal in made.goals] == ["not gpu.lost(dgx-02/gpu5)"]


def test_only_the_author_s_part_is_missing_from_a_draft_that_repairs() -> None:
    repair = ["hands order replace dgx-02/gpu5", "sleep 7200"]
    made = load(drafted(*LINES, *repair), "lost-one.yaml")
    wrong = {failure.check for failure in prove(made, (1,)).failures}
    assert not wrong & {"reference", "seen", "idle"}
    assert {"title", "briefing.text", "debrief", "hints[0].text"} <= set(leftovers(made))


def test_there_must_be_something_to_make_a_draft_of() -> None:
    with pytest.raises(BreakfixError, match="the sandbox had no faults"):
        drafted("sinfo", faults=())
    with pytest.raises(BreakfixError, match="nothing was typed"):
        drafted()


def test_the_template_is_not_written_out_and_the_library_is() -> None:
    left = leftovers(load(skeleton("x", UUID), "x.yaml"))
    assert {"title", "objectives[0]", "briefing.text", "debrief", "diagnosis.wrong[0].because"} <= set(left)
    assert leftovers(packaged("hot-node")) == []
