"""What the checks say of single items: each change makes a sound bank unsound in one way."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.exams.check.desk import Change, Items, findings, found, items, put, write, write_blueprint

ERRORS: list[tuple[Change, str]] = [
    (put("colour", "options", 1, "because", " "), "the explanation says nothing"),
    (put("colour", "options", 1, "because", "This is wrong."), "the explanation says nothing"),
    (put("colour", "options", 2, "because", "It looks so, when the sun is low"), "the same as at options[1].because"),
    (put("colour", "options", 1, "because", "It is crimson, a deep one."), "only repeats the answer"),
    (put("meals", "steps", 1, "because", "It is the lunch."), "only repeats the answer"),
    (put("capitals", "pairs", 0, "because", "Paris is of France."), "only repeats the answer"),
    (put("power", "because", "-"), "the explanation says nothing"),
    (put("idle-node", "otherwise", "It is wrong."), "the explanation says nothing"),
    (put("colour", "sources", [{"title": "A", "checked": "2026-11-30"}]), "give a `locator`"),
    (put("colour", "options", 2, "text", "all of the above"), "speaks of a place on the screen"),
    (put("colour", "options", 2, "text", "None of the above"), "speaks of a place on the screen"),
    (put("colour", "options", 2, "text", "A and B"), "speaks of a place on the screen"),
    (put("colour", "stem", "What is wrong with option B?"), "speaks of a place on the screen"),
    (put("colour", "stem", "Which of these is not a colour?"), "asks for what is not so"),
    (put("colour", "stem", "Which colours are never seen?"), "asks for what is not so"),
    (put("colour", "stem", "All of these are colours except which?"), "asks for what is not so"),
    (put("colour", "stem", "Which two colours has the sky?"), 'contradicts "Choose 1"'),
    (put("primes", "stem", "Choose three numbers that are prime."), 'contradicts "Choose 2"'),
    (put("primes", "stem", "Choose 1 prime."), 'contradicts "Choose 2"'),
    (put("primes", "stem", "Select all that apply: prime numbers."), "contradicts the count"),
    (put("colour", "options", 2, "text", "a light  Blue."), 'reads like "A light blue" at options[0].text'),
    (put("capitals", "decoys", ["paris"]), 'reads like "Paris"'),
    (put("power", "tolerance", 3), "a tolerance of 3 is 54 % of 5.604"),
    (put("power", "tolerance", 0), "give a `tolerance`"),
    (put("power", "unit", "W"), "the stem asks for kW, the unit is W"),
    (put("power", "unit", ""), "the stem asks for kW, the unit is none"),
    (put("idle-node", "right", "pattern", {"regex": "idle|alloc|down"}), "every line of the exhibit is right"),
    (put("idle-node", "right", "pattern", "drained"), 'no line of the exhibit holds "drained"'),
    (put("idle-node", "exhibit", "text", "a idle\n" * 4 + "b\n" * 20), "up to 4 lines are right"),
    (put("idle-node", "exhibit", "text", "a idle\n" + "b\n" * 60), "the exhibit has 61 lines"),
    (put("idle-node", "exhibit", "text", "a idle\nb" + "-" * 80), "the exhibit is 81 columns wide"),
    (put("state-of-a-node", "exhibit", "lines", ["nosuch {node}"]), "command not found"),
    (put("state-of-a-node", "exhibit", "lines", ["sudo ipmitool help fru"]), "modelled"),
    (put("state-of-a-node", "options", 1, "fact", "jobs.running(node) >= 0"), "2 of its options are right"),
]

WARNINGS: list[tuple[Change, str]] = [
    (put("colour", "options", 2, "text", "None of them"), "judges the other options"),
    (put("colour", "stem", "Which of these are colours of the sky?"), "but one option can be chosen"),
    (put("primes", "stem", "Which of these is prime?"), "but several options can be chosen"),
    (put("power", "tolerance", 1.2), "a guess may pass"),
    (put("idle-node", "exhibit", "text", "a idle\nb idle\nc alloc\nd\n"), "more than one line in 3"),
    (put("idle-node", "wrong", 0, "pattern", "drained"), "no wrong line holds this"),
    (put("state-of-a-node", "exhibit", "lines", ["sinfo -n {node} # " + "x" * 50]), "a line is typed up to column"),
]


def two_absolutes(items: Items) -> None:
    items["colour"]["options"][1]["text"] = "Always a crimson"
    items["colour"]["options"][2]["text"] = "Never a grey"


def no_fact(items: Items) -> None:
    for number, option in enumerate(items["state-of-a-node"]["options"]):
        option.pop("fact", None)
        option["right"] = number == 1


OF_SEVERAL: list[tuple[Change, str]] = [
    (two_absolutes, "absolute words stand only in wrong"),
    (no_fact, "no option asks the exhibit's world"),
]


@pytest.mark.parametrize(("change", "what"), [*ERRORS, *WARNINGS, *OF_SEVERAL])
def test_a_change_is_found_where_it_was_made(change: Change, what: str, tmp_path: Path) -> None:
    changed = next(id for id in items() if _differs(change, id))
    told = found(tmp_path, change, only=changed)
    meant = [finding for finding in told if what in str(finding)]
    assert [finding.warning for finding in meant] == [(change, what) not in ERRORS], told
    assert [finding for finding in told if finding not in meant and not finding.warning] == []
    assert str(meant[0]).startswith(str(tmp_path / "own" / "bank.yaml:")) and f" {changed}: " in str(meant[0])


def _differs(change: Change, id: str) -> bool:
    changed = items()
    change(changed)
    return changed[id] != items()[id]


def test_a_sound_bank_is_sound(tmp_path: Path) -> None:
    assert found(tmp_path, lambda items: None) == []


@pytest.mark.parametrize(
    "change",
    [
        put("colour", "stem", "Which of these is NOT seen on a clear day?"),
        put("colour", "stem", "A node does not start. Which colour has its lamp?"),
        put("primes", "stem", "Choose two numbers that are prime."),
        put("idle-node", "exhibit", {"text": "a idle\n" + "b" * 90 + "\nc\nd alloc", "wide": True}),
        put("power", "stem", "Eight parts take 700 W each. How much is that in all?"),
    ],
)
def test_what_is_meant_so_is_let_through(change: Change, tmp_path: Path) -> None:
    only = next(id for id in items() if _differs(change, id))
    assert found(tmp_path, change, only=only) == []


def test_a_command_that_an_item_speaks_of_may_be_missing(tmp_path: Path) -> None:
    def change(items: Items) -> None:
        items["state-of-a-node"]["exhibit"]["lines"] = ["ssh {node} nvcc --version"]
        items["state-of-a-node"]["options"][2]["because"] = "That nvcc is missing tells nothing of it."

    assert found(tmp_path, change, only="state-of-a-node") == []


def test_the_line_of_a_finding_is_that_of_the_option(tmp_path: Path) -> None:
    write_blueprint(tmp_path)
    changed = items()
    changed["colour"]["options"][2]["because"] = "This is wrong."
    bank = write(tmp_path / "own" / "bank.yaml", [changed["colour"]])
    line = next(n for n, text in enumerate(bank.read_text().splitlines(), 1) if "This is wrong." in text)
    assert [finding.location.line for finding in findings(bank)] == [line]


def test_days_to_come_are_refused_when_the_day_is_said(tmp_path: Path) -> None:
    told = found(tmp_path, lambda items: None, only="colour", today=datetime.date(2026, 11, 29))
    assert ["checked on 2026-11-30, which is after 2026-11-29" in str(one) for one in told] == [True]
    assert found(tmp_path, lambda items: None, only="colour", today=datetime.date(2026, 11, 30)) == []


def test_a_day_long_after_all_others_is_told(tmp_path: Path) -> None:
    told = found(tmp_path, put("colour", "sources", 0, "checked", "2062-11-30"))
    assert [one.warning for one in told] == [True]
    assert "2062-11-30 is more than a year after every other date" in str(told[0])


def _unsound_at_some_seeds(items: Items) -> None:
    items["state-of-a-node"]["options"][1] |= {"fact": "jobs.running(node) == 0 and node != dgx-04"}


def test_seeds_without_one_right_option_are_named(tmp_path: Path) -> None:
    told = found(tmp_path, _unsound_at_some_seeds, only="state-of-a-node", seeds=12)
    assert len(told) == 1 and not told[0].warning
    text = str(told[0])
    assert "0 of its options are right" in text and "at every seed" not in text
    assert "at seed " in text or " of 12:" in text


def test_an_exhibit_that_never_changes_is_told(tmp_path: Path) -> None:
    def change(items: Items) -> None:
        items["state-of-a-node"] |= {"stem": "Is a node at work?"}
        items["state-of-a-node"]["exhibit"]["lines"] = ["sinfo -N -n dgx-01"]

    told = found(tmp_path, change, only="state-of-a-node", seeds=5)
    assert any("the exhibit is the same at each of 5 seeds" in str(one) for one in told)


def test_unknown_names_are_told_with_the_nearest(tmp_path: Path) -> None:
    changes: list[tuple[Any, str]] = [
        (put("colour", "objective", "output"), 'did you mean "outputs"?'),
        (put("colour", "practise", ["hot-nod"]), 'did you mean "hot-node"?'),
    ]
    for change, what in changes:
        assert what in str(found(tmp_path, change, only="colour")[0])
    bank = write(tmp_path / "bank.yaml", [items()["colour"]], blueprint="nca-aio")
    assert 'did you mean "nca-aiio"' in str(findings(bank)[0])
