"""A full-screen program in a terminal: the keys that it has to be given, and its picture."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.terminal.output import stored

if TYPE_CHECKING:
    from engine.commands.context import Screen

_FAILED = 1


def leaving_keys(screen: Screen) -> tuple[str, ...]:
    """What ends a program without losing a changed text: vi refuses then, nano asks. Escape ends what is half typed."""
    from engine.commands.linux._support.nano_screen import Nano
    from engine.commands.linux._support.vi_screen import Vi

    inner = getattr(screen, "screen", screen)  # a session that is recorded wraps its programs
    if isinstance(inner, Vi):
        return ("escape", ":", "q", "enter")
    return ("ctrl+c", "ctrl+x") if isinstance(inner, Nano) else ("escape", "q")


class Program:
    """Runs `screen` until it ends. Keys are given one after the other; `changed` is called when it looks different.

    `refresh` is the simulated time between its pictures, `now` tells the simulated time. `trouble` is what the program
    failed with, which ends it.
    """

    def __init__(
        self, screen: Screen, refresh: int | None, now: Callable[[], int], changed: Callable[[], object]
    ) -> None:
        self.trouble: Exception | None = None
        self._screen, self._refresh, self._now, self._changed = screen, refresh, now, changed
        self._keys: asyncio.Queue[str | None] = asyncio.Queue()
        self._drawn = now()
        self._size = (0, 0)
        self._rows: list[str] | None = None

    async def run(self) -> int | None:
        """Give it keys until it ends. Returns its status; None if the terminal has gone."""
        while (key := await self._keys.get()) is not None:
            try:
                status = await self._screen.key(key)
            except Exception as error:
                self.trouble = error
                break
            if status is not None:
                return status
            self._draw_again()
        return None if self.trouble is None else _FAILED

    def press(self, key: str) -> None:
        """A key for it."""
        self._keys.put_nowait(key)

    def leave(self) -> None:
        """Give it the keys that end it."""
        for key in leaving_keys(self._screen):
            self.press(key)

    def close(self) -> None:
        """The terminal has gone."""
        self._keys.put_nowait(None)

    def look(self) -> None:
        """Draw again if enough simulated time has passed. Called now and then."""
        if self._refresh is not None and self._now() - self._drawn >= self._refresh:
            self._draw_again()

    def _draw_again(self) -> None:
        self._rows = None
        self._changed()

    def picture(self, columns: int, rows: int) -> list[str]:
        """Its rows, as lines are stored."""
        if self._rows is None or self._size != (columns, rows):
            self._size, self._drawn = (columns, rows), self._now()
            try:
                self._rows = [" ".join(stored(row)) for row in self._screen.render(columns, rows)[:rows]]
            except Exception as error:
                self.trouble, self._rows = error, []
                self.close()
        return self._rows
