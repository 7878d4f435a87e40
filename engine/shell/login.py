"""One login: a bash at a prompt, with its history, its jobs, and the line that is being typed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.commands.context import Place
from engine.commands.linux._support.ulimit import state_of_login
from engine.control import host_clock
from engine.control.processes import shell_pid
from engine.kernel.units import SECOND
from engine.shell import builtins, prompt
from engine.shell.bash import TIME_MARK, Bash, LineEnd, Moment
from engine.shell.execution import Execution
from engine.shell.history import EventNotFound, History
from engine.shell.jobs import Job, Jobs
from engine.shell.lines import Part, forks, needs_more, open_heredocs, parts, terminal_commands
from engine.shell.runner import ScriptOwner
from engine.shell.shell import Owner

if TYPE_CHECKING:
    from engine.shell.terminal import Terminal

SIGINT_STATUS = 130
# Lines that put another bash on top of this one.
_NESTED_SHELLS = ("bash", "bash -i", "bash -l", "bash --login", "/bin/bash", "sh")
# Commands that may open a login on top of the one they are typed in.
_OPEN_LOGINS = ("ssh", "su", "bash", "docker", "enroot")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A shell between two lines: variables and functions, `$?`, options of `set`, whether it read its profile."""

    snapshot: bytes
    status: int
    options: tuple[str, ...]
    profile_read: bool


