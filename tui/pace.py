"""How simulated time follows the clock on the wall in an interactive session."""

from __future__ import annotations

import asyncio
import time

_STEP_SECONDS = 0.1


class WallPace:
    """Simulated time runs at `rate` times wall time while somebody waits for it; `paused` stops it.

    A gap of more than a few seconds between two steps (a suspended laptop) does not count.
    """

    def __init__(self, rate: float = 1.0) -> None:
        self.rate = rate
        self.paused = False

    async def step(self, now: int, target: int) -> int:
        """Wait at most a tenth of a second; the time the simulation may go on to."""
        if self.paused:
            await asyncio.sleep(_STEP_SECONDS)
            return now
        remaining = (target - now) / 1e9 / self.rate
        pause = min(remaining, _STEP_SECONDS)
        began = time.monotonic()
        await asyncio.sleep(pause)
        elapsed = min(time.monotonic() - began, 5 * _STEP_SECONDS)
        return min(target, now + int(max(elapsed, pause) * self.rate * 1e9))
