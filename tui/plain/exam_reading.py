"""Reading a line while a clock runs: the reading can be given up (the time is over), and Ctrl-C is an answer too."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from tui.plain.bare_lines import INTERRUPTED, BareLines
from tui.plain.line_reader import BareReader, LineReader, line_reader

if TYPE_CHECKING:
    from engine.shell.completion import Completion

TICK_SECONDS = 1.0

Tick = Callable[[], bool]
"""Lets the time pass that has passed; False once there is nothing more to read for."""


class Lines(Protocol):
    """Where lines come from; a reading may be cancelled."""

    async def read(self, prompt: str) -> str | None:
        """One line; None at the end of input, INTERRUPTED for Ctrl-C."""

    def printing(self) -> AbstractContextManager[object]:
        """While it lasts, what is printed does not spoil the line being read."""


class TimedReader:
    """Reads lines, and ticks while nobody types."""

    def __init__(self, source: Lines, tick: Tick) -> None:
        self._source, self._tick = source, tick

    async def read(self, prompt: str) -> str | None:
        """One line; None at the end of input or once the tick says so; INTERRUPTED for Ctrl-C."""
        with self._source.printing():
            reading = asyncio.ensure_future(self._source.read(prompt))
            while True:
                await asyncio.wait({reading}, timeout=TICK_SECONDS)
                going_on = self._tick()
                if reading.done():
                    return reading.result()
                if not going_on:
                    reading.cancel()
                    await asyncio.wait({reading})
                    return None


def best_lines(words: Sequence[str]) -> Lines:
    """Editing keys, and Tab for these words, at a capable terminal; bare lines elsewhere."""

    def complete(line: str, cursor: int) -> Completion:
        from engine.shell.completion import Completion

        begun = line[:cursor]
        found = tuple(f"{word} " for word in words if word.startswith(begun)) if begun else ()
        return Completion(cursor, found)

    reader = line_reader(complete)
    return BareLines(sys.stdin.fileno(), echoes=True) if isinstance(reader, BareReader) else _EditedLines(reader)


class _EditedLines:
    """Lines with editing keys and a history of what was typed here."""

    def __init__(self, reader: LineReader) -> None:
        self._reader = reader

    async def read(self, prompt: str) -> str | None:
        try:
            return await self._reader.read(prompt, ())
        except KeyboardInterrupt:
            return INTERRUPTED

    def printing(self) -> AbstractContextManager[object]:
        from prompt_toolkit.patch_stdout import patch_stdout

        return patch_stdout()
