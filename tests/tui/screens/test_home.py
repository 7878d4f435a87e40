"""Home: what is listed and in which order, that nothing gives a drill away, and what keys and the mouse do."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from engine.kernel.errors import BreakfixError
from engine.sites.catalogue import site_names
from scenarios import saved
from scenarios.catalogue import packaged, scenario_names
from tests.support.frame import shown
from tui.app import Breakfix
from tui.home_list import DRILLS, GO_ON, NEW_HERE, SANDBOX, Entry, blanked, load_entries, time_text
from tui.opening import Opening
from tui.paths import played_file
from tui.played import Played, best_results, remember
from tui.screens.home import Home
from tui.settings import Settings
from tui.store import Saved, new_journal, saved_sessions
from tui.widgets.pick_list import PickList

SIZES = [(80, 24), (120, 36), (200, 60)]


@pytest.fixture(autouse=True)
def home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    return tmp_path


def leave_session(name: str = "gpu-off-the-bus") -> None:
    """A drill that was begun and left."""
    new_journal(name, saved.header(packaged(name), name, 3)).close()


class Opened:
    """Takes the place of the program's ways to open something, and writes down what was opened."""

    def __init__(self, app: Breakfix, monkeypatch: pytest.MonkeyPatch) -> None:
        self.what: list[object] = []
        for name in ("open_drill", "open_sandbox", "open_saved"):
            monkeypatch.setattr(app, name, self._open)

    async def _open(self, what: Any) -> None:
        self.what.append(what.name if isinstance(what, Saved) else what)


Work = Callable[[Breakfix, Home, Pilot[Any], list[object]], Awaitable[None]]


async def home_of(app: Breakfix, pilot: Pilot[Any]) -> Home:
    """Home, once it is open."""
    while not app.screen_stack or not isinstance(app.screen, Home):
        await pilot.pause(0.02)
    return app.screen


def at_home(work: Work, size: tuple[int, int] = (120, 36)) -> None:
    """Do something at home, once its list has been read."""

    async def run() -> None:
        app = Breakfix(settings=Settings())
        with pytest.MonkeyPatch.context() as patch:
            opened = Opened(app, patch)
            async with app.run_test(size=size, notifications=True) as pilot:
                screen = await home_of(app, pilot)
                while screen.entries is None:
                    await pilot.pause(0.02)
                await pilot.pause()
                await work(app, screen, pilot, opened.what)

    asyncio.run(run())


def titles(screen: Home) -> list[str]:
    """Titles in the list as it stands."""
    return [line.text for line in screen.query_one(PickList).lines if line.id]


# What is listed


def test_somebody_new_finds_the_first_look_at_the_top_and_others_among_the_drills() -> None:
    new = load_entries(new_here=True)
    assert (new[0].section, new[0].title) == (NEW_HERE, "First look around")
    known = load_entries(new_here=False)
    assert NEW_HERE not in {entry.section for entry in known}
    assert "First look around" in [entry.title for entry in known if entry.section == DRILLS]


def test_sessions_that_were_left_come_first() -> None:
    leave_session()
    new_journal("sandbox", Opening("dgx-h100-4", 1).header()).close()
    entries = load_entries(new_here=True)
    assert [entry.section for entry in entries[:3]] == [GO_ON, GO_ON, NEW_HERE]
    assert {entry.title for entry in entries[:2]} >= {packaged("gpu-off-the-bus").title}
    assert entries[-1].section == SANDBOX


def test_all_drills_are_listed_once_by_difficulty() -> None:
    found = [entry.drill for entry in load_entries(new_here=False) if entry.section == DRILLS]
    assert sorted(map(str, found)) == sorted(scenario_names("drill", "healthy", "incident"))
    levels = [packaged(str(name)).difficulty for name in found]
    assert levels == sorted(levels)


def told(entry: Entry) -> str:
    return " ".join([entry.title, entry.right, *(text for _, text in entry.details)])


