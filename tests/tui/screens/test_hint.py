"""The dialog for hints: nothing is taken without asking."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.drills import SIZES, Played, play
from tui.screens.hint import HintDialog


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


def test_looking_takes_nothing() -> None:
    async def act(played: Played[None]) -> None:
        await played.open(HintDialog(played.live))
        assert "0 of 3 taken" in played.screen
        assert "Take the next one: 3 points" in played.screen
        await played.press("escape")
        assert played.live.hints_taken == []
        assert played.results == [None]

    play(act)


@pytest.mark.parametrize("size", SIZES)
def test_hints_are_taken_one_by_one_and_stay(size: tuple[int, int]) -> None:
    async def act(played: Played[None]) -> None:
        await played.open(HintDialog(played.live))
        await played.press("t")
        assert "NCCL errors" in played.screen
        assert "Take the next one: 5 points" in played.screen
        await played.click("#take")
        await played.press("t", "t")
        assert len(played.live.hints_taken) == 3
        assert "No more hints" in played.screen
        await played.press("enter")
        assert played.results == [None]

    play(act, size=size)
