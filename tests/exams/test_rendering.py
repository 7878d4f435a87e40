"""Items as they are put before somebody."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from engine.kernel.errors import BreakfixError
from exams.answers import right_answer
from exams.exhibits import Exhibits
from exams.marking import mark
from exams.rendered import Rendered, from_data, to_data
from exams.rendering import render, render_near
from tests.exams import bank

IDS = [item.id for item in bank.course().items]


def render_changed(id: str, seed: int = 1, **changes: Any) -> Rendered:
    item = bank.course().item(id).model_copy(update=changes)
    return asyncio.run(render(item, seed, Exhibits()))


@pytest.mark.parametrize("id", IDS)
def test_it_survives_json_and_its_own_key_is_right(id: str) -> None:
    for seed in (1, 2):
        item = bank.rendered(id, seed)
        assert from_data(Rendered, json.loads(json.dumps(to_data(item)))) == item
        assert mark(item, right_answer(item)).points == 1


def test_broken_records_are_told() -> None:
    with pytest.raises(BreakfixError, match="a broken record of an exam: stem"):
        from_data(Rendered, {**to_data(bank.rendered("letters")), "stem": 7})


def test_choices_are_shuffled_by_the_seed_and_not_by_their_place_in_the_file() -> None:
    orders = {tuple(choice.id for choice in bank.rendered("vowels", seed).choices) for seed in range(1, 20)}
    assert len(orders) > 10
    item = bank.course().item("vowels")
    turned = item.model_copy(update={"options": tuple(reversed(item.options))})  # type: ignore[union-attr]
    assert asyncio.run(render(turned, 4)).choices == bank.rendered("vowels", 4).choices


def test_right_options_stand_everywhere() -> None:
    places = {[one.id for one in bank.rendered("letters", seed).choices].index("first") for seed in range(1, 20)}
    assert places == {0, 1, 2}


def test_steps_are_never_shown_in_their_right_order() -> None:
    for seed in range(1, 60):
        item = bank.rendered("power-up", seed)
        assert tuple(choice.id for choice in item.choices) != item.key == ("one", "two", "three", "four")


def test_the_same_text_on_the_right_stands_there_once() -> None:
    item = bank.rendered("tools")
    assert sorted(choice.text for choice in item.rights) == ["a", "b", "g", "z"]
    assert dict(item.pairs) == {"p": "p", "q": "q", "r": "r", "s": "p"}


def test_keys_are_facts_of_the_world() -> None:
    limit, lost = bank.rendered("power-limit", 7), bank.rendered("lost-gpu", 7)
    assert (limit.number, limit.unit) == ("700", "W") and "700.00 W" in limit.exhibit[-1]
    assert lost.key == ("seven",)
    assert limit.stem.endswith(f"{limit.exhibit[0].split()[2]}?")


def test_lines_to_point_at_are_lines_of_the_output() -> None:
    item = bank.rendered("idle-node")
    assert [item.exhibit[line - 1].split()[4] for line in item.lines] == ["idle"]
    assert item.typed == (1,) and 1 not in item.output_lines
    assert item.remark(item.lines[0]) == "idle means free."
    assert item.remark(2) == "No free node of that partition is there."
    assert "These are in use." in {item.remark(line) for line in item.output_lines}


def test_what_is_to_be_done_is_said() -> None:
    assert bank.rendered("vowels").ask == "Choose 3."
    assert bank.rendered("bandwidth").ask == "Give the number in GB/s."


def test_lines_of_a_text_are_joined_and_paragraphs_stay() -> None:
    text = "One line\nand another.\n\nA list:\n- first\n- second\n    code\n"
    assert render_changed("letters", stem=text).stem == "One line and another.\n\nA list:\n- first\n- second\n    code"


def test_an_item_that_is_no_question_at_a_seed_is_told() -> None:
    def options(**facts: str) -> tuple[Any, ...]:
        own = bank.course().item("lost-gpu").options  # type: ignore[union-attr]
        return tuple(one.model_copy(update={"fact": facts.get(one.id, one.fact)}) for one in own)

    with pytest.raises(BreakfixError, match="item lost-gpu at seed 1: 2 of its options are right; one must be"):
        render_changed("lost-gpu", options=options(eight="gpu.lost(gpu)"))
    with pytest.raises(BreakfixError, match="no line of the exhibit holds"):
        item = bank.course().item("idle-node")
        note = item.right.model_copy(update={"pattern": item.wrong[0].pattern.parse("nowhere")})  # type: ignore[union-attr]
        render_changed("idle-node", right=note)


def test_a_choice_that_fits_nothing_is_told() -> None:
    exhibit = bank.course().item("lost-gpu").exhibit
    assert exhibit is not None
    gpu = exhibit.vary["gpu"].model_copy(update={"where": "gpu.replaced(gpu)"})
    with pytest.raises(BreakfixError) as caught:
        render_changed("lost-gpu", exhibit=exhibit.model_copy(update={"vary": {**exhibit.vary, "gpu": gpu}}))
    assert caught.value.message == "item lost-gpu at seed 1: no gpu fits `gpu` at seed 1"


def test_choices_that_the_seed_makes_equal_are_told() -> None:
    own = bank.course().item("lost-gpu").options  # type: ignore[union-attr]
    same = (own[0], own[1].model_copy(update={"text": "{node}"}), own[2].model_copy(update={"text": "{gpu.node}"}))
    with pytest.raises(BreakfixError, match="stands among its choices twice"):
        render_changed("lost-gpu", options=same)


def test_another_seed_is_taken_where_one_fits_nothing() -> None:
    item = bank.course().item("idle-node")
    exhibit = item.exhibit.model_copy(  # type: ignore[union-attr]
        update={
            "vary": bank.course().item("lost-gpu").exhibit.vary,  # type: ignore[union-attr]
            "lines": ("echo {gpu.index} | grep [0-3]; echo done",),
        }
    )
    note = item.right.model_copy(update={"pattern": item.wrong[0].pattern.parse({"regex": "^[0-3]$"})})  # type: ignore[union-attr]
    picky = item.model_copy(update={"exhibit": exhibit, "right": note, "wrong": ()})
    found = [asyncio.run(render_near(picky, seed)).seed for seed in range(1, 9)]
    assert found == [asyncio.run(render_near(picky, seed)).seed for seed in range(1, 9)]
    assert found != list(range(1, 9)) and set(found) & set(range(1, 9))