def test_no_entry_gives_its_drill_away() -> None:
    for drill in scenario_names("drill", "healthy"):
        leave_session(drill)
    for entry in load_entries(new_here=True):
        name = entry.drill or (str(entry.saved.header.get("scenario")) if entry.saved else None)
        if not name:
            continue
        scenario = packaged(name)
        text = told(entry)
        assert name not in text
        assert scenario.diagnosis is None or scenario.diagnosis.cause not in text
        assert scenario.kind in ("drill", "lab") or scenario.kind not in text
        if not scenario.guide:
            assert not any(objective in text for objective in scenario.objectives)
        assert "{" not in text


def test_what_a_drill_practises_is_told_when_it_has_been_played() -> None:
    remember(Played("hot-node", 4, 61, False))
    remember(Played("hot-node", 5, 92, True))
    remember(Played("hot-node", 6, 95, False))
    entry = next(entry for entry in load_entries(new_here=False) if entry.drill == "hot-node")
    assert packaged("hot-node").objectives[0] in told(entry)
    assert entry.right.startswith("passed 92   ")


def test_broken_results_are_passed_over() -> None:
    remember(Played("hot-node", 1, 10, False))
    with played_file().open("a") as file:
        file.write('{"scenario": 1}\nnonsense\n[]\n')
    assert best_results() == {"hot-node": Played("hot-node", 1, 10, False)}


def test_a_session_whose_scenario_is_gone_is_listed_all_the_same() -> None:
    header = saved.header(packaged("hot-node"), "/nowhere/hot.yaml", 1)
    new_journal("hot-node", header).close()
    assert load_entries(new_here=False)[0].title == "A drill whose file can't be read"


def test_texts_of_a_scenario_have_dots_for_what_the_seed_chooses() -> None:
    assert blanked("GPU {gpu.index} of {node} is {{odd}}") == "GPU ... of ... is {...}"


@pytest.mark.parametrize(
    ("time", "text"),
    [
        (datetime(2026, 3, 2, 9, 5), "today 09:05"),
        (datetime(2026, 3, 1, 23, 59), "yesterday 23:59"),
        (datetime(2026, 2, 27, 12, 0), "27 Feb 12:00"),
        (datetime(2025, 12, 31, 12, 0), "31 Dec 2025"),
    ],
)
def test_times_are_said_as_one_says_them(time: datetime, text: str) -> None:
    assert time_text(time, date(2026, 3, 2)) == text


# The screen


@pytest.mark.parametrize("size", SIZES)
def test_the_list_and_the_ticket_can_be_read(size: tuple[int, int]) -> None:
    async def work(app: Breakfix, screen: Home, pilot: Pilot[Any], opened: list[object]) -> None:
        painted = shown(app)
        for piece in ("breakfix", "New here?", "First look around", "Labs", "Find the broken link"):
            assert piece in painted, piece
        assert screen.has_class("wide") == (size[0] >= 100)

    at_home(work, size)


def test_it_is_painted_before_anything_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    painted: list[str] = []

    async def run() -> None:
        app = Breakfix(settings=Settings())

        def load(*, new_here: bool) -> list[Entry]:
            painted.append(shown(app))
            return []

        monkeypatch.setattr("tui.screens.home.load_entries", load)
        async with app.run_test(size=(80, 24)) as pilot:
            while not painted:
                await pilot.pause(0.02)
            await pilot.pause()
            assert "There is nothing to play" in shown(app)

    asyncio.run(run())
    assert "Reading what there is" in painted[0]
    assert "practise repairing" in painted[0]


def test_home_stands_also_when_its_list_cannot_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(*, new_here: bool) -> list[Entry]:
        raise RuntimeError("broken")

    monkeypatch.setattr("tui.screens.home.load_entries", load)

    async def work(app: Breakfix, screen: Home, pilot: Pilot[Any], opened: list[object]) -> None:
        assert "RuntimeError: broken" in shown(app)
        await pilot.press("s")
        assert not isinstance(app.screen, Home)

    at_home(work)


def test_enter_opens_what_the_cursor_stands_on_and_the_first_look_only_once_at_the_top() -> None:
    async def work(app: Breakfix, screen: Home, pilot: Pilot[Any], opened: list[object]) -> None:
        await pilot.press("enter")
        await pilot.pause(0.1)
        assert opened == ["first-look"]
        assert app.settings.tour_seen
        await pilot.press("j", "enter")
        await pilot.pause(0.1)
        assert opened == ["first-look", "find-the-broken-link"]
        await pilot.press("G", "enter")
        await pilot.pause(0.1)
        assert opened[-1] == Opening(site_names()[-1], 1)

    at_home(work)


