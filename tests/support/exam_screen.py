"""An exam or a study session on the screen, for tests that press and click."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from textual.pilot import Pilot

from exams.answers import answer_data
from tests.support.exams import place_of
from tests.support.screens import at_home
from tui.app import Breakfix
from tui.live.exam import Sitting
from tui.screens.exam import ExamScreen
from tui.settings import Settings

SMALLEST = (80, 24)

Work = Callable[[Breakfix, Sitting, Pilot[Any]], Awaitable[None]]


def at_exam(
    work: Work,
    sitting: Sitting,
    size: tuple[int, int] = SMALLEST,
    kind: str | None = None,
    glyphs: Literal["unicode", "ascii"] = "unicode",
) -> None:
    """Do something in an exam, at the first item (of a kind)."""
    if kind is not None:
        sitting.goto(place_of(sitting, kind))

    async def run() -> None:
        app = Breakfix(settings=Settings(glyphs=glyphs, tour_seen=True))
        async with app.run_test(size=size, notifications=True) as pilot:
            await at_home(pilot)
            await app.open_sitting(sitting)
            await pilot.pause()
            await pilot.pause()
            await work(app, sitting, pilot)
            sitting.close()

    asyncio.run(run())


def exam_of(app: Breakfix) -> ExamScreen:
    assert isinstance(app.screen, ExamScreen)
    return app.screen


def answer(sitting: Sitting) -> Any:
    return answer_data(sitting.response.answer)
