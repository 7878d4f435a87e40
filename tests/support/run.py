"""Runs one command of ours in the test's own process: real simulation, real command, fake streams.

    result = run_command(simulation, "dgx-01", "alex", "nvidia-smi -L")
    assert result.status == 0 and result.stdout.startswith("GPU 0:")

No shell: the line is split into words as a shell would, without expansions, pipes or redirections. Waiting lets the
simulation's time pass. A command that streams for ever is ended by `head` (its reader goes away after so many lines) or
by `interrupt_after` (Ctrl-C after so many simulated nanoseconds).
"""

from __future__ import annotations

import asyncio
import inspect
import shlex
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from engine.commands.command import Command, installed, load_command
from engine.commands.context import Context, Input, Interrupted, Output, OutputClosed, Place, Terminal
from engine.commands.options import UsageError
from engine.control.accounts import identity
from engine.hostfs.host_tree import HostTree
from engine.hostfs.tree import FileTree
from engine.kernel.simulation import Simulation
from engine.world.world import World

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
BROKEN_PIPE, CTRL_C, NOT_FOUND = 141, 130, 127


@dataclass(frozen=True, slots=True)
class Result:
    """What a command printed, and its exit status."""

    stdout: str
    stderr: str
    status: int

    @property
    def lines(self) -> list[str]:
        """The lines of standard output."""
        return self.stdout.splitlines()


class BytesInput:
    """Standard input from bytes; without any, nothing is attached."""

    def __init__(self, data: bytes | None = None) -> None:
        self.attached = data is not None
        self._rest = data or b""

    async def read(self) -> bytes:
        rest, self._rest = self._rest, b""
        return rest

    async def lines(self) -> AsyncIterator[bytes]:
        while self._rest:
            line, newline, self._rest = self._rest.partition(b"\n")
            yield line + newline


class BytesOutput:
    """An output that keeps everything; with `head`, its reader goes away after that many lines."""

    def __init__(self, head: int | None = None) -> None:
        self.data = bytearray()
        self.head = head

    def write(self, data: bytes) -> None:
        self.data += data

    async def flush(self) -> None:
        if self.head is not None and self.data.count(b"\n") >= self.head:
            raise OutputClosed

    @property
    def text(self) -> str:
        """What was read of it, as text."""
        lines = self.data.decode("utf-8", "surrogateescape").splitlines(keepends=True)
        return "".join(lines if self.head is None else lines[: self.head])


@dataclass(slots=True)
class AdvancingClock:
    """A clock whose waiting is the passing of the simulation's time; `interrupt_at` is when Ctrl-C is pressed."""

    simulation: Simulation[World]
    interrupt_at: int | None = None

    async def sleep(self, duration: int) -> None:
        end = self.simulation.now + duration
        if self.interrupt_at is not None and end >= self.interrupt_at:
            self.simulation.advance_to(self.interrupt_at)
            raise Interrupted
        self.simulation.advance(duration)

    async def watch(self, duration: int) -> None:
        """As sleep: here no work goes on beside a wait."""
        await self.sleep(duration)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Others let time pass; here nobody does, so what is not true now never comes."""
        if not condition():
            await asyncio.Event().wait()


@dataclass(slots=True)
class OwnCommands:
    """Runs our own commands and nothing else, each with its own view of the host's file tree."""

    simulation: Simulation[World]
    clock: AdvancingClock
    stdin: Input
    stdout: Output
    stderr: Output
    files: FileTree | None = None
    terminal: Terminal | None = None
    gaps: list[str] = field(default_factory=list)

    def has(self, name: str, host: str) -> bool:
        return installed(self.simulation.world.inventory, host, name)

    async def script(
        self,
        text: str,
        place: Place,
        *,
        stdin: Input | None = None,
        stdout: Output | None = None,
        stderr: Output | None = None,
    ) -> int:
        """Each line of `text` as one simple command; no shell language."""
        status = 0
        for line in filter(None, map(str.strip, text.splitlines())):
            status = await self.run(shlex.split(line), place, stdin=stdin, stdout=stdout, stderr=stderr)
        return status

    async def run(
        self,
        words: Sequence[str],
        place: Place,
        *,
        stdin: Input | None = None,
        stdout: Output | None = None,
        stderr: Output | None = None,
    ) -> int:
        name = words[0].rpartition("/")[2]
        errors = stderr or self.stderr
        if not self.has(name, place.host):
            errors.write(f"{words[0]}: command not found\n".encode())
            return NOT_FOUND
        context = Context(
            name=name,
            arguments=tuple(words[1:]),
            place=place,
            simulation=self.simulation,
            files=self.files or HostTree(self.simulation, place.host, place.identity),
            stdin=stdin or self.stdin,
            stdout=stdout or self.stdout,
            stderr=errors,
            clock=self.clock,
            runner=self,
            terminal=self.terminal,
            logins=self.terminal,
            gaps=self.gaps,
        )
        return await _finish(load_command(name), context)


def run_command(
    simulation: Simulation[World],
    host: str,
    user: str,
    line: str,
    *,
    stdin: bytes | None = None,
    head: int | None = None,
    interrupt_after: int | None = None,
    environment: Mapping[str, str] | None = None,
    directory: str | None = None,
    files: FileTree | None = None,
    terminal: Terminal | None = None,
) -> Result:
    """Run the command `line` on `host` as `user`. See the module's text."""
    who = identity(simulation.world.inventory, user)
    names = {"HOME": who.home, "USER": who.name, "LOGNAME": who.name, "SHELL": who.shell}
    place = Place(host, who, {"PATH": PATH, "LANG": "C.UTF-8", **names, **(environment or {})}, directory or who.home)
    stdout, stderr = BytesOutput(head), BytesOutput()
    clock = AdvancingClock(simulation, None if interrupt_after is None else simulation.now + interrupt_after)
    runner = OwnCommands(simulation, clock, BytesInput(stdin), stdout, stderr, files, terminal)
    status = asyncio.run(runner.run(shlex.split(line), place))
    return Result(stdout.text, stderr.text, status)


async def _finish(command: Command, context: Context) -> int:
    """Run `command` to its end, as the shell does: a reader gone, Ctrl-C and a wrong line have their statuses."""
    try:
        outcome = command.run(context)
        status = await outcome if inspect.isawaitable(outcome) else outcome
        await context.flush()
    except OutputClosed:
        return BROKEN_PIPE
    except Interrupted:
        return CTRL_C
    except UsageError as error:
        context.stderr.write(error.text.encode())
        return error.status
    return status