def test_a_click_chooses_and_a_double_click_opens() -> None:
    async def work(app: Breakfix, screen: Home, pilot: Pilot[Any], opened: list[object]) -> None:
        place = [line.text for line in screen.query_one(PickList).lines].index("Find the broken link")
        await pilot.click(PickList, offset=(5, place + 1))
        assert screen.entry is not None
        assert screen.entry.title == "Find the broken link"
        assert "7 of 8 rails" in shown(app)
        assert opened == []
        await pilot.click(PickList, offset=(5, place + 1), times=2)
        await pilot.pause(0.1)
        assert opened == ["find-the-broken-link"]

    at_home(work)


def test_typing_after_a_slash_shows_what_fits_and_escape_shows_all() -> None:
    async def work(app: Breakfix, screen: Home, pilot: Pilot[Any], opened: list[object]) -> None:
        everything = titles(screen)
        await pilot.press("/", *"train")
        assert titles(screen) == ["A training run that stopped"]
        await pilot.press(*"xx")
        assert titles(screen) == []
        assert "Nothing fits" in shown(app)
        await pilot.press("escape")
        assert titles(screen) == everything
        await pilot.press("/", *"replace", "enter")
        await pilot.pause(0.1)
        assert opened == ["all-quiet"]

    at_home(work)


def test_a_session_is_deleted_after_a_question() -> None:
    leave_session()

    async def work(app: Breakfix, screen: Home, pilot: Pilot[Any], opened: list[object]) -> None:
        await pilot.press("d", "n", "y")
        assert len(saved_sessions()) == 1
        await pilot.press("d", "down", "y")
        assert len(saved_sessions()) == 1
        await pilot.press("d", "up", "d")
        assert "Delete this session" in shown(app)
        await pilot.press("y")
        assert saved_sessions() == []
        assert screen.entry is not None
        assert screen.entry.section == NEW_HERE
        assert not screen.can_delete

    at_home(work)


def test_a_session_is_taken_up_again() -> None:
    leave_session()

    async def work(app: Breakfix, screen: Home, pilot: Pilot[Any], opened: list[object]) -> None:
        await pilot.press("enter")
        await pilot.pause(0.1)
        assert opened == ["gpu-off-the-bus-1"]

    at_home(work)


def test_what_cannot_be_opened_is_told_and_home_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(app: Breakfix, screen: Home, pilot: Pilot[Any], opened: list[object]) -> None:
        async def refuse(name: str, seed: int | None = None) -> None:
            raise BreakfixError("the session is open in another breakfix")

        monkeypatch.setattr(app, "open_drill", refuse)
        await pilot.press("enter")
        await pilot.pause(0.1)
        assert "open in another breakfix" in shown(app)
        assert "Getting ready" not in shown(app)
        await pilot.press("G", "enter")
        await pilot.pause(0.1)
        assert opened == [Opening(site_names()[-1], 1)]

    at_home(work)


def test_what_nobody_sees_is_not_read() -> None:
    """A program that opens a sandbox at once leaves home's long lists alone until somebody comes home, or it fails."""

    async def sandbox(app: Breakfix) -> None:
        await app.open_sandbox(Opening("dgx-h100-4", 1))

    async def fails(app: Breakfix) -> None:
        raise BreakfixError("nothing to open")

    async def run() -> None:
        app = Breakfix(start=sandbox, settings=Settings())
        async with app.run_test(size=(80, 24)) as pilot:
            while len(app.screen_stack) < 3:
                await pilot.pause(0.05)
            await pilot.pause(0.3)
            home = next(screen for screen in app.screen_stack if isinstance(screen, Home))
            assert home.entries is None
            app.go_home()
            screen = await home_of(app, pilot)
            while screen.entries is None:
                await pilot.pause(0.05)
        app = Breakfix(start=fails, settings=Settings())
        async with app.run_test(size=(80, 24)) as pilot:
            screen = await home_of(app, pilot)
            while screen.entries is None:
                await pilot.pause(0.05)

    asyncio.run(run())
