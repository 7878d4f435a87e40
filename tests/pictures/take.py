"""Plays a drill in the full-screen program, with no terminal, and saves what is on the screen as SVG.

The drill, its seed and the lines stand in `PICTURES`; the same lines give the same pictures.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from engine.kernel.units import MINUTE
from tests.support.screens import at_home
from tui.app import Breakfix
from tui.drills import scenario_named
from tui.live import drill, sandbox
from tui.live.drill import LiveDrill
from tui.live.live import Live
from tui.opening import Opening
from tui.screens.workspace import Workspace
from tui.settings import Settings

FOLDER = Path(__file__).parents[2] / "docs" / "pictures"


@dataclass(frozen=True, slots=True)
class Picture:
    """`lines` are typed in a drill, or in a sandbox with faults, then `keys` are pressed (each word of it one key)."""

    name: str
    lines: Sequence[str]
    keys: str = ""
    drill: str = "gpu-off-the-bus"
    sandbox: Opening | None = None
    seed: int = 1
    size: tuple[int, int] = (120, 36)


GPU_LINES = (
    "sinfo -R",
    "ssh {node} nvidia-smi --query-gpu=index,name,temperature.gpu,pstate --format=csv",
    "ssh {node} 'sudo dmesg | grep NVRM | tail -3'",
    "ssh {node} 'lspci -d 10de: | grep 3D'",
)
BROKEN = Opening("dgx-h100-su", 1, ("fabric.port_disabled target=leaf-05/23", "fabric.port_disabled target=leaf-05/40"))
PICTURES = (
    Picture("workspace", GPU_LINES),
    Picture("map", (*GPU_LINES, "clush -bw {nodes} nvidia-smi", "sinfo"), "f2 down right right right right right"),
    Picture("fabric", ("sudo iblinkinfo", "squeue"), "ctrl+b F down right right right right", sandbox=BROKEN),
)


def take_all(folder: Path = FOLDER) -> Iterator[Path]:
    """Take every picture; gives where it was saved."""
    folder.mkdir(parents=True, exist_ok=True)
    for picture in PICTURES:
        path = folder / f"{picture.name}.svg"
        path.write_text(_tidied(taken(picture)), encoding="utf-8")
        yield path


def taken(picture: Picture) -> str:
    """The SVG of a picture. The program keeps what it keeps in a folder of its own."""
    before = os.environ.get("BREAKFIX_HOME")
    with tempfile.TemporaryDirectory() as home:
        os.environ["BREAKFIX_HOME"] = home
        try:
            return asyncio.run(_played(picture))
        finally:
            os.environ.pop("BREAKFIX_HOME")
            if before is not None:
                os.environ["BREAKFIX_HOME"] = before


async def _played(picture: Picture) -> str:
    app = Breakfix(settings=Settings(tour_seen=True, glyphs="unicode"))
    async with app.run_test(size=picture.size) as pilot:
        await at_home(pilot)
        live = await _begun(picture)
        screen = Workspace(live)
        await app.push_screen(screen)
        await pilot.pause(0.2)
        values = live.session.stage.choices.texts if isinstance(live, LiveDrill) else {}
        nodes = ",".join(live.simulation.world.inventory.partitions[0].nodes)
        for line in picture.lines:
            await _typed(pilot, screen, line.format(**{**values, "nodes": nodes}))
        await pilot.press(*picture.keys.split())
        await pilot.pause(0.5)
        svg = app.export_screenshot(title="breakfix", simplify=True)
        screen.leaving()
    return svg


async def _begun(picture: Picture) -> Live:
    if picture.sandbox is None:
        return await drill.begin(scenario_named(picture.drill), picture.drill, picture.seed)
    live = await sandbox.begin(picture.sandbox)
    await live.pass_time(MINUTE)
    return live


async def _typed(pilot: Pilot[Any], screen: Workspace, line: str) -> None:
    pane = screen.area.pane
    assert pane is not None
    pane.run_text(line)
    for _ in range(400):
        await pilot.pause(0.05)
        if not pane.seat.busy:
            break
    await pilot.pause(0.2)


def _tidied(svg: str) -> str:
    """Without the font that a viewer would fetch from elsewhere: a picture asks nobody for anything."""
    lines = svg.splitlines()
    kept, inside = [], False
    for line in lines:
        inside = inside or line.strip().startswith("@font-face")
        if not inside:
            kept.append(line.rstrip())
        if inside and line.strip() == "}":
            inside = False
    return "\n".join(kept) + "\n"
