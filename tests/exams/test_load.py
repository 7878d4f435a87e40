"""Blueprints and bank files: what is wrong with them, and where."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from engine.kernel.documents import DocumentError
from exams.catalogue import Course
from exams.load import load_bank, load_blueprint
from tests.exams import bank

COURSE: Course = bank.course()


def refused(change: Any) -> list[str]:
    """What is said of the tests' bank after a change."""
    data = yaml.safe_load(bank.BANK.read_text())
    change({item["id"]: item for item in data["items"]}, data)
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True).replace("2026-11-30", "'2026-11-30'")
    try:
        load_bank(text.replace("''", "'"), "bank.yaml", lambda name: COURSE.blueprint)
    except DocumentError as error:
        return [str(problem) for problem in error.problems]
    return []


def set_in(id: str, *path: Any) -> Any:
    """A change of one value in an item."""
    *steps, key, value = path

    def change(items: dict[str, Any], data: Any) -> None:
        place = items[id]
        for step in steps:
            place = place[step]
        place[key] = value

    return change


def test_the_banks_of_the_tests_are_sound() -> None:
    assert refused(lambda items, data: None) == []
    assert len(COURSE.items) == 10


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (set_in("letters", "domain", "seeng"), 'letters: domain: unknown domain "seeng"; did you mean "seeing"?'),
        (set_in("letters", "objective", "repair"), 'letters: objective: unknown objective of seeing "repair"'),
        (set_in("letters", "options", 1, "right", True), "letters: options: 2 options are right"),
        (set_in("letters", "options", 0, "right", False), "letters: options: 0 options are right"),
        (set_in("letters", "options", 1, "id", "first"), 'letters: options[1].id: "first" stands here twice'),
        (set_in("letters", "options", 1, "text", "The letter alpha"), 'options[1].text: "The letter alpha" stands'),
        (set_in("letters", "stem", "What is {this}?"), 'letters: stem: unknown name "this"'),
        (
            set_in("letters", "practise", ["hot-nod"]),
            'practise[0]: unknown scenario "hot-nod"; did you mean',
        ),
        (set_in("letters", "id", "vowels"), 'id: the id "vowels" stands here twice'),
        (set_in("vowels", "options", 0, "right", False), ""),
        (set_in("power-limit", "fact", "gpu.present(gpu)"), "fact: this is true or false; a number is needed"),
        (set_in("power-limit", "unit", "GB"), "fact: the fact gives a power, which is no number of"),
        (set_in("power-limit", "exhibit", "lines", ["echo {nod}"]), 'exhibit.lines[0]: unknown name "nod"'),
        (set_in("power-limit", "exhibit", "site", "dgx-h100"), 'exhibit.site: unknown site "dgx-h100"'),
        (set_in("power-limit", "exhibit", "vary", "gpu", {"kind": "gpu", "where": "gpu.lots(gpu)"}), "gpu.where: "),
        (set_in("lost-gpu", "exhibit", "faults", 0, "fault", "gpu.fell"), 'faults[0].fault: unknown fault "gpu.fell"'),
        (set_in("lost-gpu", "exhibit", "faults", 0, "parameters", "cause", "x"), "faults[0].parameters.cause: "),
        (set_in("lost-gpu", "exhibit", "faults", 0, "target", "dgx-09/gpu1"), "faults[0].target: gpu.fell_off_bus"),
        (set_in("lost-gpu", "options", 0, "fact", "gpu.lot(gpu)"), "options[0].fact: "),
        (set_in("idle-node", "right", "pattern", "{nod} idle"), "right.pattern: unknown name"),
        (set_in("tools", "decoys", ["b"]), 'tools: decoys[0]: "b" stands on the right already'),
        (set_in("lab", "scenario", "gpu-off"), 'scenario: unknown scenario "gpu-off"'),
    ],
)
def test_each_mistake_is_told_where_it_stands(change: Any, what: str) -> None:
    found = refused(change)
    if not what:
        assert found == []
        return
    assert any(what in problem for problem in found), found
    assert all(problem.startswith("bank.yaml:") for problem in found)


def test_a_fact_needs_a_world() -> None:
    def change(items: dict[str, Any], data: Any) -> None:
        option = items["letters"]["options"][0]
        del option["right"]
        option["fact"] = "true"

    assert any("a fact is asked of a world; give an exhibit with `lines`" in one for one in refused(change))


def test_all_mistakes_are_told_at_once_with_their_lines() -> None:
    def change(items: dict[str, Any], data: Any) -> None:
        items["letters"]["domain"] = "nowhere"
        items["lab"]["scenario"] = "none-such"

    found = refused(change)
    lines = [int(problem.split(":")[1]) for problem in found]
    assert len(found) == 2 and lines[0] < lines[1]


def test_a_blueprint_has_the_name_of_its_file() -> None:
    text = bank.BLUEPRINT.read_bytes()
    assert load_blueprint(text, "small.yaml", "small").code == "SMALL"
    with pytest.raises(DocumentError, match=r"big\.yaml:2: the id is small, the file's name big"):
        load_blueprint(text, "big.yaml", "big")


def test_an_unknown_blueprint_is_told_at_its_line() -> None:
    from exams.catalogue import blueprint

    with pytest.raises(DocumentError, match=r"bank\.yaml:2: unknown exam \"small\""):
        load_bank(bank.BANK.read_bytes(), "bank.yaml", blueprint)
