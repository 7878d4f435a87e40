"""The result of an exam, and looking at its items again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from exams.answers import Pointed
from exams.report import Report, report
from tests.exams import bank
from tests.support.exams import SOURCE, handed_in
from tests.support.frame import shown
from tests.support.screens import at_home
from tui.app import Breakfix
from tui.paths import item_reports_folder, transcripts_folder
from tui.screens.exam_lab import ExamCluster
from tui.screens.exam_result import ExamResult
from tui.screens.exam_review import ExamReview
from tui.screens.home import Home
from tui.settings import Settings
from tui.widgets.exam_exhibit import ExhibitBox


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    return tmp_path


Work = Callable[[Breakfix, Report, Pilot[Any]], Awaitable[None]]


def at_result(work: Work, size: tuple[int, int] = (80, 24)) -> None:
    found = report(handed_in().attempt)

    async def run() -> None:
        app = Breakfix(settings=Settings(glyphs="unicode", tour_seen=True))
        async with app.run_test(size=size, notifications=True) as pilot:
            await at_home(pilot)
            await app.push_screen(ExamResult(found, SOURCE))
            await pilot.pause()
            await work(app, found, pilot)

    asyncio.run(run())


def test_it_tells_totals_domains_and_how_sure_that_is() -> None:
    async def work(app: Breakfix, found: Report, pilot: Pilot[Any]) -> None:
        painted = " ".join(shown(app).split())
        for piece in (
            "2 of 10 points, 20 %",
            "Seeing what is there",
            "60 % of the exam",
            "too few to tell",
            "are missing.",
        ):
            assert piece in painted, piece

    at_result(work, (80, 60))


def test_it_is_saved_as_a_page_and_says_where() -> None:
    async def work(app: Breakfix, found: Report, pilot: Pilot[Any]) -> None:
        await pilot.press("s", "s")
        await pilot.pause()
        pages = sorted(transcripts_folder().glob("*.html"))
        assert len(pages) == 2
        assert "A small exam" in pages[0].read_text()
        assert "Saved as" in shown(app)

    at_result(work)


def test_items_are_looked_at_again_by_what_came_of_them_and_by_domain() -> None:
    async def work(app: Breakfix, found: Report, pilot: Pilot[Any]) -> None:
        await pilot.press("w")
        await pilot.pause()
        review = app.screen
        assert isinstance(review, ExamReview)
        assert review.line == found.select("wrong")[0]
        await pilot.press("f")
        assert "flagged ones: 1 of 1" in shown(app)
        assert review.line is not None
        assert review.line.number == 3
        await pilot.press("u")
        assert "unsure ones: none" in shown(app)
        await pilot.press("a", "d", "d")
        assert f"all items: 1 of {len(found.select('all', 'doing'))}" in shown(app)
        assert "Doing things in order" in shown(app)
        await pilot.press("d", "n", "right", "p")
        assert "all items: " in shown(app)
        assert review.domain is None
        await pilot.press("escape", "escape")
        await pilot.pause()
        assert isinstance(app.screen, Home)

    at_result(work)


def test_every_item_is_explained_with_its_sources() -> None:
    async def work(app: Breakfix, found: Report, pilot: Pilot[Any]) -> None:
        await pilot.press("a")
        for line in found.lines:
            await pilot.pause()
            item, painted = found.attempt.items[line.number - 1], " ".join(shown(app).split())
            for choice in item.choices:
                assert choice.because in painted, item.item
            assert item.because in painted
            assert f"Source: {item.sources[0].title}" in painted
            await pilot.press("n")

    at_result(work, (100, 60))


def test_the_right_line_of_an_exhibit_is_marked_and_scrolled_to() -> None:
    async def work(app: Breakfix, found: Report, pilot: Pilot[Any]) -> None:
        await pilot.press("a")
        review = app.screen
        assert isinstance(review, ExamReview)
        attempt = found.attempt
        number = next(number for number, item in enumerate(attempt.items) if item.kind == "point")
        item = attempt.items[number]
        longer = (*item.exhibit, *(f"line {n}" for n in range(60)))
        pointed = replace(item, exhibit=longer, lines=(len(longer) - 3,))
        found = replace(found, attempt=copy(attempt))
        found.attempt.items = [*attempt.items[:number], pointed, *attempt.items[number + 1 :]]
        found.attempt.responses = list(attempt.responses)
        found.attempt.responses[number] = replace(attempt.responses[number], answer=Pointed(len(longer) - 4))
        review.found = found
        await review._go(number)
        for _ in range(100):
            if "✓ line 56" in shown(app):
                break
            await pilot.pause(0.02)
        painted = shown(app)
        assert "✓ line 56" in painted
        assert "✗ line 55" in painted
        assert review.query_one(ExhibitBox).scroll_offset.y > 0

    at_result(work)


def test_an_item_is_reported_in_a_file() -> None:
    async def work(app: Breakfix, found: Report, pilot: Pilot[Any]) -> None:
        await pilot.press("a", "r", *"odd [one]", "enter")
        await pilot.pause()
        item = found.attempt.items[0]
        text = (item_reports_folder() / f"{item.item}.txt").read_text()
        assert text.startswith("odd [one]\n")
        assert item.uuid in text
        assert f'"seed": {item.seed}' in text
        await pilot.press("r", "escape")
        assert len(list(item_reports_folder().iterdir())) == 1

    at_result(work)


def test_the_exhibits_cluster_is_opened_and_left() -> None:
    async def work(app: Breakfix, found: Report, pilot: Pilot[Any]) -> None:
        await pilot.press("a")
        review = app.screen
        assert isinstance(review, ExamReview)
        place = next(place for place, line in enumerate(review.lines) if line.item == "idle-node")
        await review._go(place)
        await pilot.press("o")
        for _ in range(200):
            if isinstance(app.screen, ExamCluster) and "$" in shown(app):
                break
            await pilot.pause(0.02)
        assert "alex@head-01" in shown(app)
        assert bank.course().item("idle-node").exhibit is not None
        await pilot.press("ctrl+b", "q")
        await pilot.pause()
        assert app.screen is review

    at_result(work)
