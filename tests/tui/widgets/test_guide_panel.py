"""The guide beside the terminals: what it says of a real session, its keys, and its line to type."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen

from scenarios.catalogue import packaged, places
from scenarios.guide import pieces
from tests.support.frame import frame, shown
from tui.actions import Acts, action, every_action
from tui.app import Breakfix
from tui.drills import scenario_named
from tui.live import drill
from tui.live.drill import LiveDrill
from tui.settings import Settings
from tui.widgets.footer import Footer
from tui.widgets.guide_panel import GuidePanel, GuideStrip


@pytest.fixture(autouse=True)
def home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BREAKFIX_HOME", str(tmp_path))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    return tmp_path


class Stage(Screen[None], Acts):
    """A screen with the guide, and with some of the actions that its texts name."""

    def __init__(self, live: LiveDrill, panel: type[GuidePanel]) -> None:
        super().__init__()
        self.panel = panel(live)
        self.done: list[str] = []

    def compose(self) -> ComposeResult:
        yield self.panel
        yield Footer()

    def on_guide_panel_line_wanted(self, message: GuidePanel.LineWanted) -> None:
        self.done.append(message.text)

    @action("workspace.side", "Briefing", "f3", "prefix b")
    def side(self) -> None:
        """The ticket."""
        self.done.append("ticket")

    @action("terminal.pin", "Pin", "prefix p")
    def pin(self) -> None:
        """Pin."""


Work = Callable[[Breakfix, Stage, LiveDrill, Pilot[Any]], Awaitable[None]]


def on_stage(work: Work, panel: type[GuidePanel] = GuidePanel, size: tuple[int, int] = (80, 24)) -> None:
    async def run() -> None:
        live = await drill.begin(scenario_named("first-look"), "first-look", 1)
        app = Breakfix(settings=Settings())
        try:
            async with app.run_test(size=size) as pilot:
                stage = Stage(live, panel)
                await app.push_screen(stage)
                await pilot.pause()
                await work(app, stage, live, pilot)
        finally:
            live.close()

    asyncio.run(run())


def node_of(live: LiveDrill) -> str:
    return live.session.stage.choices.texts["node"]


@pytest.mark.parametrize("panel", [GuidePanel, GuideStrip])
@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
def test_the_first_step_stands_there_with_its_key_and_its_line(panel: type[GuidePanel], size: tuple[int, int]) -> None:
    async def work(app: Breakfix, stage: Stage, live: LiveDrill, pilot: Pilot[Any]) -> None:
        painted = shown(app)
        assert "Step 1 of 12: See which nodes there are" in painted
        assert f"The ticket (F3) says that {node_of(live)}" in painted
        assert "$ sinfo" in painted
        assert "{" not in painted

    on_stage(work, panel, size)


def test_steps_are_ticked_as_they_are_done() -> None:
    async def work(app: Breakfix, stage: Stage, live: LiveDrill, pilot: Pilot[Any]) -> None:
        await live.run_line(1, "sinfo")
        stage.panel.show_session()
        await pilot.pause()
        assert "Step 2 of 12" in shown(app)
        assert "✓ See which nodes there are" in shown(app)
        await live.run_line(1, f"ssh {node_of(live)} sudo ipmitool sdr type Fan")
        stage.panel.show_session()
        stage.panel.opened("map")
        await pilot.pause()
        painted = shown(app)
        assert "Step 3 of 12: Pin what you found" in painted
        assert "evidence: ^B p" in painted
        assert "✓ Look at the map" in painted
        assert ":pin" not in painted

    on_stage(work)


def test_at_the_end_it_says_so() -> None:
    async def work(app: Breakfix, stage: Stage, live: LiveDrill, pilot: Pilot[Any]) -> None:
        while (step := stage.panel.guide.current) is not None:
            for line in step.do:
                await live.run_line(1, line)
            if not step.do:
                stage.panel.opened("map")
        stage.panel.show_session()
        await pilot.pause()
        assert "All steps are done." in shown(app)
        assert stage.panel.line is None
        assert live.over

    on_stage(work)


def test_the_strip_has_the_step_alone_in_a_few_rows() -> None:
    async def work(app: Breakfix, stage: Stage, live: LiveDrill, pilot: Pilot[Any]) -> None:
        await live.run_line(1, "sinfo")
        stage.panel.opened("map")
        await pilot.pause()
        assert stage.panel.size.height <= 7
        assert "Step 2 of 12" in shown(app)
        assert "✓" not in shown(app)
        assert stage.query("GuidePanel").first() is stage.panel

    on_stage(work, GuideStrip)


def test_every_step_fits_the_strip_at_the_least_width() -> None:
    async def work(app: Breakfix, stage: Stage, live: LiveDrill, pilot: Pilot[Any]) -> None:
        while (step := stage.panel.guide.current) is not None:
            assert stage.panel.virtual_size.height <= stage.panel.size.height, step.title
            for line in step.do:
                await live.run_line(1, line)
            if not step.do:
                stage.panel.opened("map")
            stage.panel.show_session()
            await pilot.pause()

    on_stage(work, GuideStrip)


def test_the_line_is_asked_for_by_a_click_and_by_enter() -> None:
    async def work(app: Breakfix, stage: Stage, live: LiveDrill, pilot: Pilot[Any]) -> None:
        row = next(number for number, text in enumerate(frame(app)) if "$ sinfo" in text)
        await pilot.click(offset=(frame(app)[row].index("sinfo") + 2, row))
        assert stage.done == ["sinfo"]
        stage.panel.focus()
        await pilot.press("enter")
        assert stage.done == ["sinfo", "sinfo"]

    on_stage(work)


def test_a_click_on_a_key_does_what_the_key_does() -> None:
    async def work(app: Breakfix, stage: Stage, live: LiveDrill, pilot: Pilot[Any]) -> None:
        row = next(number for number, text in enumerate(frame(app)) if "(F3)" in text)
        await pilot.click(offset=(frame(app)[row].index("F3") + 1, row))
        await pilot.pause()
        assert stage.done == ["ticket"]

    on_stage(work)


def test_the_keys_in_packaged_guides_are_those_of_actions() -> None:
    known = {one.id for one in every_action()}
    named = {
        id for name in places() for step in packaged(name).guide for id, is_key in pieces(step.text) if is_key
    }  # fmt: skip
    assert named
    assert named <= known
