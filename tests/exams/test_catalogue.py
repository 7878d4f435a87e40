"""Exams by name and by path."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine.kernel.errors import BreakfixError
from exams.catalogue import blueprint, blueprint_ids, find, listing, packaged
from tests.exams import bank


def test_names_count_in_any_case() -> None:
    for id in blueprint_ids():
        assert blueprint(id.upper()).id == blueprint(id).id == id


def test_the_list_of_exams() -> None:
    found = {one["id"]: one for one in listing()}
    assert list(found) == blueprint_ids()
    for id, one in found.items():
        assert one["code"].casefold() == id and one["minutes"] > 0 and one["items"] > 0


@pytest.mark.parametrize("id", blueprint_ids())
def test_packaged_banks_are_sound(id: str) -> None:
    assert {one.topic for one in packaged(id).banks} == set({one["id"]: one for one in listing()}[id]["topics"])


def test_an_unknown_exam_is_told_with_what_there_is() -> None:
    with pytest.raises(BreakfixError, match=r'unknown exam "nca-aio"'):
        find("nca-aio")


def test_a_blueprint_of_ones_own_brings_the_banks_beside_it() -> None:
    course = find(str(bank.BLUEPRINT))
    assert (course.blueprint.code, len(course.items)) == ("SMALL", 10)
    assert course.item("letters").kind == "single"
    with pytest.raises(BreakfixError, match='unknown item "leters"; did you mean "letters"'):
        course.item("leters")


def test_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    with pytest.raises(BreakfixError, match="cannot be read: no such file"):
        find(str(tmp_path / "none.yaml"))


def test_an_id_may_stand_in_one_topic_only(tmp_path: Path) -> None:
    shutil.copy(bank.BLUEPRINT, tmp_path / "small.yaml")
    (tmp_path / "small").mkdir()
    for topic in ("one", "two"):
        text = bank.BANK.read_text().replace("topic: all-kinds", f"topic: {topic}")
        (tmp_path / "small" / f"{topic}.yaml").write_text(text)
    with pytest.raises(BreakfixError, match='the id "letters" is in the topics one and two of small'):
        find(str(tmp_path / "small.yaml"))
