"""Scenario files: what is refused, where, and with which words."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from engine.kernel.documents import DocumentError
from scenarios.load import load
from scenarios.schema import scenario_schema
from tests.scenarios.drill import TEXT, scenario


def problems(old: str, new: str) -> list[str]:
    """What is said of the drill with a piece of its text replaced."""
    assert old in TEXT
    with pytest.raises(DocumentError) as caught:
        load(TEXT.replace(old, new, 1), "drill.yaml")
    return [str(problem) for problem in caught.value.problems]


def line_of(piece: str, text: str = TEXT) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if piece in line)


def test_a_good_file_is_read() -> None:
    drill = load(TEXT, "drill.yaml", "lost-gpu")
    assert (drill.id, drill.kind, drill.ending) == ("lost-gpu", "drill", "repair")
    assert [one.id for one in drill.evidence] == ["xid", "count"]


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("gpu.xid(gpu, 79)", "gpu.xd(gpu, 79)", "id: xid", 'column 1: unknown fact "gpu.xd"; did you mean "gpu.xid"'),
        ("gpu.lost(gpu)", "gpu.lost(node)", "id: count", "gpu.lost takes a gpu"),
        ("slurm.node.available(node)", "slurm.node.available(gpu)", "id: in-service", "available takes a node"),
        ("Xid (PCI:{gpu.pci})", "Xid (PCI:{gpu.pic})", "id: xid", 'unknown name "gpu.pic"; did you mean "gpu.pci"'),
        ("  gpus {node}", "  gpus {nod}", "solution", 'unknown name "nod"'),
        (":wait 2h", ":wate 2h", "solution", 'line 8 of the script: unknown move ":wate"; did you mean ":wait"'),
        ("fault: gpu.fell_off_bus,", "fault: gpu.fell_of_bus,", "faults:", 'did you mean "gpu.fell_off_bus"'),
        ("holds: 40m", "hold: 40m", "faults:", 'unknown parameter of gpu.fell_off_bus "hold"; did you mean "holds"'),
        ("cause: gpu.fell_off_bus\n", "cause: gpu.off\n", "cause: gpu.fell_off_bus", "needs a title under `causes`"),
        ("refuted_by: [xid]", "refuted_by: [xyd]", "refuted_by", 'unknown evidence "xyd"; did you mean "xid"'),
        ("breaks: [back]", "breaks: [bakc]", "breaks:", 'unknown goal or safety rule "bakc"; did you mean "back"'),
        ("site: dgx-h100-4", "site: dgx-h100", "site:", 'unknown site "dgx-h100"; did you mean "dgx-h100-4"'),
        ("in: node}", "in: job}", "gpu: {kind: gpu", "job is chosen after gpu; put it before"),
        ("low: 5m", "low: 50m", "since:", "low is more than high"),
        ("at: 15m", "at: soon", "at: 15m", "'soon' is not a duration"),
        ("settle: 2h", "settle: -2h", "settle:", "begins when the learner hands in"),
        ('target: "{gpu}"', "target: dgx-09/gpu1", "faults:", 'unknown target "dgx-09/gpu1"'),
        ("cause: board,", "cause: bored,", "faults:", 'unknown choice "bored"; did you mean "board"'),
        (":hands replace", ":hands replac", "solution", 'unknown machine-room action "replac"; did you mean "replace"'),
        ("kind: drill", "kind: healthy", "faults:", "a healthy scenario has no faults"),
        ("minutes: 5", "minutes: five", "minutes:", "minutes must be a whole number"),
        ("title: A lost GPU\n", "", "format:", 'the key "title" is missing'),
        ("id: lost-gpu", "id: Lost GPU", "id: lost-gpu", "id must be of the form"),
        ("weight: 3}", "weight: 30}", "id: xid", "must be at most 10"),
        ('patterns: ["Xid', "patterns: [{regex: '('}, \"Xid", "id: xid", "no RE2 expression"),
    ],
)
def test_mistakes_are_told_with_file_and_line(old: str, new: str, line: str, words: str) -> None:
    told = problems(old, new)
    assert any(words in problem for problem in told), told
    place = line_of(line) - (1 if line == "format:" else 0)
    assert all(re.match(r"drill\.yaml:\d+: ", problem) for problem in told)
    assert any(abs(int(problem.split(":")[1]) - place) <= 1 for problem in told if words in problem)


def test_all_mistakes_are_told_at_once() -> None:
    text = (
        TEXT.replace("gpu.lost(gpu)", "gpu.gone(gpu)")
        .replace("{job.name}", "{jobs}")
        .replace("breaks: [back]", "breaks: [x]")
    )
    with pytest.raises(DocumentError) as caught:
        load(text, "drill.yaml")
    assert len(caught.value.problems) == 3


def test_the_id_is_the_files_name() -> None:
    with pytest.raises(DocumentError, match="the id is lost-gpu, the file's name other"):
        load(TEXT, "other.yaml", "other")


@pytest.mark.parametrize("name", ["diagnosis", "evidence", "goals", "record"])
def test_a_drill_needs_its_parts(name: str) -> None:
    changes: dict[str, Any] = {name: None, "wrong_fixes": None}
    if name == "evidence":
        diagnosis = {**yaml.safe_load(TEXT)["diagnosis"], "wrong": []}
        changes["diagnosis"] = diagnosis
    with pytest.raises(DocumentError, match=f"a drill needs {name}"):
        scenario(**changes)


def test_normality_must_name_the_cause_that_it_refutes() -> None:
    data = yaml.safe_load(TEXT)
    diagnosis = {**data["diagnosis"], "component": "none", "cause": "nothing-broken"}
    with pytest.raises(DocumentError, match="`against` names the wrong cause"):
        scenario(kind="healthy", faults=None, diagnosis=diagnosis)


def test_a_hostile_file_is_refused_with_a_sentence() -> None:
    for text in (
        "a: &a [*a]",
        "[" * 3000,
        "\x00",
        "x: !!python/object:os.system {}",
        "",
        "- 1",
        "format: 1\nformat: 1",
    ):
        with pytest.raises(DocumentError) as caught:
            load(text, "evil.yaml")
        assert str(caught.value).startswith("evil.yaml:1") or "evil.yaml:" in str(caught.value)


def test_the_schema_knows_every_key_by_the_name_that_files_use() -> None:
    schema = scenario_schema()
    assert set(yaml.safe_load(TEXT)) <= set(schema["properties"])
    assert "in" in schema["$defs"]["ComponentChoice"]["properties"]
    assert {"format", "id", "briefing", "solution"} <= set(schema["required"])


def test_work_in_place_of_the_sites_own_must_fit_the_site() -> None:
    job = "{name: big, user: priya, partition: batch, nodes: dgx-09, gpus_per_node: 8, workload: training,"
    told = problems("lead: 30m\n", f"lead: 30m\nstanding: {{jobs: [{job} started_before: 1h, time_limit: 1d}}]}}\n")
    assert any('unknown node "dgx-09"' in one for one in told), told
