"""Printed bytes on their way to the screen: a little at once, a flood in portions, so that keys are answered."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable

_FRAME_SECONDS = 1 / 60
_ASIDE_FRAME_SECONDS = 1 / 15
_BUDGET_SECONDS = 0.008
_PORTION = 16 * 1024


class Flow:
    """Hands bytes to `take`, and then calls `shown`: at once when nothing came lately, else once a frame.

    Frames are longer while it is `aside`: somebody types in another terminal, whose keys come first.
    """

    def __init__(self, take: Callable[[bytes], None], shown: Callable[[], None]) -> None:
        self.aside = False
        self._take, self._shown = take, shown
        self._waiting: deque[bytes] = deque()
        self._timer: asyncio.Handle | None = None
        self._last = 0.0
        self._empty = asyncio.Event()
        self._empty.set()

    def put(self, data: bytes) -> None:
        """More has been printed."""
        for start in range(0, len(data), _PORTION):
            self._waiting.append(data[start : start + _PORTION])
        if self._waiting:
            self._empty.clear()
            self._plan()

    def drop(self) -> None:
        """Forget what has not been shown yet, as a terminal does at Ctrl-C."""
        self._waiting.clear()
        self._empty.set()

    async def drained(self) -> None:
        """Return when everything has been shown."""
        await self._empty.wait()

    def close(self) -> None:
        """Show nothing more."""
        self.drop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _plan(self) -> None:
        if self._timer is None:
            loop = asyncio.get_running_loop()
            frame = _ASIDE_FRAME_SECONDS if self.aside else _FRAME_SECONDS
            wait = self._last + frame - time.monotonic()
            self._timer = loop.call_later(wait, self._frame) if wait > 0 else loop.call_soon(self._frame)

    def _frame(self) -> None:
        """One frame's portion."""
        self._timer = None
        deadline = time.monotonic() + _BUDGET_SECONDS
        while self._waiting:
            self._take(self._waiting.popleft())
            if time.monotonic() >= deadline:
                break
        self._last = time.monotonic()
        self._shown()
        if self._waiting:
            self._plan()
        else:
            self._empty.set()
