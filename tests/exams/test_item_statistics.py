"""Statistics of items over many sittings: difficulty, discrimination, distractors."""

from __future__ import annotations

import pytest

from engine.kernel.errors import BreakfixError
from exams.item_statistics import Given, sittings, statistics


def sitting(knows: bool, number: int) -> list[Given]:
    """Somebody who knows gets `good` right and `bad` wrong; everybody is right in `easy`."""
    return [
        Given("good", float(knows), ("a",) if knows else ("b" if number % 2 else "c",)),
        Given("bad", float(not knows), ("x",)),
        Given("easy", 1.0, ("p",)),
        Given("other", float(knows), ("a",)),
        Given("third", float(knows), ("a",)),
    ]


MANY = [sitting(number < 12, number) for number in range(20)]


def test_difficulty_and_discrimination() -> None:
    found = {one.item: one for one in statistics(MANY)}
    assert found["good"].difficulty == pytest.approx(0.6)
    assert found["good"].discrimination == pytest.approx(1.0)
    assert found["bad"].discrimination == pytest.approx(-1.0)
    assert found["easy"].discrimination is None and found["easy"].difficulty == 1


def test_what_an_author_should_look_at() -> None:
    found = {one.item: one for one in statistics(MANY)}
    assert found["good"].remarks == []
    assert "look at the key" in found["bad"].remarks[0]
    assert found["easy"].remarks == ["nearly everybody is right"]
    assert statistics(MANY[:4])[0].remarks == ["only 4 sittings: too few to tell"]


def test_options_by_the_upper_and_the_lower_group() -> None:
    (good,) = (one for one in statistics(MANY) if one.item == "good")
    uses = {one.id: (one.upper, one.lower) for one in good.options}
    assert uses["a"] == (1.0, 0.0)
    assert uses["b"][0] == uses["c"][0] == 0.0 and uses["b"][1] + uses["c"][1] == 1.0
    seldom = [*MANY, *MANY, [Given("good", 0.0, ("d",))]]
    (good,) = (one for one in statistics(seldom) if one.item == "good")
    assert "option d tempts hardly anybody" in good.remarks


def test_results_as_the_program_writes_them() -> None:
    line = {"id": "one", "kind": "single", "points": 1, "of": 1, "answer": "a"}
    several = {"id": "two", "kind": "multiple", "points": 0, "of": 1, "answer": ["a", "b"]}
    lab = {"id": "three", "kind": "hands-on", "points": 0, "of": 1, "answer": None}
    ((first, second),) = sittings([("file", {"items": [line, several, lab]})])
    assert (first, second) == (Given("one", 1.0, ("a",)), Given("two", 0.0, ("a", "b")))


@pytest.mark.parametrize(
    "data",
    [
        [],
        {},
        {"items": 3},
        {"items": [{"id": "x"}]},
        {"items": [{"id": "x", "kind": "single", "points": "?", "of": 1}]},
    ],
)
def test_other_files_are_refused(data: object) -> None:
    with pytest.raises(BreakfixError, match="file is no result of an exam"):
        sittings([("file", data)])
