"""Typing into a terminal in tests."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from engine.kernel.simulation import Simulation
from engine.shell.play import Play
from engine.shell.terminal import LineResult
from engine.world.world import World


def type_lines(
    simulation: Simulation[World],
    lines: Sequence[str],
    *,
    host: str = "head-01",
    user: str = "alex",
    interactive: bool = False,
) -> list[LineResult]:
    """What each line gives, typed one after the other into one terminal."""

    async def run() -> list[LineResult]:
        play = Play(simulation)
        terminal = play.open_terminal(host, user, interactive=interactive)
        try:
            return [await asyncio.wait_for(play.run_line(terminal, line), 60) for line in lines]
        finally:
            play.close()

    return asyncio.run(run())


def screen(simulation: Simulation[World], lines: Sequence[str], **options: object) -> str:
    """Everything that the lines print."""
    return b"".join(result.output for result in type_lines(simulation, lines, **options)).decode()  # type: ignore[arg-type]


def last(simulation: Simulation[World], lines: Sequence[str], **options: object) -> str:
    """What the last line prints."""
    return type_lines(simulation, lines, **options)[-1].output.decode()  # type: ignore[arg-type]
