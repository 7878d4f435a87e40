"""Two programs that talk to each other in tests: each in a terminal of its own, or in one line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from engine.kernel.simulation import Simulation
from engine.shell.play import Play
from engine.shell.terminal import LineResult
from engine.world.world import World

SITE_WIDE = ""


def both(
    simulation: Simulation[World], server: tuple[str, str], client: tuple[str, str], *, end_server: bool = False
) -> tuple[LineResult, LineResult]:
    """What a server's and a client's line give, each (host, line) typed in a terminal of its own; the client's begins
    when somebody listens. With `end_server`, Ctrl-C ends the server when the client is done.
    """

    async def run() -> tuple[LineResult, LineResult]:
        play = Play(simulation)
        first, second = (play.open_terminal(host, "alex") for host, _ in (server, client))
        try:
            serving = asyncio.ensure_future(play.run_line(first, server[1]))
            await _until(lambda: bool(simulation.world.sockets[SITE_WIDE].listeners) or serving.done())
            asked = await asyncio.wait_for(play.run_line(second, client[1]), 60)
            if end_server:
                first.interrupt()
            return await asyncio.wait_for(serving, 60), asked
        finally:
            play.close()

    return asyncio.run(run())


async def _until(condition: Callable[[], bool]) -> None:
    async def look() -> None:
        while not condition():
            await asyncio.sleep(0.001)

    await asyncio.wait_for(look(), 30)
