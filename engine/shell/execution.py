"""One thing that runs in a terminal, a line in the foreground or a background job: what Ctrl-C and `kill` end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from engine.commands.context import Interrupted
from engine.shell.scheduler import Scheduler

if TYPE_CHECKING:
    from engine.shell.bash import Bash


_LAST_WORDS_SECONDS = 0.2
# A login's own shell and one that a command of its line opened; more than these run side by side.
_NESTED_AT_MOST = 2


class Execution:
    """The shells and waits that belong together.

    `terminal` is its terminal's number, for the order of simultaneous waits. If it `forks` (`&` in a loop), one part of
    it may still work while another waits.
    """

    def __init__(self, scheduler: Scheduler, terminal: int, *, forks: bool = False) -> None:
        self.scheduler = scheduler
        self.terminal = terminal
        self.cancelled = False
        self._shells: list[Bash] = []
        self._alone_at_most = 0 if forks else _NESTED_AT_MOST
        self._crowded = 0
        self._ending: asyncio.Future[None] | None = None

    async def sleep(self, duration: int) -> None:
        """Let simulated time pass. Raises Interrupted when cancelled."""
        if self.cancelled:
            raise Interrupted
        await self.scheduler.sleep(duration, self.terminal, self)

    async def watch(self, duration: int) -> None:
        """Let simulated time pass beside the work that this is busy with. Raises Interrupted when cancelled."""
        if self.cancelled:
            raise Interrupted
        await self.scheduler.sleep(duration, self.terminal, self, watching=True)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something to become true while others let time pass."""
        await self.scheduler.until(condition)

    def enter(self, shell: Bash) -> None:
        """`shell` runs on behalf of this."""
        if not self._shells:
            self.scheduler.begin(self)
        self._shells.append(shell)
        self._crowd()

    def leave(self, shell: Bash) -> None:
        """`shell` is done."""
        self._shells.remove(shell)
        self._crowd()
        if not self._shells:
            self.scheduler.end(self)

    def _crowd(self) -> None:
        crowd = max(len(self._shells) - self._alone_at_most, 0)
        self.scheduler.crowd(crowd - self._crowded)
        self._crowded = crowd

    def cancel(self) -> None:
        """Ctrl-C: waits are interrupted; commands may say their last words before the shells are stopped."""
        self.cancelled = True
        self.scheduler.interrupt(self)
        self._ending = asyncio.ensure_future(self._end())

    def stop(self) -> None:
        """End it at once, shells innermost first."""
        self.cancelled = True
        self.scheduler.interrupt(self)
        for shell in reversed(self._shells):
            shell.cancel()

    async def _end(self) -> None:
        # A busy loop keeps the interpreter from answering; then nobody has last words to say.
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self.scheduler.settle(), _LAST_WORDS_SECONDS)
        self.stop()
