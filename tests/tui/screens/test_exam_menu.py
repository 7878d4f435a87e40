"""The menu of an exam: what it says, what can be chosen, what it begins."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from exams import catalogue
from exams.catalogue import packaged
from exams.paper import Terms, Told
from exams.progress import outcomes
from tests.support.exams import SOURCE, Clocks, handed_in, new_exam, right
from tests.support.frame import shown
from tests.support.screens import at_home
from tui.app import Breakfix
from tui.exam_history import remember
from tui.live.exam import Sitting, begin_exam
from tui.look.glyphs import UNICODE
from tui.screens.exam import ExamScreen
from tui.screens.exam_menu import ExamMenu
from tui.screens.exam_result import ExamResult
from tui.screens.exam_start import ExamStart
from tui.screens.home import Home
from tui.settings import Settings
from tui.store import saved_sessions
from tui.widgets.exam_told import result_head, result_rows
from tui.widgets.pick_list import PickList

ITEM = packaged("nca-aiio").items[0].uuid


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    return tmp_path


Work = Callable[[Breakfix, ExamMenu, Pilot[Any]], Awaitable[None]]


def at_menu(work: Work, size: tuple[int, int] = (80, 24), source: str = SOURCE) -> None:
    async def run() -> None:
        app = Breakfix(settings=Settings(glyphs="unicode", tour_seen=True))
        async with app.run_test(size=size, notifications=True) as pilot:
            await at_home(pilot)
            await app.open_exam_menu(source)
            menu = app.screen
            assert isinstance(menu, ExamMenu)
            while menu.choices is None:
                await pilot.pause(0.02)
            await pilot.pause()
            await work(app, menu, pilot)

    asyncio.run(run())


async def opened(app: Breakfix, pilot: Pilot[Any]) -> ExamScreen:
    """The exam, once it is there."""
    for _ in range(200):
        if isinstance(app.screen, ExamScreen) and app.screen.sitting.attempt.items:
            return app.screen
        await pilot.pause(0.02)
    raise AssertionError(f"no exam was opened:\n{shown(app)}")


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_it_says_what_the_exam_is_and_that_no_pass_mark_is_published(size: tuple[int, int]) -> None:
    async def work(app: Breakfix, menu: ExamMenu, pilot: Pilot[Any]) -> None:
        painted = " ".join(shown(app).split())
        for piece in ("SMALL", "12 items in 24 minutes", "No pass mark is published", "Begin the exam"):
            assert piece in painted, piece

    at_menu(work, size)


def test_what_is_chosen_counts_in_the_exam_that_begins() -> None:
    async def work(app: Breakfix, menu: ExamMenu, pilot: Pilot[Any]) -> None:
        await pilot.press("down", *"123", "backspace", "backspace")
        assert "1 items" in shown(app)
        assert "Enter Change" in shown(app)
        await pilot.press("right", "right")
        assert "10 items, 10 min" in shown(app)
        await pilot.press("down", "right", "down", "enter", "down", *"77", "home", "enter")
        sitting = (await opened(app, pilot)).sitting
        paper = sitting.attempt.paper
        assert (paper.seed, paper.extra, paper.assigned) == (77, 10, True)
        assert all(item.kind != "hands-on" for item in paper.items)
        assert "Getting ready" not in shown(app)
        sitting.close()

    at_menu(work)


def test_study_begins_with_the_items_that_were_asked_for() -> None:
    async def work(app: Breakfix, menu: ExamMenu, pilot: Pilot[Any]) -> None:
        menu.query_one(PickList).move_to("domain")
        await pilot.press("right")
        assert "Seeing what is there" in shown(app)
        menu.query_one(PickList).move_to("study")
        await pilot.press("enter")
        sitting = (await opened(app, pilot)).sitting
        domains = {sitting.course.item(id).domain for id in sitting.queue}
        assert domains == {"seeing"}
        sitting.close()

    at_menu(work)


def test_what_there_is_not_is_told() -> None:
    async def work(app: Breakfix, menu: ExamMenu, pilot: Pilot[Any]) -> None:
        menu.query_one(PickList).move_to("which")
        await pilot.press("right", "right")
        assert "none of that kind" in shown(app)
        menu.query_one(PickList).move_to("study")
        await pilot.press("enter")
        await pilot.pause(0.1)
        assert "no items of that kind" in shown(app)
        assert app.screen is menu

    at_menu(work)


def test_past_results_are_shown_again() -> None:
    sitting = new_exam()
    sitting.answer(right(sitting.item))
    sitting.finish()

    async def work(app: Breakfix, menu: ExamMenu, pilot: Pilot[Any]) -> None:
        await pilot.press("end")
        assert "Exam  1 of 9 points, 11 %" in shown(app)
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(app.screen, ExamResult)
        assert "1 of 9 points" in shown(app)
        assert "seed 3" in shown(app).splitlines()[0]

    at_menu(work)


def test_the_page_before_an_exam_tells_its_rules_and_enter_begins_it() -> None:
    terms, clocks = Terms(count=4, labs=0, extra=50), Clocks()

    def begin(told: Told) -> Coroutine[Any, Any, Sitting]:
        clocks.go(100)
        return begin_exam(SOURCE, 5, terms, fresh=False, told=told, wall=clocks.wall())

    async def run() -> None:
        app = Breakfix(settings=Settings(glyphs="unicode", tour_seen=True))
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            await at_home(pilot)
            await app.push_screen(ExamStart(catalogue.find(SOURCE), terms, 5, begin))
            await pilot.pause()
            painted = shown(app)
            for piece in ("SMALL", "4 items, about 6 min", "The paper of seed 5", "Nothing is told", "Enter Begin"):
                assert piece in painted, piece
            assert saved_sessions() == []
            await pilot.press("enter")
            sitting = (await opened(app, pilot)).sitting
            assert (len(sitting.attempt.items), sitting.attempt.spent) == (4, 0)
            assert sitting.time_left == 6 * 60_000
            sitting.close()

    asyncio.run(run())


def test_only_a_paper_that_its_seed_gives_is_said_to_be_had_again() -> None:
    first = new_exam()
    assert first.again is not None
    assert first.again.endswith("--seed 3 --labs 0")
    first.answer(right(first.item))
    first.finish()
    second = new_exam()
    assert second.again == ""
    head, rows = result_head(second.finish(), ""), result_rows(second.finish(), UNICODE, "")
    assert "drawn from unseen items, seed 3" in head[0].text
    assert any("the seed alone does not give" in row.text for row in rows)
    assert any(first.again in row.text for row in result_rows(first.finish(), UNICODE, first.again))


def test_a_file_that_is_not_there_is_told_and_escape_leads_home() -> None:
    async def run() -> None:
        app = Breakfix(settings=Settings(glyphs="unicode", tour_seen=True))
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            await at_home(pilot)
            await app.open_exam_menu("/nowhere/exam.yaml")
            for _ in range(100):
                if "cannot be read" in shown(app):
                    break
                await pilot.pause(0.02)
            assert "cannot be read" in shown(app)
            await pilot.press("escape")
            assert isinstance(app.screen, Home)

    asyncio.run(run())


def test_home_leads_to_the_menu_and_to_todays_review() -> None:
    late = [replace(one, blueprint="nca-aiio", uuid=ITEM, at=1000) for one in outcomes(handed_in().attempt, 1000)[:1]]
    remember(late)

    async def run() -> None:
        app = Breakfix(settings=Settings(glyphs="unicode", tour_seen=True))
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            await at_home(pilot)
            screen = app.screen
            assert isinstance(screen, Home)
            while screen.entries is None:
                await pilot.pause(0.02)
            await pilot.pause()
            assert "Today's review" in shown(app)
            screen.query_one(PickList).move_to("exam nca-aiio")
            await pilot.press("enter")
            for _ in range(200):
                if isinstance(app.screen, ExamMenu):
                    break
                await pilot.pause(0.02)
            await pilot.press("escape")
            await pilot.pause()
            screen = app.screen
            assert isinstance(screen, Home)
            while screen.entries is None:
                await pilot.pause(0.02)
            await pilot.pause()
            screen.query_one(PickList).move_to("review nca-aiio")
            await pilot.press("enter")
            sitting = (await opened(app, pilot)).sitting
            assert sitting.item.uuid == ITEM
            assert sitting.count == 6  # the one that is due, and five new ones
            sitting.close()

    asyncio.run(run())
