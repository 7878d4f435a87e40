"""What can be chosen before an exam or a study session begins."""

from __future__ import annotations

from tests.exams import bank
from tui.live.exam import Wish
from tui.live.exam_choices import EXTRA, ExamChoices


def choices() -> ExamChoices:
    return ExamChoices(bank.course(), seed=4)


def test_a_whole_exam_is_as_the_blueprint_has_it_and_a_shorter_one_has_no_labs() -> None:
    found = choices()
    assert (found.terms.count, found.terms.labs, found.minutes) == (None, None, 24)
    found.step("items", -1)
    assert (found.terms.count, found.terms.labs, found.minutes) == (10, 0, 10)
    assert found.text("items") == "10"
    found.step("items", 1)
    assert "as in the exam" in found.text("items")


def test_extra_time_goes_round_and_counts() -> None:
    found = choices()
    assert found.text("extra") == "none"
    found.step("extra", EXTRA.index(50))
    assert (found.text("extra"), found.minutes, found.terms.extra) == ("50 %", 36, 50)
    for _ in EXTRA:
        found.step("extra", 1)
    assert found.terms.extra == 50


def test_a_seed_is_stepped_or_typed() -> None:
    found = choices()
    found.step("seed", -1)
    assert found.seed == 3
    for digit in "20":
        found.type_digit("seed", digit)
    assert found.seed == 20
    for digit in "123456789123":
        found.type_digit("seed", digit)
    assert len(str(found.seed)) <= 9
    found.step("seed", 1)
    found.type_digit("seed", "7")
    found.type_digit("seed", "5")
    found.take_digit("seed")
    assert found.seed == 7
    found.take_digit("seed")
    assert found.seed == 0


def test_numbers_of_items_are_typed_within_what_there_is() -> None:
    found = choices()
    for name, digits, then in (("items", "07", 7), ("study_items", "45", 45), ("items", "99", 12), ("items", "0", 12)):
        for digit in digits:
            found.type_digit(name, digit)
        assert getattr(found, name) == then
    found.take_digit("items")
    assert found.items == 1
    found.type_digit("items", "1")
    assert found.items == 11
    found.step("items", 1)
    assert found.items == 12


def test_objectives_are_those_of_the_domain() -> None:
    found = choices()
    found.step("objective", 1)
    assert found.wish == Wish(objective="outputs")
    found.step("domain", 2)
    assert found.wish == Wish(domain="doing")
    found.step("objective", 1)
    assert found.wish == Wish(domain="doing", objective="order")
    assert found.text("objective") == "Know what comes first"
    found.step("objective", -1)
    assert found.text("objective") == "all"


def test_which_items_and_when_time_runs_on() -> None:
    found = choices()
    found.step("which", 2)
    assert found.wish == Wish("wrong")
    found.step("which", -3)
    assert found.wish == Wish("unsure")
    found.step("assigned", 1)
    assert found.terms.assigned
    assert found.text("assigned") == "runs on"
