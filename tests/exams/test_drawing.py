"""Which items an exam has."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from exams.blueprint import Blueprint
from exams.drawing import Filter, apportion, draw, pick
from exams.item import Item
from tests.exams import bank

BLUEPRINT: Blueprint = bank.course().blueprint


def many(count: int) -> list[Item]:
    """Items of all domains, objectives and difficulties, made from one."""
    model = bank.course().item("letters")
    objectives = [(domain.id, one.id) for domain in BLUEPRINT.domains for one in domain.objectives]
    return [
        model.model_copy(
            update={
                "id": f"item-{number}",
                "uuid": f"uuid-{number}",
                "domain": objectives[number % len(objectives)][0],
                "objective": objectives[number % len(objectives)][1],
                "difficulty": number // len(objectives) % 5 + 1,
            }
        )
        for number in range(count)
    ]


@given(st.dictionaries(st.text(max_size=3), st.integers(1, 100), min_size=1, max_size=8), st.integers(0, 200))
def test_seats_are_apportioned_within_one_of_their_share(weights: dict[str, int], seats: int) -> None:
    found = apportion(weights, seats)
    total = sum(weights.values())
    assert sum(found.values()) == seats
    assert all(weights[name] * seats // total <= count <= weights[name] * seats // total + 1
               for name, count in found.items())  # fmt: skip


def test_the_largest_remainders_are_served_first() -> None:
    assert apportion({"a": 38, "b": 40, "c": 22}, 50) == {"a": 19, "b": 20, "c": 11}
    assert apportion({"a": 31, "b": 5, "c": 19, "d": 33, "e": 12}, 70) == {"a": 22, "b": 4, "c": 13, "d": 23, "e": 8}
    assert apportion({"a": 1, "b": 1}, 1) == {"a": 1, "b": 0}


def test_a_draw_has_the_weights_of_its_domains_and_is_repeated_by_its_seed() -> None:
    items = many(80)
    one = draw(BLUEPRINT, items, 5, count=20, labs=0)
    assert Counter(item.domain for item in one.items) == {"seeing": 12, "doing": 8}
    assert one == draw(BLUEPRINT, list(reversed(items)), 5, count=20, labs=0)
    assert {item.id for item in one.items} != {item.id for item in draw(BLUEPRINT, items, 6, count=20, labs=0).items}
    assert not one.shortfalls


def test_nothing_is_drawn_twice_and_it_is_spread() -> None:
    for seed in range(20):
        items = draw(BLUEPRINT, many(80), seed, count=20, labs=0).items
        assert len({item.id for item in items}) == 20
        for domain, count in (("seeing", 6), ("doing", 4)):
            objectives = Counter(item.objective for item in items if item.domain == domain)
            assert set(objectives.values()) == {count}
        assert max(Counter(item.difficulty for item in items).values()) <= 6


def test_the_order_mixes_domains() -> None:
    orders = {
        tuple(item.domain for item in draw(BLUEPRINT, many(80), seed, count=10, labs=0).items) for seed in range(9)
    }
    assert len(orders) > 5


def test_what_was_not_seen_comes_first_then_what_was_not_seen_for_longest() -> None:
    items = [item for item in many(40) if item.domain == "doing"]
    seen: dict[str, int] = {item.uuid: 100 + number for number, item in enumerate(items[:15])}
    fresh = {item.uuid for item in items[15:]}
    assert {item.uuid for item in pick(items, len(fresh), 3, seen)} == fresh
    more = pick(items, len(fresh) + 3, 3, seen)
    assert {item.uuid for item in more} - fresh == {items[number].uuid for number in range(3)}


def test_where_the_bank_is_short_it_says_so() -> None:
    found = draw(BLUEPRINT, bank.course().items, 1)
    assert len(found.items) == 10 and found.items[-1].kind == "hands-on"
    assert found.shortfalls == (
        "Seeing what is there: 6 of the 7 items that its weight asks for; there are no more yet.",
        "Doing things in order: 3 of the 5 items that its weight asks for; there are no more yet.",
    )
    assert draw(BLUEPRINT, bank.course().items, 1, count=3, labs=2).shortfalls == (
        "Hands-on labs: 1 of 2; there are no more yet.",
    )


def test_filters_of_study() -> None:
    def ids(**fields: Any) -> set[str]:
        asked = Filter(**{name: frozenset(values) for name, values in fields.items()})
        return {item.id for item in bank.course().items if asked.passes(item)}

    assert len(ids()) == 10
    assert ids(kinds=["numeric"]) == {"bandwidth", "power-limit"}
    assert ids(domains=["doing"], difficulties=[3]) == {"tools", "lab"}
    assert ids(objectives=["order"]) == {"power-up", "tools"}
    assert ids(uuids=[]) == set()
