"""A sandbox: a shell on a site's login host, with any faults you like.

With -c (repeatable) or standard input, lines are run and only what the commands print is printed; the status is the
last command's.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Callable

from engine.shell.shell import SIGPIPE_STATUS
from tui.opening import Opening, add_opening_arguments, opening_from

_ROUNDS_TO_END = 5  # what ends may start its own last words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix shell` takes."""
    add_opening_arguments(parser)
    parser.add_argument(
        "-c",
        dest="commands",
        action="append",
        metavar="COMMANDS",
        help="run this line and go on to the next -c; no prompt",
    )
    parser.add_argument("--plain", action="store_true", help="line by line, without a full screen")
    parser.add_argument(
        "--pace", choices=("instant", "real"), help="real: waiting takes its time (the default at a terminal)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Open the sandbox. Returns the last status."""
    opening = opening_from(arguments)
    if arguments.commands is None and sys.stdin.isatty() and sys.stdout.isatty():
        from tui import full_screen

        if not arguments.plain and arguments.pace is None and full_screen.possible():
            opening.check()
            full_screen.run(full_screen.sandbox(opening))
            return 0
        from tui.plain.conversation import play_sandbox

        return asyncio.run(play_sandbox(opening, arguments.pace or "real"))
    return asyncio.run(_run_lines(opening, arguments.commands, arguments.pace or "instant"))


async def _run_lines(opening: Opening, commands: list[str] | None, pace: str) -> int:
    from tui.pace import WallPace

    play = opening.play(WallPace() if pace == "real" else None)
    host, user = opening.login(play.simulation.world.inventory)
    printer = _Printer()
    terminal = play.open_terminal(host, user, printer=printer)
    printer.on_gone = terminal.close
    status = 0
    try:
        lines = commands if commands is not None else (line.rstrip("\n") for line in sys.stdin)
        for line in lines:
            status = (await play.run_line(terminal, line, whole=commands is not None)).status
            if printer.gone:
                return SIGPIPE_STATUS
            if terminal.closed:
                break
        if not terminal.closed and commands is None:
            status = (await terminal.end_of_input()) or status
    finally:
        play.close()
        await _others_end()
    return status


async def _others_end() -> None:
    """Let what still runs when the input ends (a shell on another host) end before the loop does."""
    for _ in range(_ROUNDS_TO_END):
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if not others:
            return
        for other in others:
            other.cancel()
        await asyncio.gather(*others, return_exceptions=True)


class _Printer:
    """Prints what the shell prints; when the reader has gone (`| head -1`), everything is stopped."""

    def __init__(self) -> None:
        self.gone = False
        self.on_gone: Callable[[], None] = lambda: None

    def __call__(self, data: bytes, is_error: bool) -> None:
        if self.gone:
            return
        stream = sys.stderr if is_error else sys.stdout
        try:
            stream.buffer.write(data)
            stream.buffer.flush()
        except BrokenPipeError:
            self.gone = True
            # Python would complain once more at exit about what it could not flush.
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            self.on_gone()
