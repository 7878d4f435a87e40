"""Plain mode: the same sessions on standard input and output, without moving the cursor. For screen readers, small
terminals and habits.
"""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from engine.kernel.errors import BreakfixError
from engine.kernel.units import duration, format_duration
from engine.shell.completion import Completion, complete
from engine.shell.play import Play
from engine.shell.terminal import Terminal
from tui.opening import Opening
from tui.pace import WallPace
from tui.plain.line_reader import LineReader, line_reader
from tui.store import JournalFile, new_journal

# A pause at the prompt longer than this is not thinking (a suspended laptop, a lunch).
_LONGEST_THOUGHT_SECONDS = 900

# What a front end does with a line before the shell gets it: True if it was one of its own moves.
Mover = Callable[[str], Awaitable[bool]]


class Player(Protocol):
    """What is played: a sandbox or a drill."""

    async def run_line(self, text: str) -> int:
        """Run a line in the terminal. Returns its status."""

    async def pass_time(self, duration: int) -> None:
        """Let simulated time pass while nothing runs."""

    def interrupt(self) -> None:
        """Ctrl-C."""

    def complete(self, line: str, cursor: int) -> Completion:
        """Tab."""


async def play_sandbox(opening: Opening, pace: str) -> int:
    """A sandbox until the learner leaves it. Returns the last status."""
    journal = new_journal("sandbox", opening.header())
    play = opening.play(WallPace() if pace == "real" else None, journal.write)
    host, user = opening.login(play.simulation.world.inventory)
    columns, rows = shutil.get_terminal_size()
    terminal = play.open_terminal(host, user, interactive=True, columns=columns, rows=rows, printer=print_bytes)
    print(play.simulation.world.inventory.title + ". `exit` or Ctrl-D leaves; `:wait 10m` lets time pass.")
    sandbox = Sandbox(play, terminal)
    try:
        return await converse(sandbox, terminal, sandbox.move, clock_runs=pace == "real")
    finally:
        play.close()
        journal.delete()
        finish_journal(journal)


@dataclass
class Sandbox:
    """A sandbox at a terminal."""

    play: Play
    terminal: Terminal

    async def run_line(self, text: str) -> int:
        """A line for the shell."""
        return (await self.play.run_line(self.terminal, text)).status

    async def pass_time(self, duration: int) -> None:
        """The learner thinks."""
        await self.play.pass_time(duration)

    def interrupt(self) -> None:
        """Ctrl-C."""
        self.terminal.interrupt()

    def complete(self, line: str, cursor: int) -> Completion:
        """Tab."""
        return complete(self.terminal.top, line, cursor)

    async def move(self, line: str) -> bool:
        """`:wait DURATION`, the one move of a sandbox."""
        word, _, rest = line.strip().partition(" ")
        if word != ":wait":
            return False
        try:
            waited = duration(rest)
        except BreakfixError as error:
            print(error)
            return True
        await self.play.pass_time(waited)
        print(f"{format_duration(waited)} pass.")
        return True


async def converse(
    player: Player, terminal: Terminal, mover: Mover, *, clock_runs: bool, ended: Callable[[], bool] | None = None
) -> int:
    """Read and run lines until the login (or the session) ends. Returns the last status."""
    reader = line_reader(player.complete)
    status = 0
    while not terminal.closed and not (ended and ended()):
        line = await _read(reader, player, terminal, clock_runs)
        if line is None:
            print("exit" if len(terminal.logins) > 1 or ended is None else ":quit")
            line = "exit" if len(terminal.logins) > 1 or ended is None else ":quit"
        elif line == "\x03":
            terminal.interrupt()
            continue
        if line.startswith(":") and await mover(line):
            continue
        status = await _interruptible(player, line)
    return status


async def _interruptible(player: Player, line: str) -> int:
    """Run a line; Ctrl-C ends the line and not the program."""
    loop = asyncio.get_running_loop()

    def interrupt() -> None:
        print()  # the terminal has shown ^C itself
        player.interrupt()

    loop.add_signal_handler(signal.SIGINT, interrupt)
    try:
        return await player.run_line(line)
    finally:
        loop.remove_signal_handler(signal.SIGINT)


async def _read(reader: LineReader, player: Player, terminal: Terminal, clock_runs: bool) -> str | None:
    """One line, while the simulated clock goes on; "\x03" for Ctrl-C at the prompt."""
    began = time.monotonic()
    try:
        return await reader.read(terminal.prompt, terminal.top.history.lines)
    except KeyboardInterrupt:
        return "\x03"
    finally:
        if clock_runs:
            await player.pass_time(int(min(time.monotonic() - began, _LONGEST_THOUGHT_SECONDS) * 1e9))


def print_bytes(data: bytes, is_error: bool) -> None:
    """What the shell prints; both streams go to the screen in order."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def finish_journal(journal: JournalFile) -> None:
    """Say so if the session could not be saved."""
    if journal.broken:
        print(f"breakfix: {journal.broken}", file=sys.stderr)
    journal.close()
