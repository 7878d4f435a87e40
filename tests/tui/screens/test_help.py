"""Help: what it says where it was asked for, searching, scrolling, and the way back."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

from tests.support.frame import shown
from tui.actions import Acts, Offer, action
from tui.app import Breakfix
from tui.help_text import HelpLine, Section, searched, sections, told_lines
from tui.keymap import Keymap
from tui.screens.help import Help
from tui.screens.home import Home
from tui.settings import Settings


@pytest.fixture(autouse=True)
def home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    return tmp_path


class Terminal(Widget, Acts, can_focus=True):
    """Stands for a terminal: its actions have the terminal's scope."""

    can_paste = False

    @action("terminal.copy", "Copy", "prefix y")
    def copy(self) -> None:
        """Copy what [is] selected."""

    @action("terminal.paste", "Paste", "prefix P", when="can_paste")
    def paste(self) -> None:
        """Paste."""


class Stage(Screen[None], Acts):
    ABOUT = ("The stage", "What one does [here].\n\n- **First** this\n  and that\n- then `that`")

    def compose(self) -> ComposeResult:
        yield Terminal()


def titles(found: list[Section]) -> list[str]:
    return [one.title for one in found]


def of_terminal() -> list[Section]:
    node = Terminal()
    return sections([Offer(one, node) for one in Terminal.actions()], [], Keymap())


# What it says


def test_a_text_is_told_in_paragraphs_and_bullets() -> None:
    assert list(told_lines(Stage.ABOUT[1])) == [
        HelpLine("What one does [here]."),
        HelpLine("First this and that", bullet=True),
        HelpLine("then that", bullet=True),
    ]


def test_actions_stand_with_all_their_keys_under_their_scope_and_only_if_they_can_be_done() -> None:
    found = of_terminal()
    assert found[0] == Section("The terminal", (HelpLine("Copy: Copy what [is] selected.", "^B y"),))


def test_the_keys_of_the_line_editor_come_where_a_terminal_has_the_focus() -> None:
    editing = next(one for one in of_terminal() if one.title == "Editing a line")
    assert any("history" in line.text.lower() for line in editing.lines)
    assert "Editing a line" not in titles(sections([], [], Keymap()))


def test_prefix_and_mouse_are_always_explained() -> None:
    found = sections([], [("Here", "text")], Keymap(prefix="ctrl+a"))
    assert titles(found) == ["Here", "The prefix key ^A", "The mouse"]
    assert "^A is Ctrl and A together" in found[1].lines[0].text


def test_searching_leaves_the_lines_with_all_words_and_whole_sections_of_that_title() -> None:
    found = [
        Section("Keys", (HelpLine("Copy: text", "^B y"), HelpLine("Paste: text", "^B P"))),
        Section("Mouse", (HelpLine("click"), HelpLine("wheel"))),
    ]
    assert list(searched(found, "TEXT copy")) == [Section("Keys", (found[0].lines[0],))]
    assert list(searched(found, "mouse")) == [found[1]]
    assert list(searched(found, "^b")) == [found[0]]
    assert list(searched(found, "nothing")) == []
    assert list(searched(found, "")) == found


# The screen


def on_stage(work: Callable[[Breakfix, Pilot[Any]], Awaitable[None]], size: tuple[int, int] = (80, 24)) -> None:
    async def run() -> None:
        app = Breakfix(settings=Settings())
        async with app.run_test(size=size) as pilot:
            await app.push_screen(Stage())
            app.screen.query_one(Terminal).focus()
            await pilot.press("f1")
            await pilot.pause()
            assert isinstance(app.screen, Help)
            await work(app, pilot)

    asyncio.run(run())


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
def test_what_has_the_focus_comes_first(size: tuple[int, int]) -> None:
    async def work(app: Breakfix, pilot: Pilot[Any]) -> None:
        painted = shown(app)
        assert "The stage" in painted
        assert "What one does [here]." in painted
        assert "Copy what [is] selected." in painted
        assert painted.index("The stage") < painted.index("Copy: Copy")
        assert "Paste: Paste." not in painted

    on_stage(work, size)


def test_typing_searches_and_keys_scroll() -> None:
    async def work(app: Breakfix, pilot: Pilot[Any]) -> None:
        first = shown(app)
        await pilot.press("pagedown")
        assert "What one does" not in shown(app)
        await pilot.press("pageup", "down", "up")
        assert shown(app) == first
        await pilot.press(*"mouse")
        assert "The wheel scrolls" in shown(app)
        assert "What one does" not in shown(app)
        await pilot.press(*"qqq")
        assert "Nothing here fits" in shown(app)

    on_stage(work)


@pytest.mark.parametrize("keys", [["f1"], ["escape"], ["ctrl+b", "?"]])
def test_the_keys_that_open_it_close_it(keys: list[str]) -> None:
    async def work(app: Breakfix, pilot: Pilot[Any]) -> None:
        await pilot.press(*keys)
        assert isinstance(app.screen, Stage)

    on_stage(work)


def test_home_has_help() -> None:
    async def run() -> None:
        app = Breakfix(settings=Settings())
        async with app.run_test(size=(80, 24)) as pilot:
            while not app.screen_stack or not isinstance(app.screen, Home):
                await pilot.pause(0.02)
            await pilot.press("f1")
            await pilot.pause()
            assert "something in a cluster is broken" in shown(app)

    asyncio.run(run())
