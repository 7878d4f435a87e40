"""Running something for at most so long, in simulated time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from engine.commands.context import Context


async def within(ctx: Context, work: Callable[[], Awaitable[int]], limit: int) -> int | None:
    """The status of `work`, or None if `limit` ns passed first; then it has been stopped."""
    task = asyncio.ensure_future(work())
    await asyncio.sleep(0)
    if task.done():
        return task.result()
    timer = asyncio.ensure_future(ctx.clock.watch(limit))
    try:
        await asyncio.wait({task, timer}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            return task.result()
        timer.result()
        return None
    finally:
        for each in (task, timer):
            each.cancel()
        await asyncio.gather(task, timer, return_exceptions=True)
