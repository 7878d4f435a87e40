"""Answers as they grow, choice by choice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from exams.answers import answer_from
from tests.exams import bank
from tui.live.exam_answers import chosen, how, matched, moved, next_unmatched, order, too_many


def test_of_a_single_item_the_last_one_pressed_is_chosen() -> None:
    letters = bank.rendered("letters")
    assert chosen(letters, ["first"], "last") == ["last"]
    assert chosen(letters, ["last"], "last") == ["last"]


def test_of_several_each_is_chosen_or_taken_back_and_too_many_are_told() -> None:
    vowels = bank.rendered("vowels")
    data = chosen(vowels, chosen(vowels, None, "a"), "e")
    assert sorted(data) == ["a", "e"]
    assert chosen(vowels, data, "a") == ["e"]
    three = chosen(vowels, data, "o")
    assert too_many(vowels, three) is None
    assert "3 are chosen" in str(too_many(vowels, chosen(vowels, three, "b")))


@given(st.integers(0, 3), st.integers(-2, 6))
def test_a_step_that_moves_leaves_the_others_as_they_were(place: int, to: int) -> None:
    ids = order(bank.rendered("power-up"), None)
    after = moved(ids, place, to)
    assert after.index(ids[place]) == min(max(to, 0), 3)
    assert [id for id in after if id != ids[place]] == [id for id in ids if id != ids[place]]
    assert answer_from(bank.rendered("power-up"), after) is not None


def test_pairs_are_made_changed_and_taken_back() -> None:
    tools = bank.rendered("tools")
    first, second = (choice.id for choice in tools.choices[:2])
    pairs = matched(matched(None, first, "p"), second, "q")
    assert next_unmatched(tools, pairs, 0) == 2
    assert matched(pairs, first, "q") == {first: "q", second: "q"}
    assert matched(pairs, first, None) == {second: "q"}
    everything = {choice.id: "p" for choice in tools.choices}
    assert next_unmatched(tools, everything, 1) is None
    assert next_unmatched(tools, matched(everything, first, None), 2) == 0


def test_every_kind_says_how_it_is_answered() -> None:
    told = [how(bank.rendered(item.id)) for item in bank.course().items]
    assert all(len(text.split(". ")) >= 2 for text in told)
    assert "Choose 3." in how(bank.rendered("vowels"))
