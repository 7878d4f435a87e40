"""The screen after a fault of breakfix itself."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.support.frame import shown
from tests.support.screens import at_home
from tui.app import Breakfix, Crash
from tui.screens.crash import LINES_SHOWN, CrashScreen, last_lines

UNANSWERED = "nothing yet"


@pytest.fixture
def crash(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Crash:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    report = tmp_path / "report-1.txt"
    report.write_text("\n".join([*(f"frame {number}" for number in range(100)), "KeyError: '[gpu5]'"]) + "\n", "utf-8")
    return Crash("KeyError: '[gpu5]'", str(report))


def answer_to(crash: Crash, can_resume: bool, *keys: str, click: str | None = None) -> Any:
    """What the screen gives after these keys, or a click on this word of the footer."""

    async def run() -> Any:
        app = Breakfix()
        answers: list[Any] = []
        async with app.run_test(size=(80, 24)) as pilot:
            await at_home(pilot)
            await app.push_screen(CrashScreen(crash, can_resume), answers.append)
            await pilot.pause()
            if click is not None:
                row = shown(app).splitlines()[-1]
                await pilot.click(offset=(row.index(click), 23))
            await pilot.press(*keys)
            await pilot.pause()
            return answers[0] if answers else UNANSWERED

    return asyncio.run(run())


def test_it_says_what_happened_and_how_to_go_on(crash: Crash) -> None:
    async def run() -> None:
        app = Breakfix()
        async with app.run_test(size=(80, 24)) as pilot:
            await at_home(pilot)
            await app.push_screen(CrashScreen(crash, True))
            await pilot.pause()
            await pilot.pause()
            text = shown(app)
            assert "breakfix had a fault" in text and "Enter: take it up again" in text
            assert Path(crash.report).name in "".join(text.split())
            assert "KeyError: '[gpu5]'" in text  # the end of the report is in sight
            footer = text.splitlines()[-1]
            assert all(word in footer for word in ("Enter", "Take it up again", "Home", "Copy", "Quit"))

    asyncio.run(run())


def test_enter_takes_the_session_up_again(crash: Crash) -> None:
    assert answer_to(crash, True, "enter") == "resume"


def test_without_a_session_enter_goes_home_and_resuming_is_not_offered(crash: Crash) -> None:
    assert answer_to(crash, False, "enter") == "home"


@pytest.mark.parametrize("key", ["h", "escape"])
def test_home_by_key(crash: Crash, key: str) -> None:
    assert answer_to(crash, True, key) == "home"


def test_by_mouse(crash: Crash) -> None:
    assert answer_to(crash, True, click="Take it up") == "resume"
    assert answer_to(crash, True, click="Home") == "home"


def test_copying_takes_the_error_and_the_place_of_the_report(crash: Crash) -> None:
    async def run() -> None:
        app = Breakfix()
        async with app.run_test(size=(80, 24)) as pilot:
            await at_home(pilot)
            await app.push_screen(CrashScreen(crash, True))
            await pilot.press("c")
            assert crash.error in app.clipboard and crash.report in app.clipboard

    asyncio.run(run())


def test_quit_leaves_the_program(crash: Crash) -> None:
    async def run() -> None:
        app = Breakfix()
        async with app.run_test(size=(80, 24)) as pilot:
            await at_home(pilot)
            await app.push_screen(CrashScreen(crash, True))
            await pilot.press("q")
            await pilot.pause()
            assert not app.is_running

    asyncio.run(run())


def test_only_the_last_lines_are_shown(crash: Crash) -> None:
    lines = last_lines(crash).splitlines()
    assert len(lines) == LINES_SHOWN and lines[-1] == crash.error


def test_a_report_that_is_not_there_leaves_the_error(tmp_path: Path) -> None:
    assert last_lines(Crash("ValueError: x", str(tmp_path / "none.txt"))) == "ValueError: x"
    assert last_lines(Crash("ValueError: x", "")) == "ValueError: x"
