"""The dialog for work in the machine room."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.drills import SIZES, Played, play
from tui.screens.hands import HandsDialog


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


def ordered(played: Played[str]) -> list[tuple[str, ...]]:
    return [entry.words for entry in played.live.orders]


@pytest.mark.parametrize("size", SIZES)
def test_every_action_is_there(size: tuple[int, int]) -> None:
    async def act(played: Played[str]) -> None:
        await played.open(HandsDialog(played.live))
        for text in (
            "Clean a node's inlet filter (node)",
            "clean-filter",
            "Order it",
            "No work is ordered yet.",
        ):
            assert text in played.screen

    play(act, size=size)


def test_an_order_by_keyboard() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(HandsDialog(played.live))
        await played.paste("spare")
        await played.press("enter")
        assert "Takes 10m" in played.screen
        await played.paste("dgx-01/gpu4")
        await played.press("enter", "enter")
        assert ordered(played) == [("replace", "dgx-01/gpu4")]
        assert played.results == ["Order 1: replace dgx-01/gpu4, done at about 11:20:00."]

    play(act)


def test_an_order_by_mouse() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(HandsDialog(played.live))
        await played.click("#action OptionList", (4, 1))
        await played.click("#target OptionList", (4, 1))
        await played.click("#order")
        assert ordered(played) == [("clean-filter", "dgx-01")]

    play(act)


def test_what_cannot_be_done_is_said_inside() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(HandsDialog(played.live))
        await played.click("#order")
        assert "Say what to do." in played.screen
        await played.paste("reseat")
        await played.press("enter")
        await played.paste("dgx-01/fan1")
        await played.press("enter")
        assert 'Nothing here fits "dgx-01/fan1".' in played.screen
        await played.click("#order")
        assert "reseat cannot be done to that" in played.screen
        assert ordered(played) == []

    play(act)


def test_an_order_typed_without_a_pause() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(HandsDialog(played.live))
        await played.at_once("reseat", "enter", "dgx-01/gpu4", "enter", "enter")
        assert ordered(played) == [("reseat", "dgx-01/gpu4")]
        assert len(played.results) == 1

    play(act)


def test_open_orders_are_shown_with_when_they_are_due() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(HandsDialog(played.live))
        assert "order 1: clean-filter dgx-02, under way, due 10:20:00" in played.screen

    play(act, moves=[":hands clean-filter target=dgx-02"])
