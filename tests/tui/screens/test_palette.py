"""The menu of everything: what fits best stands first, also by words that stand nowhere in it."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
from textual.dom import DOMNode
from textual.pilot import Pilot
from textual.widgets import Input, OptionList

from tests.support.frame import shown
from tests.support.screens import at_home
from tui.actions import Action, Offer, every_action
from tui.app import Breakfix
from tui.live import sandbox
from tui.opening import Opening
from tui.screens.home import Home
from tui.screens.palette import rank, usual_first
from tui.screens.workspace import Workspace
from tui.settings import Settings


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


def best(query: str, *scopes: str) -> list[str]:
    """Titles of the actions that fit, the best first."""
    fitting = [one for one in every_action() if one.id.partition(".")[0] in scopes and rank(one, query) > 0]
    return [one.title for one in sorted(fitting, key=lambda one: rank(one, query), reverse=True)]


def of(title: str, doc: str) -> Action:
    return Action("some.thing", title, doc, (), "do")


def test_titles_go_before_the_beginning_of_the_help_and_that_before_the_rest() -> None:
    fits = [
        of("Load", "Nothing."),
        of("Load more", "Nothing."),
        of("Overload", "Nothing."),
        of("One", "Now load it."),
        of("Two", "After all that is done, load it."),
        of("Three", "Do not overload it."),
    ]
    ranks = [rank(one, "LOAD") for one in fits]
    assert ranks == sorted(ranks, reverse=True) and len(set(ranks)) == len(ranks) and ranks[-1] > 0
    assert rank(fits[0], "unload") == rank(fits[0], "  ") == 0


def test_every_word_has_to_fit_and_the_worst_one_counts() -> None:
    split = of("Split below", "Two terminals one above the other.")
    assert rank(split, "below split") == rank(split, "split")
    assert rank(split, "split above") == rank(split, "above")
    assert rank(split, "split nothing") == 0


@pytest.mark.parametrize("query", ["leav", "leave", "quit", "exit", "close"])
def test_home_and_quit_are_found_by_what_people_call_them(query: str) -> None:
    found = best(query, "app", "workspace", "drill", "terminal")
    assert {"Home", "Quit"} <= set(found[:3])
    assert "Go to the prompt" not in found[:2]


def test_moves_are_found_by_other_names() -> None:
    assert best("submit", "app", "workspace", "drill", "terminal")[0] == "Hand in"
    assert best("wait", "app", "workspace", "drill", "terminal")[0] == "Time"


async def settled(pilot: Pilot[Any]) -> None:
    """Until what was typed has been searched for."""
    await pilot.pause()
    searching = [one for one in pilot.app.workers if one.node is pilot.app.screen]
    if searching:
        await pilot.app.workers.wait_for_complete(searching)
    await pilot.pause()


def test_the_menu_shows_the_best_first_and_does_it() -> None:
    async def run() -> None:
        app = Breakfix(settings=Settings())
        live = await sandbox.begin(Opening("dgx-h100-4", 1))
        async with app.run_test(size=(80, 24)) as pilot:
            await at_home(pilot)
            await app.push_screen(Workspace(live))
            await pilot.press("ctrl+b", "space")
            await pilot.pause()
            app.screen.query_one(Input).value = "leav"
            await settled(pilot)
            options = app.screen.query_one(OptionList)
            assert [str(one.prompt).split()[0] for one in options.options][:2] == ["Home", "Quit"]
            app.screen.query_one(Input).value = "scroll"
            await settled(pilot)
            assert re.search(r"Scroll +\^B \[ +Move through", shown(app))
            app.screen.query_one(Input).value = "leav"
            await settled(pilot)
            await pilot.press("enter")
            await pilot.pause()
            assert isinstance(app.screen, Home)

    asyncio.run(run())


def test_what_one_does_most_stands_first() -> None:
    one, two, three = (Action(f"a.{rank}", "A", "", (), "do", footer=rank) for rank in (0, 5, 90))
    offers = [Offer(action, DOMNode()) for action in (one, three, two)]
    assert [offer.action.footer for offer in usual_first(offers)] == [5, 90, 0]


@pytest.mark.parametrize("glyphs", ["unicode", "ascii"])
def test_each_has_a_row_with_its_keys_and_commands_is_in_view(glyphs: str) -> None:
    async def run() -> None:
        app = Breakfix(settings=Settings.model_validate({"glyphs": glyphs}))
        live = await sandbox.begin(Opening("dgx-h100-4", 1))
        async with app.run_test(size=(80, 24)) as pilot:
            await at_home(pilot)
            await app.push_screen(Workspace(live))
            await pilot.press("ctrl+b", "space")
            await settled(pilot)
            options = app.screen.query_one(OptionList)
            assert options.virtual_size.height == options.option_count > 12
            titles = [str(one.prompt).split("  ")[0] for one in options.options]
            assert titles.index("Commands") < titles.index("Time") < titles.index("Home") < titles.index("Quit")
            assert "Menu" not in titles
            assert re.search(r"Commands +F8, \^B i +Which commands there are", shown(app))
            for text in ("lea", "o"):
                app.screen.query_one(Input).value = text
                await settled(pilot)
                assert options.virtual_size.height == options.option_count > 0

    asyncio.run(run())