class Login:
    """A bash that a person types into. `on_leave(status)` is called when it ends."""

    def __init__(self, terminal: Terminal, place: Place, on_leave: Callable[[int], None]) -> None:
        self.terminal = terminal
        self.shell = terminal.shell
        self.place = place
        self.history = History()
        self.jobs = Jobs()
        self.status = 0
        self.execution = Execution(self.shell.scheduler, terminal.number)
        self._on_leave = on_leave
        self._pending = ""
        self._prompt = ""
        self._running: asyncio.Task[None] | None = None
        self._terminal_commands: frozenset[str] = frozenset()
        self._started = self.shell.simulation.now
        self._parts = 0
        self._bash = self._open_bash(_Foreground(self))
        self._profile_read = False
        self._checkpoint: Checkpoint | None = None

    @property
    def checkpoint(self) -> Checkpoint:
        """The shell as it was at its last prompt."""
        if self._checkpoint is None or self.idle:
            self._checkpoint = self._taken()
        return self._checkpoint

    def restore(self, checkpoint: Checkpoint) -> None:
        """Take over a checkpoint."""
        self._bash.restore(checkpoint.snapshot)
        self._bash.status, self._bash.options = checkpoint.status, checkpoint.options
        self.status = checkpoint.status
        self._profile_read = checkpoint.profile_read

    def _taken(self) -> Checkpoint:
        return Checkpoint(self._bash.snapshot(), self._bash.status, self._bash.options, self._profile_read)

    @property
    def idle(self) -> bool:
        """Whether it waits for a line."""
        return self._running is None

    @property
    def pending(self) -> str:
        """What was entered of a line that goes on."""
        return self._pending

    @property
    def directory(self) -> str:
        return self._bash.directory

    @property
    def bash(self) -> Bash:
        return self._bash

    @property
    def prompt(self) -> str:
        """PS1, or PS2 while a line goes on. While a line runs, the interpreter cannot be asked: the one before it."""
        if self._pending:
            return prompt.CONTINUATION
        if self.idle:
            self._prompt = self._rendered_prompt()
        return self._prompt

    def _rendered_prompt(self) -> str:
        template = self._bash.variables.get("PS1", prompt.DEFAULT)
        inventory = self.shell.simulation.world.inventory
        return prompt.render(
            template,
            identity=self.place.identity,
            host=self._host_name(),
            directory=self.directory,
            epoch=host_clock.epoch(self.shell.simulation.world, self.place.host, self.shell.simulation.now),
            timezone=inventory.timezone,
            number=self.history.start + len(self.history.lines),
        )

    def _host_name(self) -> str:
        """The name of the host, or of the container, as the shell was told it."""
        return self.place.environment.get("HOSTNAME", self.place.host) if self.place.container else self.place.host

    def start(self, text: str, *, whole: bool = False) -> None:
        """Begin to run a line that was entered; it is done when `idle` again. A `whole` text does not wait for more
        lines.
        """
        if self.terminal.keeps_checkpoints:
            self._checkpoint = self._taken()
        self._running = asyncio.ensure_future(self._guarded(text, whole))

    def interrupt(self) -> None:
        """Ctrl-C: end the running line, or forget the one being entered."""
        self._pending = ""
        if self._running is not None:
            self.execution.cancel()

    async def wait_for(self, job: Job) -> int:
        """The status of a background job, once it has one."""
        if job.task is not None:
            with suppress(asyncio.CancelledError), self.shell.scheduler.blocking(self.execution):
                await asyncio.shield(job.task)
        return job.status or 0

    def end(self) -> None:
        """Stop everything of this login."""
        for job in self.jobs.running():
            job.execution.stop()
        self.execution.stop()
        self._bash.cancel()
        self._bash.close()

    async def _guarded(self, text: str, whole: bool) -> None:
        leaves = False
        try:
            leaves = await self._enter(text, whole)
        except Exception as error:
            # Whatever the interpreter refuses to take is told; the login goes on.
            await self.terminal.write_error(f"breakfix: this line can't be run ({error})\n".encode())
            self.status = self._bash.status = 1
        finally:
            self._running = None
            if leaves:
                if self.terminal.interactive:
                    await self.terminal.write_error(b"logout\n" if self.place.login else b"exit\n")
                self.end()
                self._on_leave(self.status)
            self.shell.scheduler.note()

    async def _enter(self, text: str, whole: bool) -> bool:
        """Run one entered line. Returns whether the login ends with it."""
        entered = self._pending + text
        if not self._profile_read:
            self._profile_read = True
            await self._read_profile()
        if not whole and needs_more(entered, self._bash.analyze):
            self._pending = entered + "\n"
            return False
        self._pending = ""
        for word in open_heredocs(entered) if whole else ():
            warning = f"-bash: warning: here-document at line 1 delimited by end-of-file (wanted `{word}')\n"
            await self.terminal.write_error(warning.encode())
            entered += f"\n{word}\n"
        try:
            expanded = self.history.expand(entered)
        except EventNotFound as error:
            await self.terminal.write_error(f"-bash: {error}\n".encode())
            self.status = self._bash.status = 1
            return False
        if expanded != entered and not whole:
            await self.terminal.write_error(expanded.encode() + b"\n")
            self.terminal.release()
        self.history.add(expanded)
        if not expanded.strip():
            return False
        return await self._run(expanded)

    async def _run(self, text: str) -> bool:
        sees = self.terminal.interactive or any(word in text for word in _OPEN_LOGINS)
        self._terminal_commands = terminal_commands(text) if sees else frozenset()
        end = LineEnd(self._bash.status)
        if text.strip() in _NESTED_SHELLS:
            self.status = self._bash.status = await self._nested()
            return False
        for part in parts(text):
            self.execution = Execution(self.shell.scheduler, self.terminal.number, forks=forks(part.text))
            self._parts += 1
            if part.background:
                await self._start_job(part)
                self._bash.status = 0
                end = LineEnd(0)
                continue
            end = await self._run_part(part)
            self.terminal.release()
            if end.leaves or end.aborted or self.execution.cancelled:
                break
        self.status = end.status
        if self.terminal.interactive:
            for line in self.jobs.finished_lines():
                await self.terminal.write_error(line.encode() + b"\n")
        return end.leaves

    async def _nested(self) -> int:
        """Another bash with what this one exports, until it is left."""
        variables = dict(self._bash.exported)
        place = replace(self.place, environment=variables, directory=self.directory, login=False)
        return await self.terminal.login(place)

    async def _run_part(self, part: Part) -> LineEnd:
        began = self.shell.simulation.now
        self.execution.enter(self._bash)
        try:
            end = await self._bash.execute(part.text, self._moment(), self.terminal.write, self._timed(began))
        finally:
            self.execution.leave(self._bash)
        if self.execution.cancelled:
            self._bash.recover()
            return LineEnd(SIGINT_STATUS)
        return end

    async def _start_job(self, part: Part) -> None:
        """Run a part in a copy of this shell, without waiting for it."""
        snapshot = self._bash.snapshot()
        pid = await self._next_pid()
        execution = Execution(self.shell.scheduler, self.terminal.number, forks=forks(part.text))
        job = self.jobs.add(pid, part.text, execution)
        copy = self._open_bash(ScriptOwner(execution))
        copy.restore(snapshot)
        job.task = asyncio.ensure_future(self._run_job(job, copy))
        if self.terminal.interactive:
            await self.terminal.write_error(f"[{job.number}] {pid}\n".encode())

    async def _run_job(self, job: Job, copy: Bash) -> int:
        job.execution.enter(copy)
        try:
            job.status = await copy.run(job.text, self._moment(), None, self.terminal.write, self.terminal.write_error)
        finally:
            job.status = job.status if job.status is not None else SIGINT_STATUS
            job.execution.leave(copy)
        return job.status

    async def _next_pid(self) -> int:
        """A pid for a job, which `$!` then names in this shell too."""
        seen: list[int] = []

        async def note(data: bytes) -> None:
            seen.append(int(data))

        async def ignore(data: bytes) -> None:
            return

        status = self._bash.status
        await self._bash.execute(": & echo $!", self._moment(), note, ignore)
        self._bash.status = status
        return seen[0] if seen else 0

    async def _read_profile(self) -> None:
        """What a login or interactive shell reads first."""

        async def ignore(data: bytes) -> None:
            return

        world = self.shell.simulation.world
        own = self.place.container
        limits = "" if own else state_of_login(world, self.place.host, self.place.identity.name)
        text = f"__LIMITS={limits}; PS1='{prompt.DEFAULT}'; [ -f ~/.bashrc ] && . ~/.bashrc"
        await self._bash.execute(text, self._moment(), self.terminal.write, ignore)
        self._bash.status = 0

    def _moment(self) -> Moment:
        simulation = self.shell.simulation
        seed = simulation.stream(
            f"random/{self.terminal.number}/{self.place.host}/{self._started}/{self._parts}"
        ).integer(1, 32767)
        return Moment(
            host_clock.epoch(simulation.world, self.place.host, simulation.now) // SECOND,
            (simulation.now - self._started) // SECOND,
            seed,
            shell_pid(simulation.world, self.place.host, self.place.identity.name),
        )

    def _timed(self, began: int) -> Callable[[bytes], Any]:
        """Standard error of a line, with the figures of `time` in simulated time."""

        async def sink(data: bytes) -> None:
            if TIME_MARK in data:
                minutes, rest = divmod((self.shell.simulation.now - began) // 1_000_000, 60_000)
                real = f"{minutes}m{rest // 1000}.{rest % 1000:03d}s"
                data = data.replace(TIME_MARK, f"\nreal\t{real}\nuser\t0m0.004s\nsys\t0m0.002s\n".encode())
            await self.terminal.write_error(data)

        return sink

    def _open_bash(self, owner: Owner) -> Bash:
        extra = {name: self._bound(builtin) for name, builtin in builtins.BUILTINS.items()}
        return self.shell.open(self.place, owner, prefix="-bash: ", extra=extra)

    def _bound(self, builtin: builtins.Builtin) -> Callable[[Any], Any]:
        async def call(context: Any) -> int:
            return await builtin(self, context)

        return call

    def terminal_of(self, command: str) -> Terminal | None:
        """The terminal, for a command of the running line that a person sees the output of."""
        return self.terminal if self.terminal.interactive and command in self._terminal_commands else None

    def logins_of(self, command: str) -> Terminal | None:
        """The terminal, for a command of the running line that may open a login on it."""
        return self.terminal if command in self._terminal_commands else None


@dataclass(frozen=True)
class _Foreground:
    """The owner of a login's own bash."""

    login: Login

    def execution(self) -> Execution:
        return self.login.execution

    def terminal_of(self, command: str) -> Terminal | None:
        return self.login.terminal_of(command)

    def logins_of(self, command: str) -> Terminal | None:
        return self.login.logins_of(command)
