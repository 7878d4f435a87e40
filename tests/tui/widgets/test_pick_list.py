"""The list to choose from: where the cursor goes, and what is drawn."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.app import ComposeResult
from textual.screen import Screen

from tests.support.frame import frame
from tui.actions import Acts
from tui.app import Breakfix
from tui.settings import Settings
from tui.widgets.pick_list import Line, PickList

LINES = [Line("One"), Line("first", "1", "a"), Line("second", "2", "b"), Line(""), Line("Two"), Line("third", "", "c")]


def test_the_cursor_stands_on_entries_only() -> None:
    found = PickList(LINES)
    assert found.line == LINES[1]
    seen = []
    for step in (1, 1, 1, -1, -9, 9):
        found.move(step)
        seen.append(found.line.id if found.line else None)
    assert seen == ["b", "c", "c", "b", "a", "c"]


def test_a_list_without_entries_has_no_cursor() -> None:
    found = PickList([Line("Nothing")])
    found.move(1)
    assert found.line is None


class _Stage(Screen[None], Acts):
    def compose(self) -> ComposeResult:
        yield PickList(LINES)


@pytest.mark.parametrize("width", [80, 100])
def test_lines_fill_the_width_and_are_cut_with_a_sign(
    width: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))

    async def run() -> None:
        app = Breakfix(settings=Settings(glyphs="ascii"))
        async with app.run_test(size=(width, 24)) as pilot:
            await app.push_screen(_Stage())
            found = app.screen.query_one(PickList)
            found.show([Line("x" * 300, "right", "a"), Line("日本" * 100, "", "b"), *LINES[1:3], *LINES[2:3] * 40])
            await pilot.pause()
            rows = frame(app)
            assert rows[0].startswith("> xxx")
            assert rows[0].rstrip("|oO ").endswith("~  right")
            assert all(cell_len(row) <= width for row in rows)
            assert all(character.isascii() for row in rows[:1] for character in row)
            await pilot.press("end")
            assert found.line == LINES[2]
            assert found.scroll_offset.y > 0
            await pilot.press("home")
            assert found.scroll_offset.y == 0

    asyncio.run(run())


def test_new_lines_keep_the_cursor_on_its_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))

    async def run() -> None:
        app = Breakfix(settings=Settings())
        async with app.run_test(size=(80, 24)):
            await app.push_screen(_Stage())
            found = app.screen.query_one(PickList)
            found.move_to("b")
            found.show(list(reversed(LINES)))
            assert found.line == LINES[2]
            found.show(LINES[:2])
            assert found.line == LINES[1]

    asyncio.run(run())
