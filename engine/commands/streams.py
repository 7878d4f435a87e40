"""Streams in memory: nothing to read, bytes to read, an output that is kept."""

from __future__ import annotations

from collections.abc import AsyncIterator


class NoInput:
    """Nothing to read: the end at once."""

    attached = False

    async def read(self) -> bytes:
        return b""

    async def lines(self) -> AsyncIterator[bytes]:
        return
        yield b""


class BytesInput:
    """Bytes that are already there."""

    attached = True

    def __init__(self, data: bytes) -> None:
        self._data = data

    async def read(self) -> bytes:
        data, self._data = self._data, b""
        return data

    async def lines(self) -> AsyncIterator[bytes]:
        for line in (await self.read()).splitlines(keepends=True):
            yield line


class Capture:
    """An output that is kept."""

    def __init__(self) -> None:
        self.data = bytearray()

    def write(self, data: bytes) -> None:
        self.data += data

    async def flush(self) -> None:
        return

    @property
    def text(self) -> str:
        return self.data.decode("utf-8", "replace")
