"""What the checks say of whole banks: ids, twins, lengths, places and coverage; and the banks that are packaged."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from exams.blueprint import Blueprint
from exams.catalogue import blueprint, blueprint_ids
from exams.check import positions
from exams.check.pool import Looks, Pool, entries_of, looks_of
from exams.check.reading import kind_of, read_file, read_packaged
from exams.check.run import check
from exams.check.words import likeness, shingles
from exams.skeleton import bank_skeleton, blueprint_skeleton
from tests.exams.check.desk import findings, items, write, write_blueprint

SUBJECTS = (
    "apples",
    "bridges",
    "candles",
    "deserts",
    "engines",
    "forests",
    "glaciers",
    "harbours",
    "islands",
    "jewels",
)


def singles(longest: int) -> list[dict[str, Any]]:
    """Ten items on different subjects; in so many of them the right option is the longest."""
    made = []
    for number, subject in enumerate(SUBJECTS):
        item = items()["colour"] | {"id": subject, "uuid": f"00000000-0000-4000-8000-1{number:011}"}
        texts = [f"{subject} red", f"{subject} dark blue", f"{subject} green"]
        texts[0] += " and much more" * (number < longest)
        options = [
            {"id": id, "text": text, "right": id == "a", "because": f"{subject} look so at {id} time"}
            for id, text in zip("abc", texts, strict=True)
        ]
        made.append(item | {"stem": f"{subject}: {subject[::-1]} {subject[2:]}?", "options": options})
    return made


def test_ids_and_uuids_are_unique_over_all_banks_of_an_exam(tmp_path: Path) -> None:
    own = write_blueprint(tmp_path)
    write(tmp_path / "own" / "first.yaml", [items()["colour"]])
    second = write(tmp_path / "own" / "second.yaml", [items()["power"] | {"id": "colour"}, items()["meals"]])
    third = items()["primes"] | {"uuid": items()["meals"]["uuid"]}
    write(tmp_path / "own" / "third.yaml", [third])
    for path in (own, second):
        told = [str(one) for one in findings(path) if not one.warning]
        assert any("second.yaml" in text and 'the id "colour" is that of colour (' in text for text in told)
    assert any("third.yaml" in str(one) and "the uuid" in str(one) for one in findings(own))


def test_the_same_question_is_a_mistake_and_one_in_other_words_a_warning(tmp_path: Path) -> None:
    write_blueprint(tmp_path)
    twin = items()["colour"] | {"id": "twin", "uuid": items()["power"]["uuid"]}
    bank = tmp_path / "own" / "bank.yaml"
    told = findings(write(bank, [items()["colour"], twin]))
    assert [one.warning for one in told] == [False] and "nearly the same question as colour (" in str(told[0])
    twin["stem"] = "On a clear day, how does the sky look, as to colour?"
    told = findings(write(bank, [items()["colour"], twin]))
    assert [one.warning for one in told] == [True] and "of the words in their stems and keys" in str(told[0])


def test_likeness_is_a_share() -> None:
    one, other = shingles(["a b c d"]), shingles(["a b c e"])
    assert likeness(one, one) == 1 and likeness(one, shingles(["x"])) == 0
    assert likeness(one, other) == pytest.approx(1 / 3)


@pytest.mark.parametrize(("longest", "mistakes"), [(0, 0), (3, 0), (4, 4)])
def test_the_right_option_is_seldom_the_longest(longest: int, mistakes: int, tmp_path: Path) -> None:
    write_blueprint(tmp_path)
    told = [str(one) for one in findings(write(tmp_path / "own" / "bank.yaml", singles(longest))) if not one.warning]
    assert len(told) == mistakes
    assert all("the right option is the longest, by" in text and "change at least 1" in text for text in told)


def test_places_are_equally_frequent_and_a_skew_is_found(tmp_path: Path) -> None:
    write_blueprint(tmp_path)
    reading = read_file(write(tmp_path / "own" / "bank.yaml", singles(0)))
    assert reading.pool is not None
    looks = asyncio.run(looks_of(reading.pool.entries, 1))
    assert list(positions.check(replace(reading.pool, looks=looks))) == []
    skewed = {entry: Looks({s: _first(one) for s, one in looks[entry].rendered.items()}, {}) for entry in looks}
    told = [str(one) for one in positions.check(replace(reading.pool, looks=skewed))]
    assert "the right one of 3 options stands at A in 100 % of 500 renderings" in told[0] and len(told) == 3


def _first(one: Any) -> Any:
    """A rendering with the right option before the others."""
    return replace(one, choices=tuple(sorted(one.choices, key=lambda choice: choice.id not in one.key)))


DOMAINS = [
    {"id": "seeing", "title": "Seeing", "weight": 50, "objectives": [{"id": "outputs", "text": "Read"}]},
    {"id": "doing", "title": "Doing", "weight": 50, "objectives": [{"id": "repairs", "text": "Repair"}]},
]


def test_gaps_to_the_blueprint_are_warnings(tmp_path: Path) -> None:
    own = write_blueprint(tmp_path, domains=DOMAINS, hands_on={"count": 2, "minutes": 10})
    write(tmp_path / "own" / "bank.yaml", list(items().values()))
    told = findings(own)
    assert all(one.warning and one.location.name == str(own) for one in told)
    texts = "\n".join(map(str, told))
    for what in (
        "seeing: 7 of 7 items are 100 %, the weight is 50 %",
        "doing: 0 of 7 items are 0 %",
        "doing: no items, an exam of 4 draws 2",
        "repairs: no items for this objective",
        "no items for hands-on labs, an exam draws 2",
    ):
        assert what in texts
    assert len(told) == 5


def test_a_bank_that_cannot_be_read_does_not_hide_the_others(tmp_path: Path) -> None:
    own = write_blueprint(tmp_path)
    write(tmp_path / "own" / "broken.yaml", [items()["colour"] | {"kind": "nosuch"}])
    write(tmp_path / "own" / "sound.yaml", [items()["power"] | {"because": "-"}])
    told = [str(one) for one in findings(own)]
    assert "broken.yaml:" in told[0] and "nosuch" in "".join(told[:-1])
    assert "sound.yaml:" in told[-1] and "says nothing" in told[-1]


def test_files_are_told_apart_by_their_keys(tmp_path: Path) -> None:
    own, bank = write_blueprint(tmp_path), write(tmp_path / "own" / "bank.yaml", [items()["colour"]])
    other = tmp_path / "drill.yaml"
    other.write_text("format: 1\nkind: drill\n")
    assert [kind_of(path) for path in (own, bank, other, tmp_path)] == ["blueprint", "bank", None, None]


def test_what_is_written_to_start_from_is_sound(tmp_path: Path) -> None:
    own = tmp_path / "mine.yaml"
    own.write_text(blueprint_skeleton("mine", date(2026, 11, 30)))
    made: Blueprint = read_file(own).pool.blueprint  # type: ignore[union-attr]
    uuids = count(10**11)
    for folder, exam in ((tmp_path / "mine", made), (tmp_path, blueprint("nca-aiio"))):
        folder.mkdir(exist_ok=True)
        bank = folder / "topic.yaml"
        bank.write_text(
            bank_skeleton("topic", exam, lambda: f"00000000-0000-4000-8000-{next(uuids)}", date(2026, 11, 30))
        )
        assert findings(bank, seeds=8) == []
    assert all(one.warning for one in findings(own))


@pytest.mark.parametrize("id", blueprint_ids())
def test_packaged_blueprints_and_their_banks_are_sound(id: str) -> None:
    checked = asyncio.run(check(read_packaged(id), seeds=5))
    assert [str(one) for one in checked.findings if not one.warning] == []
    assert checked.items > 0 or "there are no items yet" in str(checked.findings[0])


def test_entries_know_their_places() -> None:
    pool = read_packaged("nca-aiio").pool
    assert isinstance(pool, Pool)
    entry = pool.entries[0]
    assert entry.place.startswith(f"{entry.item.id} (exams/banks/nca-aiio/")
    assert [one.number for one in entries_of(entry.document, entry.bank)] == list(range(len(entry.bank.items)))
