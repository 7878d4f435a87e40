"""The diagnosis dialog: by keyboard alone, by mouse alone, and what it says when something is wrong."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from textual.app import ComposeResult
from textual.widgets import OptionList, Static

from tests.support.drills import SIZES, Played, play
from tui.live.live import Live
from tui.screens.diagnosis import DiagnosisDialog, first_of
from tui.widgets.dialog import Dialog
from tui.widgets.finder import Finder
from tui.widgets.rows import Row


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


def given(played: Played[str]) -> list[tuple[str, ...]]:
    return [entry.words for entry in played.live.diagnoses]


@pytest.mark.parametrize("size", SIZES)
def test_all_of_it_is_there_at_every_size(size: tuple[int, int]) -> None:
    async def act(played: Played[str]) -> None:
        await played.open(DiagnosisDialog(played.live))
        causes = f"{len(played.live.session.vocabulary)} in all"
        for text in ("What is broken?", "What is wrong?", causes, "Give diagnosis", "Pick on the map", "Back"):
            assert text in played.screen
        assert "◆ 1 0 GPUs [lost]" in played.screen
        assert "The first diagnosis counts; each further one costs 10 points." in played.screen

    play(act, size=size, moves=["echo '0 GPUs [lost]'", ":pin [lost]"])


def test_by_keyboard_alone() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(DiagnosisDialog(played.live))
        await played.type("dgx-01/gpu4")
        await played.press("enter")
        await played.type("falls off")
        assert f"1 of {len(played.live.session.vocabulary)} match" in played.screen
        await played.press("enter", "enter")
        assert given(played) == [("dgx-01/gpu4", "gpu.fell_off_bus")]
        assert played.results == ["Diagnosis: dgx-01/gpu4, A GPU falls off the PCIe bus."]

    play(act)


def test_arrows_choose_from_the_list() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(DiagnosisDialog(played.live))
        await played.paste("leaf")
        await played.press("down", "down", "enter")
        assert played.app.screen.query_one("#component", Finder).value == "leaf-02"

    play(act)


def test_enter_in_an_empty_field_chooses_nothing() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(DiagnosisDialog(played.live))
        await played.press("enter", "enter")
        assert played.app.screen.query_one("#component", Finder).value == ""
        assert given(played) == []

    play(act)


async def click_on(played: Played[Any], finder: str, text: str) -> None:
    """Click on a line of a list."""
    choices = played.app.screen.query_one(f"{finder} OptionList", OptionList)
    rows = [str(option.prompt) for option in choices.options]
    row = next(number for number, shown in enumerate(rows) if text in shown)
    choices.scroll_to(y=row, animate=False, force=True, immediate=True)
    await played.settle()
    await played.click(f"{finder} OptionList", (4, row - round(choices.scroll_y)))


def test_by_mouse_alone() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(DiagnosisDialog(played.live))
        await click_on(played, "#component", "dgx-02/")
        await click_on(played, "#component", "back to all machines")
        await click_on(played, "#component", "dgx-01/")
        await click_on(played, "#component", "dgx-01/gpu4")
        await click_on(played, "#cause", "fan module")
        await click_on(played, "#cause", "PCIe")
        await played.click("#give")
        assert given(played) == [("dgx-01/gpu4", "gpu.fell_off_bus")]

    play(act)


def test_nothing_is_broken_fills_in_the_other_field() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(DiagnosisDialog(played.live))
        await played.paste("none")
        await played.press("enter", "enter", "enter")
        assert given(played) == [("none", "nothing-broken")]
        assert played.results == ["Diagnosis: Nothing is broken."]

    play(act, name="all-quiet")


def test_what_is_wrong_is_said_inside_and_nothing_is_lost() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(DiagnosisDialog(played.live))
        await played.paste("dgx-01/gpu9")
        await played.press("tab")
        await played.paste("falls")
        await played.press("enter", "enter")
        wrong = str(played.app.screen.query_one("#wrong", Static).content)
        assert 'unknown component "dgx-01/gpu9"' in wrong
        assert wrong.split(";", maxsplit=1)[0] in played.screen
        assert played.app.screen.query_one("#component", Finder).value == "dgx-01/gpu9"
        assert played.results == []
        assert given(played) == []

    play(act)


def test_half_a_diagnosis_is_not_given() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(DiagnosisDialog(played.live))
        await played.click("#give")
        assert "Say what is broken." in played.screen
        await played.paste("dgx-01")
        assert "Say what is broken." not in played.screen
        assert given(played) == []

    play(act)


def test_earlier_diagnoses_and_their_price_are_told() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(DiagnosisDialog(played.live))
        assert "dgx-02, A fan module stops (this one earns" in played.screen
        assert "costs 10 points." in played.screen
        await played.press("escape")
        assert played.results == [None]

    play(act, moves=[":diagnose component=dgx-02 cause=cooling.fan_failed"])


def test_a_piece_of_a_parts_name_finds_it_on_every_machine() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(DiagnosisDialog(played.live))
        await played.paste("fan8")
        assert "dgx-01/fan8" in played.screen
        await played.press("down", "enter")
        assert played.app.screen.query_one("#component", Finder).value == "dgx-02/fan8"

    play(act)


def test_enter_on_a_text_that_fits_nothing_stays_and_says_so() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(DiagnosisDialog(played.live))
        await played.paste("fan99")
        await played.press("enter")
        assert 'Nothing here fits "fan99".' in played.screen
        assert played.app.screen.focused is played.app.screen.query_one("#component Input")
        await played.type("x")
        assert "Nothing here fits" not in played.screen

    play(act)


def test_keys_pressed_faster_than_anything_is_drawn_are_kept_in_order() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(DiagnosisDialog(played.live))
        await played.at_once("leaf", "down", "down", "enter", "falls off", "enter")
        assert played.app.screen.query_one("#component", Finder).value == "leaf-02"
        assert played.app.screen.query_one("#cause", Finder).value == "gpu.fell_off_bus"
        await played.at_once("enter", "enter", "enter")
        assert given(played) == [("leaf-02", "gpu.fell_off_bus")]

    play(act)


@pytest.mark.parametrize("size", SIZES)
def test_pins_use_the_room_and_the_rest_is_counted(size: tuple[int, int]) -> None:
    async def act(played: Played[str]) -> None:
        await played.open(DiagnosisDialog(played.live))
        most = min(size[1], 32) // 4
        assert all(f"◆ {number} " in played.screen for number in range(1, most))
        assert f"and {13 - most} more" in played.screen
        assert "Give diagnosis" in played.screen

    play(act, size=size, moves=[move for number in range(12) for move in (f"echo n{number}", f":pin n{number}")])


def test_few_pins_are_all_there() -> None:
    assert first_of([Row("a"), Row("b")], 2) == [Row("a"), Row("b")]
    assert [row.text for row in first_of([Row("a"), Row("b"), Row("c")], 2)] == ["a", "and 2 more"]


class FakeMap(Dialog[str]):
    """Gives a component at once."""

    def __init__(self, live: Live, pick: bool = False) -> None:
        super().__init__()
        self.picks = pick

    def content(self) -> ComposeResult:
        yield Static("the map")

    def on_mount(self) -> None:
        self.dismiss("dgx-03/fan2" if self.picks else None)


def test_a_component_picked_on_the_map_stands_in_the_field(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("tui.screens.map")
    module.__dict__["MapScreen"] = FakeMap
    monkeypatch.setitem(sys.modules, "tui.screens.map", module)

    async def act(played: Played[str]) -> None:
        await played.open(DiagnosisDialog(played.live))
        await played.press("f2")
        assert played.app.screen.query_one("#component", Finder).value == "dgx-03/fan2"

    play(act)


def test_ascii_lists_are_ascii() -> None:
    async def act(played: Played[str]) -> None:
        await played.open(DiagnosisDialog(played.live))
        await played.paste("dgx-01/gpu4")
        row = next(line for line in played.screen.splitlines() if "* dgx-01/gpu4" in line)
        assert "o dgx-01/gpu5" in played.screen
        assert row

    play(act, glyphs="ascii", size=(120, 36))
