"""A terminal: a stack of logins (ssh, su and sudo -i put another one on top), and what they print.

`run_line` gives a line to the topmost login and returns when a prompt shows again, be it that login's or another's.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from engine.commands.context import Place, Screen
from engine.commands.linux._support.sessions import login_environment
from engine.control import cpu_sets
from engine.control.accounts import identity
from engine.kernel.quick_dataclass import dataclass
from engine.shell.login import Login
from engine.shell.shell import Shell
from engine.shell.texts import SYNTAX_ERROR

_HELD_AT_MOST = 64 * 1024

Asker = Callable[[str, bool], Awaitable[str | None]]
Shower = Callable[[Screen, int | None], Awaitable[int | None]]
Printer = Callable[[bytes, bool], None]


@dataclass(frozen=True, slots=True)
class LineResult:
    """A line that has run: its status, what it printed (both streams in order), and when (simulated ns).

    `stdout` is standard output alone. Where two commands of a pipeline speak at once, the order of the two streams is
    the interpreter's; each by itself is the same in every run.
    """

    status: int
    output: bytes
    started: int
    ended: int
    stdout: bytes = b""


class Terminal:
    """Terminal `number` of a shell, logged in as `user` on `host`.

    `printer(data, is_error)` is told what is printed; `interactive` says whether a person looks at it (job notices,
    columns, full-screen
    programs). `asker` and `shower` are the front end's ways to ask a question and to show a full-screen program, if it
    has them.
    """

    def __init__(
        self,
        shell: Shell,
        host: str,
        user: str,
        *,
        number: int = 1,
        interactive: bool = False,
        columns: int = 80,
        rows: int = 24,
        printer: Printer | None = None,
        asker: Asker | None = None,
        shower: Shower | None = None,
    ) -> None:
        self.shell = shell
        self.number = number
        self.interactive = interactive
        self.columns, self.rows = columns, rows
        self.closed = False
        # Whether a shell is copied before each line, so that a checkpoint can be had while the line runs.
        self.keeps_checkpoints = False
        self._printer, self._asker, self._shower = printer, asker, shower
        self._output = bytearray()
        self._stdout = bytearray()
        self._held = bytearray()
        shell.scheduler.when_settled.append(self.release)
        who = identity(shell.simulation.world.inventory, user)
        variables = login_environment(who, "xterm-256color" if interactive else None)
        cpus = cpu_sets.of_sessions(shell.simulation.world, host)
        self.logins = [Login(self, Place(host, who, variables, who.home, login=True, confined=cpus), self._closed)]

    @property
    def top(self) -> Login:
        """The login that the next line goes to."""
        return self.logins[-1]

    @property
    def prompt(self) -> str:
        return self.top.prompt

    async def run_line(self, text: str, *, whole: bool = False) -> LineResult:
        """Run one entered line until a prompt shows again. A `whole` text is not continued on a second prompt."""
        started = self.shell.simulation.now
        text = text.encode("utf-8", "replace").decode()
        if not self.closed:
            before = self.top
            before.start(text, whole=whole)
            await self.shell.scheduler.drive(lambda: self.closed or self.top.idle)
            if self.top.jobs.running() or self.top is not before:
                # What still runs (background jobs, a login's greeting) gets as far as it comes without time passing.
                await self.shell.scheduler.settle()
        self.release()
        output, stdout = bytes(self._output), bytes(self._stdout)
        self._output.clear()
        self._stdout.clear()
        return LineResult(self.top.status, output, started, self.shell.simulation.now, stdout)

    async def end_of_input(self) -> int | None:
        """The end of a script: an unfinished line is a syntax error. Returns its status, or None."""
        if not self.top.pending:
            return None
        await self.write_error(b"-bash: syntax error: unexpected end of file\n")
        self.release()
        self.top.interrupt()
        return SYNTAX_ERROR

    def interrupt(self) -> None:
        """Ctrl-C."""
        self.top.interrupt()

    def close(self) -> None:
        """Stop everything that runs in it."""
        for login in reversed(self.logins):
            login.end()
        self.closed = True
        self.release()
        self.shell.scheduler.note()

    async def write(self, data: bytes) -> None:
        """Standard output of what runs here."""
        self._output += data
        self._stdout += data
        if self._printer:
            self._printer(data, False)

    async def write_error(self, data: bytes) -> None:
        """Standard error of what runs here.

        bash hands the two streams on independently. A person sees them as they come; elsewhere what is said on
        standard error waits until the statement ends or time passes, so that every run prints the same.
        """
        if not self.interactive:
            self._held += data
            if len(self._held) < _HELD_AT_MOST:
                return
            data = b""
            self.release()
        self._output += data
        if self._printer and data:
            self._printer(data, True)

    def release(self) -> None:
        """Print the standard error that was held back."""
        if self._held:
            data = bytes(self._held)
            self._held.clear()
            self._output += data
            if self._printer:
                self._printer(data, True)

    async def ask(self, prompt: str, *, hidden: bool = False) -> str | None:
        """A line typed by the learner, or None where nobody can be asked."""
        if self._asker is None:
            return None
        with self.shell.scheduler.blocking(self.top.execution):
            return await self._asker(prompt, hidden)

    async def show(self, screen: Screen, refresh: int | None = None) -> int | None:
        """Run a full-screen program, or None where the front end has no screen."""
        if self._shower is None:
            return None
        with self.shell.scheduler.blocking(self.top.execution):
            return await self._shower(screen, refresh)

    async def login(self, place: Place) -> int:
        """A login on top of the running one, until it ends. Returns its status."""
        left: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        nested = Login(self, place, lambda status: self._left(nested, status, left))
        with self.shell.scheduler.blocking(self.top.execution):
            self.logins.append(nested)
            try:
                return await left
            finally:
                self._hang_up(nested)

    def stack(self, place: Place) -> Login:
        """Put a login on top without a running line below it (when a play is taken up again)."""
        left: asyncio.Future[int] = asyncio.get_event_loop().create_future()
        nested = Login(self, place, lambda status: self._left(nested, status, left))
        self.logins.append(nested)
        return nested

    def _hang_up(self, login: Login) -> None:
        """End a login that did not leave by itself: its connection is gone, and with it whatever was put on top."""
        while login in self.logins:
            last = self.logins.pop()
            last.interrupt()
            last.end()

    def _left(self, login: Login, status: int, left: asyncio.Future[int]) -> None:
        self.logins.remove(login)
        if not left.done():
            left.set_result(status)

    def _closed(self, status: int) -> None:
        self.closed = True
