"""A hands-on item: its lab is opened, left, taken up again and handed in."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from exams.answers import answer_data
from tests.support.exams import Clocks, new_exam, place_of
from tests.support.frame import shown
from tests.support.screens import at_home
from tui.app import Breakfix
from tui.home_list import GO_ON, load_entries
from tui.live import exam
from tui.screens.exam import ExamScreen
from tui.screens.exam_lab import ExamLab
from tui.screens.exam_result import ExamResult
from tui.settings import Settings
from tui.store import saved_sessions


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    return tmp_path


async def until(pilot: Pilot[Any], screen: type) -> None:
    for _ in range(500):
        if isinstance(pilot.app.screen, screen):
            break
        await pilot.pause(0.02)
    assert isinstance(pilot.app.screen, screen)
    await pilot.pause()


def test_a_lab_is_left_taken_up_again_and_worth_its_goals_when_handed_in() -> None:
    sitting = new_exam(labs=1)
    sitting.goto(place_of(sitting, "hands-on"))

    async def run() -> None:
        app = Breakfix(settings=Settings(glyphs="unicode", tour_seen=True))
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            await at_home(pilot)
            await app.open_sitting(sitting)
            await pilot.pause()
            await pilot.press("enter")
            await until(pilot, ExamLab)
            screen = app.screen
            assert isinstance(screen, ExamLab)
            await screen.live.run_line(1, "echo been here")
            offered = {one.action.id for one in app.offers() if one.enabled}
            assert not offered & {"workspace.map", "workspace.alerts", "app.glossary"}, "not under an exam's rules"
            await pilot.press("ctrl+b", "q")
            await until(pilot, ExamScreen)
            assert answer_data(sitting.response.answer) is None
            await pilot.press("enter")
            await until(pilot, ExamLab)
            again = app.screen
            assert isinstance(again, ExamLab)
            assert again.live is screen.live
            await pilot.press("f9", "enter")
            await until(pilot, ExamScreen)
            assert answer_data(sitting.response.answer) == "0"
            assert "handed in" in shown(app)
            assert "Go on" in shown(app)
            assert saved_sessions("drill") == []
            sitting.close()

    asyncio.run(run())


def test_a_lab_that_was_under_way_when_the_program_ended_goes_on() -> None:
    sitting = new_exam(labs=1)
    sitting.goto(place_of(sitting, "hands-on"))

    async def run() -> None:
        app = Breakfix(settings=Settings(glyphs="unicode", tour_seen=True))
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            await at_home(pilot)
            await app.open_sitting(sitting)
            await pilot.pause()
            await pilot.press("enter")
            await until(pilot, ExamLab)
            screen = app.screen
            assert isinstance(screen, ExamLab)
            await screen.live.run_line(1, "echo been here")
            app.go_home()
            await pilot.pause()
            assert [entry.section for entry in load_entries(new_here=True)].count(GO_ON) == 1  # the lab is part of it
            await app.open_sitting(await exam.resume(saved_sessions("exam")[0]))
            await pilot.pause()
            await pilot.press("enter")
            await until(pilot, ExamLab)
            again = app.screen
            assert isinstance(again, ExamLab)
            assert [line.text for line in again.live.play.past[1].lines] == ["echo been here"]
            app.go_home()

    asyncio.run(run())


def test_a_lab_that_is_open_when_the_time_is_over_is_handed_in_as_it_stands() -> None:
    clocks = Clocks()
    sitting = new_exam(clocks, labs=1)
    number = place_of(sitting, "hands-on")
    sitting.goto(number)

    async def run() -> None:
        app = Breakfix(settings=Settings(glyphs="unicode", tour_seen=True))
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            await at_home(pilot)
            await app.open_sitting(sitting)
            await pilot.pause()
            exam_screen = app.screen
            assert isinstance(exam_screen, ExamScreen)
            await pilot.press("enter")
            await until(pilot, ExamLab)
            clocks.go((sitting.time_left or 0) / 1000 + 1)
            exam_screen._tick()
            await until(pilot, ExamResult)
            assert sitting.attempt.ended == "time"
            assert answer_data(sitting.attempt.responses[number].answer) == "0"
            assert "The time is over" in shown(app)
            assert saved_sessions() == []

    asyncio.run(run())
