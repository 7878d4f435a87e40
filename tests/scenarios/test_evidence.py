"""What counts as seen: what the fault put on the screen, and nothing that the learner put there."""

from __future__ import annotations

import asyncio

import pytest

from scenarios.evidence import find_sightings
from scenarios.stage import Stage
from tests.scenarios.drill import played, scenario, seen
from tests.scenarios.fake import FakeTerminals

XID = "Xid (PCI:{gpu.pci}): 79"
WHOLE = "kernel: NVRM: Xid (PCI:{gpu.pci}): 79, GPU has fallen off the bus."


def test_what_the_fault_shows_counts_whatever_shows_it() -> None:
    assert seen("log {node}") == {"xid"}
    assert seen("gpus {node}") == {"count"}
    assert seen("log {node}\ngpus {node}") == {"xid", "count"}


def test_the_same_command_elsewhere_shows_nothing() -> None:
    assert seen("log dgx-04\ngpus dgx-04") == set()


@pytest.mark.parametrize(
    "lines",
    [
        [f"echo {XID}"],
        [f"write notes {XID}", "cat notes"],
        [f"write notes {WHOLE}", "cat notes", "log dgx-04"],
        ["echo GPU 0 LOST GPU 1 LOST GPU 2 LOST GPU 3 LOST GPU 4 LOST GPU 5 LOST GPU 6 LOST GPU 7 LOST"],
        [f"if-lost {{node}} echo {XID}"],
        [f"write notes {WHOLE}", "if-lost {node} cat notes"],
    ],
)
def test_what_the_learner_wrote_does_not_count(lines: list[str]) -> None:
    assert seen(lines) == set()


def test_what_was_seen_counts_though_it_was_written_down_before() -> None:
    assert seen([f"echo {XID}", "log {node}"]) == {"xid"}


def test_a_line_that_does_not_end_in_the_twin_proves_nothing() -> None:
    assert seen(["if-lost {node} log {node}"]) == set()


def test_a_sighting_tells_when_and_by_which_line() -> None:
    session = played(["sleep 1m", "log {node}"])
    (sighting,) = asyncio.run(find_sightings(session.stage, session.journal.entries))
    assert (sighting.evidence, sighting.entry, sighting.at) == ("xid", 1, session.simulation.now)
    assert sighting.line == session.stage.fill("log {node}")
    assert sighting.text.startswith("kernel: NVRM: Xid")


def test_evidence_that_is_gone_after_the_repair_is_not_seen_any_more() -> None:
    repair = [":hands replace target={gpu}", ":wait 2h"]
    assert seen([*repair, "gpus {node}"]) == set()


def test_what_the_twin_shows_later_because_of_the_learner_does_not_count() -> None:
    assert seen([":hands replace target={gpu}", ":wait 2h", "log {node}"]) <= {"xid"}


def normality(**changes: object) -> object:
    """A drill with a fact of normality: the driver's GPUs answer, which another cause would change."""
    evidence = [
        {
            "id": "others-answer",
            "says": "The other GPUs answer",
            "fact": "driver.matched(node)",
            "patterns": [{"regex": "GPU [0-9] ok"}],
            "against": "gpu.fell_off_bus",
            **changes,
        }
    ]
    wrong = {
        "cause": "gpu.fell_off_bus",
        "component": "dgx-04/gpu1",
        "instead": [{"fault": "gpu.fell_off_bus", "target": f"dgx-04/gpu{number}"} for number in range(8)],
        "refuted_by": ["others-answer"],
        "because": "They answer.",
    }
    diagnosis = {"component": "{gpu}", "cause": "gpu.fell_off_bus", "wrong": [wrong]}
    return scenario(evidence=evidence, diagnosis=diagnosis)


def test_normality_counts_where_the_wrong_cause_would_show_something_else() -> None:
    assert seen("gpus dgx-04", normality()) == {"others-answer"}  # type: ignore[arg-type]
    assert seen("gpus dgx-03", normality()) == set()  # type: ignore[arg-type]


def test_what_is_missing_counts_where_a_look_would_have_shown_it() -> None:
    quiet = normality(patterns=[{"regex": "^GPUs of"}], without=["LOST"])
    assert seen("gpus dgx-04", quiet) == {"others-answer"}  # type: ignore[arg-type]
    assert seen("gpus {node}", quiet) == set()  # type: ignore[arg-type]
    assert seen("gpus dgx-03", quiet) == set()  # type: ignore[arg-type]
    assert seen("echo GPUs of dgx-04", quiet) == set()  # type: ignore[arg-type]


def test_a_wrong_cause_may_be_what_somebody_did() -> None:
    drill = scenario(
        evidence=[
            {
                "id": "untouched",
                "says": "Nobody kept a note",
                "fact": "not slurm.node.drained(dgx-04)",
                "patterns": ["No such file"],
                "against": "network.broken",
            }
        ],
        moves=[],
        diagnosis={
            "component": "{gpu}",
            "cause": "gpu.fell_off_bus",
            "wrong": [
                {
                    "cause": "network.broken",
                    "component": "dgx-04",
                    "moves": [{"at": "-5m", "who": "mara", "line": "drain dgx-04 new cable"}],
                    "refuted_by": ["untouched"],
                    "because": "x",
                }
            ],
        },
    )
    (wrong,) = drill.diagnosis.wrong  # type: ignore[union-attr]
    stage = Stage.build(drill, 1, FakeTerminals)

    async def drained() -> list[bool]:
        worlds = [await stage.twin(), await stage.instead(wrong), await stage.real()]
        return [stage.holds("slurm.node.drained(dgx-04)", world) for world in worlds]

    assert asyncio.run(drained()) == [False, True, False]
