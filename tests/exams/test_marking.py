"""Marking: the rules, and what always holds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from exams.answers import Chosen, Matched, Number, Ordered, Pointed, Worked
from exams.marking import Rules, mark, rules_told
from tests.exams import bank

ITEMS = [bank.rendered(item.id) for item in bank.course().items]
PART = Rules(multiple="part")


@settings(deadline=None)
@given(
    st.sampled_from(ITEMS).flatmap(lambda item: st.tuples(st.just(item), st.none() | bank.answers(item))),
    st.sampled_from([Rules(), PART]),
)
def test_every_answer_has_a_mark_in_range_and_a_reason(found: Any, rules: Rules) -> None:
    item, answer = found
    given_mark = mark(item, answer, rules)
    assert 0 <= given_mark.points <= given_mark.of == 1 and given_mark.note


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(["letters", "vowels", "power-up", "tools"]), st.integers(1, 40), st.integers(1, 40), st.data())
def test_shuffling_never_changes_a_mark(id: str, one: int, other: int, data: Any) -> None:
    answer = data.draw(bank.answers(bank.rendered(id, one)))
    for rules in (Rules(), PART):
        assert mark(bank.rendered(id, one), answer, rules) == mark(bank.rendered(id, other), answer, rules)


@pytest.mark.parametrize(
    ("id", "answer", "points"),
    [
        ("letters", Chosen(("first",)), "1"),
        ("letters", Chosen(("last",)), "0"),
        ("vowels", Chosen(("a", "e", "o")), "1"),
        ("vowels", Chosen(("a", "e")), "0"),
        ("vowels", Chosen(("a", "b", "e")), "0"),
        ("power-up", Ordered(("one", "two", "three", "four")), "1"),
        ("power-up", Ordered(("one", "two", "four", "three")), "1/3"),
        ("power-up", Ordered(("four", "one", "two", "three")), "2/3"),
        ("power-up", Ordered(("four", "three", "two", "one")), "0"),
        ("tools", Matched((("p", "p"), ("q", "q"), ("r", "r"), ("s", "p"))), "1"),
        ("tools", Matched((("p", "p"), ("q", "r"))), "1/4"),
        ("tools", Matched((("p", "decoy.1"),)), "0"),
        ("bandwidth", Number("51.6"), "1"),
        ("bandwidth", Number("51.7", "GB/s"), "1"),
        ("bandwidth", Number("51.71", "GB/s"), "0"),
        ("bandwidth", Number("412.8", "Gb/s"), "1"),
        ("bandwidth", Number("51600", "MB/s"), "1"),
        ("power-limit", Number("0.7", "kW"), "1"),
        ("power-limit", Number("701", "W"), "0"),
        ("idle-node", Pointed(5), "1"),
        ("idle-node", Pointed(6), "0"),
        ("lab", Worked(Fraction(2, 3)), "2/3"),
    ],
)
def test_the_rules(id: str, answer: Any, points: str) -> None:
    assert mark(bank.rendered(id), answer).points == Fraction(points)


@pytest.mark.parametrize(
    ("ids", "points"),
    [("aeo", "1"), ("ae", "2/3"), ("aeb", "1/3"), ("abc", "0"), ("bc", "0"), ("a", "1/3")],
)
def test_parts_of_several_right_ones_where_that_is_the_rule(ids: str, points: str) -> None:
    assert mark(bank.rendered("vowels"), Chosen(tuple(sorted(ids))), PART).points == Fraction(points)
    assert mark(bank.rendered("vowels"), Chosen(tuple(sorted(ids)))).points == (points == "1")


def test_not_answered_is_said() -> None:
    found = mark(bank.rendered("letters"), None)
    assert found.points == 0 and found.note == "not answered" and not found.right


def test_the_rules_that_hold_are_told() -> None:
    assert "anything else: 0" in rules_told(Rules())["multiple"] and "1/k" in rules_told(PART)["multiple"]
    assert {item.kind for item in ITEMS} <= set(rules_told(Rules()))
