"""Streams between commands: in-memory inputs and outputs, and those of a running bash line.

An output collects what a command writes and hands it on in `flush`, which is where back-pressure and a reader that has
gone are felt.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TYPE_CHECKING

from engine.commands.context import OutputClosed

if TYPE_CHECKING:
    from bashkit import CommandInput, CommandOutput

Sink = Callable[[bytes], Awaitable[None]]


class BashInput:
    """Standard input of a command within a bash line.

    bash does not say whether anything is attached; the end comes at once if not.
    """

    attached = True

    def __init__(self, stream: CommandInput, note: Callable[[], None]) -> None:
        self._stream = stream
        self._note = note
        self._rest = b""

    async def read(self) -> bytes:
        chunks, self._rest = [self._rest], b""
        while (chunk := await self._chunk()) is not None:
            chunks.append(chunk)
        return b"".join(chunks)

    async def _chunk(self) -> bytes | None:
        chunk = await self._stream.read_chunk()
        self._note()
        return chunk

    async def lines(self) -> AsyncIterator[bytes]:
        while True:
            line, newline, rest = self._rest.partition(b"\n")
            if newline:
                self._rest = rest
                yield line + newline
                continue
            chunk = await self._chunk()
            if chunk is None:
                break
            self._rest += chunk
        if self._rest:
            last, self._rest = self._rest, b""
            yield last


class BashOutputs:
    """Both outputs of a command within a bash line, which reach the terminal in the order in which they were written.

    bash hands them on independently; `barrier` waits until what was handed over has arrived, and stands between two
    writes to different outputs. `note` is told of everything that moves, for the scheduler.
    """

    def __init__(
        self,
        stdout: CommandOutput,
        stderr: CommandOutput,
        note: Callable[[], None],
        barrier: Callable[[], Awaitable[None]],
    ) -> None:
        self.stdout, self.stderr = BashOutput(self, stdout), BashOutput(self, stderr)
        self._note, self._barrier, self._error = note, barrier, stderr
        self._pending: list[tuple[CommandOutput, bytearray]] = []
        self._last: CommandOutput | None = None
        self._flushing = asyncio.Lock()

    def add(self, stream: CommandOutput, data: bytes) -> None:
        """Collect what is written to one of them."""
        if not self._pending or self._pending[-1][0] is not stream:
            self._pending.append((stream, bytearray()))
        self._pending[-1][1].extend(data)

    async def flush(self) -> None:
        """Hand on everything, in order. Raises OutputClosed if a reader has gone."""
        async with self._flushing:
            closed = False
            while self._pending:
                stream, data = self._pending.pop(0)
                if self._last not in (None, stream):
                    await self._barrier()
                self._last = stream
                closed |= not await self._hand_on(stream, bytes(data))
        if closed:
            raise OutputClosed

    async def finish(self) -> None:
        """The command ends: what it said on standard error arrives before the next command speaks."""
        if self._last is self._error:
            await self._barrier()

    async def _hand_on(self, stream: CommandOutput, data: bytes) -> bool:
        try:
            await stream.write(data)
        except BrokenPipeError:
            self._pending = [one for one in self._pending if one[0] is not stream]
            return False
        finally:
            self._note()
        return True


class BashOutput:
    """One of the outputs of a command within a bash line."""

    def __init__(self, both: BashOutputs, stream: CommandOutput) -> None:
        self._both, self._stream = both, stream

    def write(self, data: bytes) -> None:
        if data:
            self._both.add(self._stream, data)

    async def flush(self) -> None:
        await self._both.flush()
