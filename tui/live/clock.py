"""The clock of a session on the screen: simulated time follows the wall's clock also while nobody runs anything."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

RATES = (1, 2, 5, 10, 30, 60)

_STEP_SECONDS = 0.1
# A gap longer than this is no waiting: the machine was suspended.
_LONGEST_GAP_SECONDS = 5.0


class SessionClock:
    """Collects the time that has passed on the wall, times `rate`; running commands and the session spend it.

    It is the pace (engine.shell.scheduler.Pace) of the session. `paused` stops it.
    """

    def __init__(self, wall: Callable[[], float] = time.monotonic) -> None:
        self.rate = 1
        self.paused = False
        self._wall = wall
        self._seen = wall()
        self._unspent = 0

    @property
    def unspent(self) -> int:
        """Simulated ns that have come and that nobody has let pass yet."""
        now = self._wall()
        gap, self._seen = now - self._seen, now
        if not self.paused and 0 <= gap <= _LONGEST_GAP_SECONDS:
            self._unspent += int(gap * self.rate * 1e9)
        return self._unspent

    def spend(self, duration: int) -> None:
        """`duration` has passed."""
        self._unspent = max(self._unspent - duration, 0)

    def set_rate(self, rate: int) -> None:
        """Another speed from now on."""
        _ = self.unspent
        self.rate = rate

    def set_paused(self, paused: bool) -> None:
        """Stop or go on, from now on."""
        _ = self.unspent
        self.paused = paused

    async def step(self, now: int, target: int) -> int:
        """Wait at most a tenth of a second; the time the simulation may go on to."""
        missing = target - now - self.unspent
        if self.paused or missing > 0:
            await asyncio.sleep(_STEP_SECONDS if self.paused else min(missing / 1e9 / self.rate, _STEP_SECONDS))
        reached = min(self.unspent, target - now)
        self.spend(reached)
        return now + reached
