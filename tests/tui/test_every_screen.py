"""Every screen in every theme, in ASCII and at three sizes: it is painted, says what it is, keeps the footer free, and
what it offers can be done with keys and with the mouse.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from tests.support.frame import shown
from tests.support.screens import (
    FACTORIES,
    WITHOUT_FACTORY,
    Factory,
    Ground,
    at_home,
    new_drill,
    screen_classes,
)
from tui.actions import Offer, every_action
from tui.app import Breakfix
from tui.keys import PREFIX, TAKEN, UNSEEN
from tui.look import filters
from tui.look.ascii_signs import SIGNS
from tui.look.themes import DEFAULT_THEME, THEMES
from tui.settings import Settings
from tui.widgets.dialog import Dialog
from tui.widgets.footer import Footer

SMALLEST, LARGER, LARGEST = (80, 24), (120, 36), (200, 60)


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))


@pytest.fixture
def unlike(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Characters that were to be painted in ASCII mode and have no likeness there."""
    found: set[str] = set()

    def watching(text: str) -> str:
        found.update(character for character in text if not character.isascii() and character not in SIGNS)
        return filters.likeness_of(text)

    monkeypatch.setattr(filters, "in_ascii", watching)
    return found


def test_every_screen_has_a_factory() -> None:
    missing = set(screen_classes()) - set(FACTORIES) - set(WITHOUT_FACTORY)
    assert not missing, f"add them to tests/support/screens.py: {sorted(missing)}"
    assert set(FACTORIES) - set(screen_classes()) == {"CommandPalette"}  # Textual's


@pytest.mark.parametrize("name", FACTORIES)
def test_the_screen(name: str, unlike: set[str]) -> None:
    FACTORIES[name].before()

    async def run() -> None:
        app = Breakfix(settings=Settings(theme=DEFAULT_THEME, glyphs="unicode", tour_seen=True))
        async with app.run_test(size=SMALLEST) as pilot:
            await at_home(pilot)
            ground = Ground(app, await new_drill())
            look = Look(app, pilot, FACTORIES[name], FACTORIES[name].make(ground))
            await look.open()
            await look.in_every_theme()
            await look.by_key_and_by_click()
            app.pop_screen()
            app.settings = app.settings.model_copy(update={"glyphs": "ascii"})
            look = Look(app, pilot, FACTORIES[name], FACTORIES[name].make(ground))
            await look.open()
            await look.in_ascii()
            assert not unlike, "tui/look/ascii_signs.py has no likeness of these"
            ground.live.close()

    asyncio.run(run())


def test_every_action_has_a_key_that_nobody_else_takes() -> None:
    for one in every_action():
        assert any(key not in TAKEN and key not in UNSEEN for key in one.keys), one.id
        assert one.doc and one.title, one.id


@dataclass
class Look:
    """A screen that is being looked at."""

    app: Breakfix
    pilot: Pilot[Any]
    factory: Factory
    screen: Screen[Any]

    async def open(self) -> None:
        await self.app.push_screen(self.screen)
        await self.pilot.pause()

    async def resize(self, size: tuple[int, int]) -> None:
        """Another size, and everything laid out for it: a loaded machine may need more than one round."""
        await self.pilot.resize_terminal(*size)
        for _ in range(200):
            footers = self.screen.query(Footer) if self.factory.footer else ()
            if self.screen.size == size and all(footer.region.y == size[1] - 1 for footer in footers):
                break
            await self.pilot.pause(0.02)

    async def in_every_theme(self) -> None:
        """It is painted at every size, and in every theme."""
        for size in (LARGER, LARGEST, SMALLEST):
            await self.resize(size)
            self.is_right(f"{DEFAULT_THEME} at {size}")
        for theme in THEMES:
            self.app.dress(theme, ascii_only=False)
            await self.pilot.pause()
            self.is_right(theme)

    async def in_ascii(self) -> None:
        """In ASCII mode nothing else is painted, at any size."""
        self.app.dress(DEFAULT_THEME, ascii_only=True)
        for size in (LARGER, LARGEST, SMALLEST):
            await self.resize(size)
            self.is_right(f"ASCII at {size}")
            assert shown(self.app).isascii(), f"ASCII at {size}"

    def is_right(self, where: str) -> None:
        """It is there, says what it is, and leaves the last row to the footer."""
        assert self.app.screen is self.screen, where
        title = self.factory.shows or (self.screen.title_text if isinstance(self.screen, Dialog) else "")
        assert title and title in shown(self.app), f"{where}: {title!r} is not on the screen:\n{shown(self.app)}"
        if self.factory.footer:
            width, height = self.app.size
            there = {type(self.screen.get_widget_at(column, height - 1)[0]) for column in range(width)}
            assert there == {Footer}, f"{where}: {there} where the footer is:\n{shown(self.app)}"

    async def by_key_and_by_click(self) -> None:
        """What the footer shows is done by a click as by its key; no sequence is another action's as well."""
        app, done = self.app, []
        offers = [one for one in app.offers() if one.enabled]
        for one in offers:
            for sequence in filter(_is_for_one, app.keymap.keys(one.action)):
                found = app.keymap.find(sequence, offers)
                assert found is not None and found.action.id == one.action.id, f"{sequence} of {one.action.id}"

        async def note(offer: Offer, key: str = "") -> None:
            done.append(offer.action.id)

        with patch.object(app, "do", note):
            offered = {one.action.id: one for one in offers}
            for start, _, id in self.in_footer():
                done.clear()
                await self.pilot.click(offset=(start + 1, app.size.height - 1))
                await self.pilot.press(*_presses(app, offered[id]))
                assert done == [id, id], f"the footer's {id}, clicked and by its key"

    def in_footer(self) -> list[tuple[int, int, str]]:
        """Where each action of the footer stands."""
        return list(self.screen.query_one(Footer)._cells) if self.factory.footer else []


def _is_for_one(sequence: str) -> bool:
    """Whether a sequence should have one meaning at a time: Enter, Escape and letters may have one within another."""
    return sequence.startswith(PREFIX) or re.fullmatch(r"f\d+", sequence) is not None


def _presses(app: Breakfix, offer: Offer) -> list[str]:
    """The keys that the footer shows for an action, one after the other."""
    sequence = sorted(app.keymap.keys(offer.action), key=lambda sequence: sequence in TAKEN)[0]
    return [app.keymap.prefix if key == PREFIX else key for key in sequence.split(" ")]
