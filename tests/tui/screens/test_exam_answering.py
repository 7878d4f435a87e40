"""Answering the items of an exam on the screen, each kind by keys and by mouse."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input

from tests.support.exam_screen import answer, at_exam, exam_of
from tests.support.exams import new_exam, place_of
from tests.support.frame import shown
from tui.app import Breakfix
from tui.live.exam import Sitting
from tui.live.exam_answers import how
from tui.screens.exam_navigator import ExamNavigator
from tui.widgets.exam_areas import ChosenArea, OrderedArea
from tui.widgets.exam_exhibit import ExhibitBox
from tui.widgets.exam_grid import CELL, ExamGrid
from tui.widgets.exam_matching import Lefts, Rights


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    return tmp_path


# Answering by keys


def test_a_letter_or_enter_chooses_and_enter_goes_on() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        ids = [choice.id for choice in sitting.item.choices]
        number = sitting.number
        await pilot.press("b")
        assert answer(sitting) == [ids[1]]
        assert "◉ B" in shown(app)
        await pilot.press("down", "enter")
        assert answer(sitting) == [ids[2]]
        assert sitting.number == number
        await pilot.press("enter")
        assert sitting.number == number + 1

    at_exam(work, new_exam(), kind="single")


def test_of_several_one_too_many_is_told_and_not_taken() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        assert "Choose 3." in shown(app)
        await pilot.press("a", "b", "C")
        three = answer(sitting)
        assert len(three) == 3
        await pilot.press("d")
        assert "3 are chosen already" in shown(app)
        assert answer(sitting) == three
        await pilot.press("up", "up", "space")
        assert len(answer(sitting)) == 2
        assert "chosen already" not in shown(app)
        await pilot.press("ctrl+b", "x")
        assert answer(sitting) is None
        assert "☑" not in shown(app)

    at_exam(work, new_exam(), kind="multiple")


def test_a_step_is_taken_moved_and_put_down() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        before = [choice.id for choice in sitting.item.choices]
        await pilot.press("space", "down", "down")
        assert "(moving)" in shown(app)
        await pilot.press("space", "up")
        assert answer(sitting) == [before[1], before[2], before[0], before[3]]
        await pilot.press("4")
        order = [before[1], before[0], before[3], before[2]]
        assert answer(sitting) == order
        await pilot.press("up", "space", "up", "up")
        assert answer(sitting) != order
        await pilot.press("escape")
        assert answer(sitting) == order
        assert "(moving)" not in shown(app)

    at_exam(work, new_exam(), kind="ordering")


def test_an_order_can_be_kept_as_it_stands() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        number = sitting.number
        await pilot.press("enter")
        assert answer(sitting) == [choice.id for choice in sitting.item.choices]
        assert sitting.number == number
        await pilot.press("enter")
        assert sitting.number != number or app.screen is not exam_of(app)

    at_exam(work, new_exam(), kind="ordering")


def test_letters_match_one_after_the_other() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        lefts, rights = ([one.id for one in side] for side in (sitting.item.choices, sitting.item.rights))
        await pilot.press("b", "a", "b", "c")
        assert answer(sitting) == dict(zip(lefts, (rights[1], rights[0], rights[1], rights[2]), strict=True))
        assert "(used 2 times: 1, 3)" in shown(app)
        assert "✓" not in shown(app)
        await pilot.press("up", "delete")
        assert len(answer(sitting)) == 3
        assert "[_]" in shown(app)
        await pilot.press("enter", "down", "enter")
        assert answer(sitting)[lefts[2]] == rights[1]

    at_exam(work, new_exam(), kind="matching")


def test_a_number_counts_as_soon_as_it_is_one() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        await pilot.press(*"12", "x")
        assert answer(sitting) is None
        assert "is not the unit here" in shown(app)
        for key in ("enter", "f8", "f7", "f9"):
            await pilot.press(key)
            await pilot.pause()
            assert "is not the unit here" in shown(app)
            assert exam_of(app).query_one(Input).value == "12x"
        await pilot.press("backspace")
        assert answer(sitting) == "12"
        assert "is not the unit" not in shown(app)
        number = sitting.number
        await pilot.press("left", "n")
        assert sitting.number == number
        await pilot.press("delete", "ctrl+b", "x")
        assert answer(sitting) is None
        assert exam_of(app).query_one(Input).value == ""
        await pilot.press("5", "f8")
        assert sitting.number != number
        await pilot.press("f7")
        assert exam_of(app).query_one(Input).value == "5"

    at_exam(work, new_exam(), kind="numeric")


def test_what_is_typed_in_the_exhibit_goes_into_the_field() -> None:
    sitting = new_exam()
    number = place_of(sitting, "numeric")
    sitting.attempt.items[number] = replace(sitting.attempt.items[number], exhibit=("$ long",), typed=(1,))

    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        exam_of(app).query_one(ExhibitBox).focus()
        await pilot.press("4", "2")
        assert answer(sitting) == "42"
        exam_of(app).query_one(ExhibitBox).focus()
        await pilot.press("enter")
        assert sitting.number != number or app.screen is not exam_of(app)

    at_exam(work, sitting, kind="numeric")


def test_a_line_is_pointed_at() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        first = sitting.item.output_lines[0]
        await pilot.press("down", "down", "enter")
        assert answer(sitting) == first + 2
        assert f"Line {first + 2}:" in shown(app)
        number = sitting.number
        await pilot.press("enter")
        assert sitting.number != number or app.screen is not exam_of(app)

    at_exam(work, new_exam(), kind="point")


# Answering by mouse


def test_options_are_clicked() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        await pilot.click(ChosenArea, offset=(10, 2))
        assert answer(sitting) == [sitting.item.choices[2].id]
        await pilot.click(ChosenArea, offset=(10, 0))
        assert answer(sitting) == [sitting.item.choices[0].id]

    at_exam(work, new_exam(), kind="single")


def test_a_step_is_clicked_and_then_where_it_goes() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        before = [choice.id for choice in sitting.item.choices]
        await pilot.click(OrderedArea, offset=(10, 0))
        assert "(moving)" in shown(app)
        await pilot.click(OrderedArea, offset=(10, 3))
        assert answer(sitting) == [*before[1:], before[0]]
        assert "(moving)" not in shown(app)

    at_exam(work, new_exam(), kind="ordering")


def test_pairs_are_clicked_left_and_right() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        await pilot.click(Lefts, offset=(8, 2))
        await pilot.click(Rights, offset=(8, 1))
        assert answer(sitting) == {sitting.item.choices[2].id: sitting.item.rights[1].id}

    at_exam(work, new_exam(), kind="matching")


def test_a_line_is_clicked_but_not_one_that_was_typed() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        await pilot.click(ExhibitBox, offset=(20, sitting.item.typed[0]))
        assert answer(sitting) is None
        line = sitting.item.output_lines[2]
        await pilot.click(ExhibitBox, offset=(20, line))
        assert answer(sitting) == line

    at_exam(work, new_exam(), kind="point")


def test_the_overview_is_clicked() -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        await pilot.press("f3")
        assert isinstance(app.screen, ExamNavigator)
        await pilot.click(ExamGrid, offset=(CELL + 2, 1))
        await pilot.pause()
        assert sitting.number == app.size.width // CELL + 1 or sitting.number == 5

    at_exam(work, new_exam())


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
def test_every_kind_is_painted_in_ascii_and_says_how_it_is_answered(size: tuple[int, int]) -> None:
    async def work(app: Breakfix, sitting: Sitting, pilot: Pilot[Any]) -> None:
        for number, item in enumerate(sitting.attempt.items):
            await exam_of(app)._goto(number)
            await pilot.pause()
            painted = shown(app)
            assert painted.isascii(), item.kind
            assert how(item) in " ".join(painted.split()), item.kind
            assert "Enter" in painted.splitlines()[-1], item.kind

    at_exam(work, new_exam(labs=1), size, glyphs="ascii")
