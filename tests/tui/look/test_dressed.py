"""A program in our clothes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static

from tests.support.frame import can_draw, draw, shown, strips
from tests.support.screens import STYLES
from tui.look.contrast import rgb
from tui.look.dressed import Dressed
from tui.look.palettes import DARK, LIGHT, MONOCHROME
from tui.look.themes import THEMES


class Session(Widget):
    """A line as a terminal draws it."""

    def render_line(self, y: int) -> Strip:
        return Strip([Segment("red", Style.parse("color(1)"))])


class Wardrobe(Dressed):
    CSS = """
    Session { height: 1; }
    Static { border: round $accent; height: 3; }
    #long { height: 4; }
    .lines { height: 13; }
    """

    def compose(self) -> ComposeResult:
        yield Session()
        yield Static("▶ go")
        yield Input()
        with VerticalScroll(id="long"):
            yield Static("line\n" * 13, classes="lines")


def color_of(app: Dressed, text: str) -> tuple[int, int, int] | None:
    for row in strips(app):
        for piece, style in row:
            if text in piece and style.color is not None:
                return style.color.get_truecolor()
    return None


@pytest.mark.parametrize("name", THEMES)
def test_every_theme_can_be_put_on(name: str) -> None:
    async def run() -> None:
        app = Wardrobe()
        async with app.run_test(size=(40, 14)) as pilot:
            app.dress(name, ascii_only=False)
            await pilot.pause()
            assert app.theme == name
            assert color_of(app, "red") == tuple(app.ansi_theme.ansi_colors[1])

    asyncio.run(run())


def test_colours_of_commands_follow_the_theme() -> None:
    async def run() -> None:
        app = Wardrobe()
        async with app.run_test(size=(40, 14)) as pilot:
            assert color_of(app, "red") == rgb(DARK.ansi[1])
            app.dress(LIGHT.name, ascii_only=False)
            await pilot.pause()
            assert color_of(app, "red") == rgb(LIGHT.ansi[1])

    asyncio.run(run())


def test_ascii_mode_is_put_on_and_off_again() -> None:
    async def run() -> None:
        app = Wardrobe()
        async with app.run_test(size=(40, 14)) as pilot:
            assert "▶ go" in shown(app) and "╭" in shown(app)
            assert any(part in shown(app) for part in "▂▃▄▅▆▇")
            app.dress(DARK.name, ascii_only=True)
            await pilot.pause()
            assert shown(app).isascii() and "> go" in shown(app)
            assert "#" not in shown(app)  # the ends of the scroll bar
            app.dress(DARK.name, ascii_only=False)
            await pilot.pause()
            assert "▶ go" in shown(app)

    asyncio.run(run())


def test_no_color_paints_greys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def run() -> None:
        app = Wardrobe()
        async with app.run_test(size=(40, 14)) as pilot:
            app.dress(LIGHT.name, ascii_only=False)
            await pilot.pause()
            colors = [
                c for row in strips(app) for _, style in row for c in (style.color, style.bgcolor) if c is not None
            ]
            assert colors and all(len(set(color.get_truecolor())) == 1 for color in colors)

    asyncio.run(run())


def test_nothing_blinks() -> None:
    async def run() -> None:
        app = Wardrobe()
        async with app.run_test(size=(40, 14)) as pilot:
            field = app.query_one(Input)
            field.focus()
            await pilot.pause()
            assert not field.cursor_blink
            assert app.animation_level == "none"

    asyncio.run(run())


class Panels(Dressed):
    CSS_PATH = STYLES

    def compose(self) -> ComposeResult:
        yield VerticalScroll(Static("one"), classes="panel")
        yield VerticalScroll(Static("two"), classes="panel")


def test_without_colour_the_focus_is_seen_by_its_frame() -> None:
    async def run() -> None:
        app = Panels()
        async with app.run_test(size=(40, 14)) as pilot:
            app.query(VerticalScroll).first().focus()
            await pilot.pause()
            assert "┏" not in shown(app)
            app.dress(MONOCHROME.name, ascii_only=False)
            await pilot.pause()
            assert shown(app).count("┏") == 1 and shown(app).count("╭") == 1
            app.dress(MONOCHROME.name, ascii_only=True)
            await pilot.pause()
            assert sum("+=" in row for row in shown(app).splitlines()) == 2  # top and bottom of one frame

    asyncio.run(run())


class DressedFirst(Wardrobe):
    def __init__(self) -> None:
        super().__init__()
        self.dress(LIGHT.name, ascii_only=True)


def test_it_can_be_put_on_before_the_program_runs() -> None:
    async def run() -> None:
        app = DressedFirst()
        async with app.run_test(size=(40, 14)):
            assert app.theme == LIGHT.name and shown(app).isascii()

    asyncio.run(run())


@pytest.mark.skipif(not can_draw(), reason="rsvg-convert is not here")
def test_a_picture_is_drawn(tmp_path: Path) -> None:
    async def run() -> None:
        app = Wardrobe()
        async with app.run_test(size=(40, 14)):
            picture = draw(app, tmp_path / "screen.png")
            assert picture.read_bytes().startswith(b"\x89PNG")
            assert list(tmp_path.iterdir()) == [picture]

    asyncio.run(run())
