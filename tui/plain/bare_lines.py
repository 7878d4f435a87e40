"""Lines from a file descriptor, without editing keys: for terminals that cannot move their cursor, and for pipes."""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import AbstractContextManager, nullcontext

INTERRUPTED = "\x03"
"""What Ctrl-C reads as."""


class BareLines:
    """Lines of a file descriptor, taken byte by byte: what comes after the line is left for whoever reads next."""

    def __init__(self, file: int, *, echoes: bool = False) -> None:
        self._file = file
        self._begun = b""
        self._echoes = echoes and not os.isatty(file)
        """Where no terminal shows what is typed, it is printed, so that all can be read afterwards."""

    async def read(self, prompt: str) -> str | None:
        print(prompt, end="", flush=True)
        loop = asyncio.get_running_loop()
        interrupted = asyncio.Event()
        loop.add_signal_handler(signal.SIGINT, interrupted.set)
        try:
            return await self._line(interrupted)
        finally:
            loop.remove_signal_handler(signal.SIGINT)

    def printing(self) -> AbstractContextManager[object]:
        return nullcontext()

    async def _line(self, interrupted: asyncio.Event) -> str | None:
        while True:
            await self._something(interrupted)
            if interrupted.is_set():
                self._begun = b""
                print()
                return INTERRUPTED
            byte = os.read(self._file, 1)
            if byte not in (b"", b"\n"):
                self._begun += byte
                continue
            text, self._begun = self._begun.decode("utf-8", "replace"), b""
            if self._echoes:
                print(text)
            return text if byte or text else None

    async def _something(self, interrupted: asyncio.Event) -> None:
        """Until there is something to read, or Ctrl-C. Of a plain file there is always something."""
        loop = asyncio.get_running_loop()
        ready = asyncio.Event()
        try:
            loop.add_reader(self._file, ready.set)
        except PermissionError:
            return
        waits = [asyncio.ensure_future(event.wait()) for event in (ready, interrupted)]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            loop.remove_reader(self._file)
            for wait in waits:
                wait.cancel()
