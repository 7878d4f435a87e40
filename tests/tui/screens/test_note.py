"""The dialog for a note."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import TextArea

from tests.support.drills import SIZES, Played, play
from tui.screens.note import NoteDialog


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


@pytest.mark.parametrize("size", SIZES)
def test_a_note_is_kept_with_enter(size: tuple[int, int]) -> None:
    async def act(played: Played[str]) -> None:
        await played.open(NoteDialog(played.live))
        await played.type("gpu4 [lost]")
        await played.press("enter")
        assert [entry.text for entry in played.live.notes] == ["gpu4 [lost]"]
        assert played.results == ["Noted."]

    play(act, size=size)


def test_the_field_is_one_line_that_grows_and_says_what_enter_does() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(NoteDialog(played.live))
        assert "Enter writes it down" in played.screen
        field = played.app.screen.query_one(TextArea)
        heights = [field.size.height]
        for _ in range(4):
            await played.paste("gpu4 has left the bus, and so on; ")
            heights.append(field.size.height)
        assert heights[0] == 1
        assert heights == sorted(heights)
        assert heights[-1] == 3
        await played.paste("since\n10:00")
        await played.press("enter")
        assert played.live.notes[0].text.endswith("since 10:00")

    play(act)


def test_letters_typed_just_before_enter_are_kept() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(NoteDialog(played.live))
        await played.at_once("gpu4 lost", "enter")
        assert [entry.text for entry in played.live.notes] == ["gpu4 lost"]

    play(act)


def test_a_note_is_kept_with_the_button() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(NoteDialog(played.live))
        await played.type("x")
        await played.click("#keep")
        assert [entry.text for entry in played.live.notes] == ["x"]

    play(act)


def test_an_empty_note_is_none() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(NoteDialog(played.live))
        await played.press("space", "enter")
        assert "Nothing is written yet." in played.screen
        assert played.live.notes == []
        await played.press("tab", "tab", "enter")
        assert played.results == [None]

    play(act)


def test_a_note_is_not_thrown_away_by_one_escape() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(NoteDialog(played.live))
        await played.paste("a long note")
        await played.press("escape")
        assert played.results == []
        assert "Once more Back throws it away." in played.screen
        assert "a long note" in played.screen
        await played.press("escape")
        assert played.results == [None]

    play(act)


def test_earlier_notes_are_shown() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(NoteDialog(played.live))
        assert "10:00:00 dgx-01 looks odd" in played.screen

    play(act, moves=[":note dgx-01 looks odd"])
