"""Draws the pictures of the README anew: `python -m tests.support.pictures`."""

from __future__ import annotations

import asyncio
import os
import re
import tempfile
from pathlib import Path

from tui.app import Breakfix
from tui.screens.workspace import Workspace
from tui.settings import Settings

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
LINES = (
    "ssh {node} nvidia-smi --query-gpu=index,temperature.gpu,clocks.sm,power.draw --format=csv",
    "ssh {node} 'sudo dmesg | grep NVRM | grep -v SXid | tail -4'",
    "ssh {node} lspci -d 10de:2330",
)


async def workspace() -> str:
    """A drill under way, as SVG."""

    async def start(app: Breakfix) -> None:
        await app.open_drill("gpu-off-the-bus", 1)

    app = Breakfix(start, Settings(tour_seen=True))
    async with app.run_test(size=(120, 32)) as pilot:
        while not isinstance(app.screen, Workspace) or app.screen.area.pane is None:
            await pilot.pause(0.1)
        screen = app.screen
        for line in LINES:
            await pilot.pause(0.3)
            pane = screen.area.pane
            assert pane is not None
            pane.run_text(line.format(node=screen.drill.session.stage.choices.texts["node"]))
            await pilot.pause(0.3)
            while pane.seat.busy:
                await pilot.pause(0.1)
        await screen.drill.move(":pin (rev ff)")
        await pilot.pause(0.5)
        drawn = app.export_screenshot(title="breakfix")
        screen.leaving()
    # Textual names fonts on the web; a picture of ours asks nobody for anything.
    return re.sub(r"@font-face \{.*?\}", "", drawn, flags=re.DOTALL)


def main() -> None:
    """Write the pictures."""
    os.environ["BREAKFIX_HOME"] = tempfile.mkdtemp()
    (PICTURES / "workspace.svg").write_text(asyncio.run(workspace()), encoding="utf-8")


if __name__ == "__main__":
    main()
