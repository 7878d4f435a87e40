"""The dialog for handing in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.drills import SIZES, Played, play
from tui.screens.submit import SubmitDialog


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


@pytest.mark.parametrize("size", SIZES)
def test_what_is_open_is_told_and_nothing_is_handed_in(size: tuple[int, int]) -> None:
    async def act(played: Played[bool]) -> None:
        await played.open(SubmitDialog(played.live))
        assert "open  No diagnosis was given" in played.screen
        assert "open  No evidence is pinned" in played.screen
        assert "open  Nothing is written down" in played.screen
        assert "open  1 order still under way in the machine room, until 10:20:00" in played.screen
        await played.press("escape")
        assert played.results == [None]
        assert not played.live.over

    play(act, size=size, moves=[":hands clean-filter target=dgx-02"])


async def until_closed(played: Played[bool]) -> None:
    for _ in range(200):
        if played.results:
            return
        await played.pilot.pause(0.02)


def test_handing_in_scores() -> None:
    async def act(played: Played[bool]) -> None:
        await played.open(SubmitDialog(played.live))
        assert "done  Your diagnosis: dgx-01/gpu4, A GPU falls off the PCIe bus" in played.screen
        assert f"done  {len(played.live.pins)} lines pinned as evidence" in played.screen
        assert "open" not in played.screen
        await played.pilot.press("enter")
        await until_closed(played)
        assert played.results == [True]
        assert played.live.over
        assert played.live.result is not None
        assert played.live.result.passed

    play(act, lines=None)


def test_while_it_is_worked_out_the_dialog_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    async def act(played: Played[bool]) -> None:
        async def broken() -> None:
            await played.press("escape")
            told.append(played.screen)
            raise OSError("no more memory")

        told: list[str] = []
        monkeypatch.setattr(played.live, "submit", broken)
        await played.open(SubmitDialog(played.live))
        await played.click("#hand-in")
        while not told:
            await played.settle()
        await played.settle()
        assert "Working it out ..." in told[0]
        assert played.results == []
        assert "The score could not be worked out." in played.screen
        assert "What you did is kept; try again." in played.screen

    play(act)
