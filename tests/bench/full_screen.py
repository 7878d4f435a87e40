"""What the bench measures of the full-screen program, in a terminal (pty) of its own: until it is painted, from a key
to what it paints, long output, and what it takes while nobody does anything.

Each function gives an action whose result is the figure itself.
"""

from __future__ import annotations

import atexit
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from tests.support.pty_screen import InTerminal
from tests.support.terminal_screen import TerminalScreen

Figure = Callable[[], float]

COLUMNS, ROWS = 160, 50
SCROLLBACK_LINES = 100_000
KEYS = 200
IDLE_SECONDS = 5.0

_PROMPT = ":~$"
_SANDBOX = ("breakfix", "shell", "--site", "dgx-h100-4")
_STREAM = "while true; do seq 1 200; sleep 0.1; done"
_KEY_GAP_SECONDS = 0.03
_LINE_LENGTH = 40


def first_paint() -> Figure:
    """Milliseconds from the start of `breakfix` until its footer is on the screen."""

    def measure() -> float:
        with _in_terminal("breakfix") as terminal:
            return 1000 * (terminal.wait(_has_footer) - terminal.started)

    measure()
    return measure


def key_to_paint(percent: int) -> Figure:
    """Milliseconds from a key to its character on the screen, at this percentile: with a full scrollback, and another
    pane in which output streams.
    """
    return lambda: statistics.quantiles(_busy().key_milliseconds, n=100)[percent - 1]


def lines_shown() -> Figure:
    """Milliseconds until a command's 100,000 lines are on the screen."""
    return lambda: _busy().lines_milliseconds


def memory() -> Figure:
    """Megabytes that the program holds with all of that."""
    return lambda: _busy().megabytes


def idle_percent() -> Figure:
    """The share of a processor that an open sandbox takes while nobody does anything."""

    def measure() -> float:
        with _in_terminal(*_SANDBOX) as terminal:
            terminal.wait(_has_prompt)
            terminal.settle()
            before, began = _processor_seconds(terminal), time.perf_counter()
            while (passed := time.perf_counter() - began) < IDLE_SECONDS:
                terminal.read(IDLE_SECONDS - passed)
            return 100 * (_processor_seconds(terminal) - before) / passed

    return measure


@dataclass
class _Busy:
    """A sandbox in which much was printed and is being printed."""

    lines_milliseconds: float = 0.0
    megabytes: float = 0.0
    key_milliseconds: list[float] = field(default_factory=list)


@cache
def _busy() -> _Busy:
    found = _Busy()
    with _in_terminal(*_SANDBOX) as terminal:
        terminal.wait(_has_prompt)
        terminal.settle()
        began = time.perf_counter()
        terminal.type(f"seq 1 {SCROLLBACK_LINES}\r")
        last = str(SCROLLBACK_LINES)
        shown = terminal.wait(lambda screen: last in screen.lines and _has_prompt(screen))
        found.lines_milliseconds = 1000 * (shown - began)
        _stream_beside(terminal)
        found.key_milliseconds = _type(terminal, KEYS)
        found.megabytes = _megabytes(terminal)
    return found


def _stream_beside(terminal: InTerminal) -> None:
    """Let output run in a pane below, and come back."""
    terminal.press("ctrl+b", "-")
    terminal.wait(lambda screen: screen.text.count(_PROMPT) == 2)
    terminal.type(f"{_STREAM}\r")
    terminal.wait_for("199")
    terminal.press("ctrl+b", "o")
    terminal.settle(0.05)


def _type(terminal: InTerminal, count: int) -> list[float]:
    """Milliseconds from each of so many keys until the line holds its character."""
    times: list[float] = []
    typed = ""
    while len(times) < count:
        if len(typed) == _LINE_LENGTH:
            terminal.press("ctrl+u")
            typed = ""
            terminal.wait(lambda screen: f"{_PROMPT} a" not in screen.text)
        _read_for(terminal, _KEY_GAP_SECONDS)
        typed += "abcdefghij"[len(typed) % 10]
        wanted = f"{_PROMPT} {typed}"
        pressed = time.perf_counter()
        terminal.type(typed[-1])
        times.append(1000 * (terminal.wait_for(wanted) - pressed))
    return times


def _read_for(terminal: InTerminal, seconds: float) -> None:
    end = time.perf_counter() + seconds
    while (left := end - time.perf_counter()) > 0:
        terminal.read(left)


def _in_terminal(*argv: str) -> InTerminal:
    return InTerminal(argv, columns=COLUMNS, rows=ROWS, home=_home())


@cache
def _home() -> Path:
    folder = tempfile.TemporaryDirectory(prefix="breakfix-bench-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _has_footer(screen: TerminalScreen) -> bool:
    return "Menu" in screen.lines[-1]


def _has_prompt(screen: TerminalScreen) -> bool:
    return _PROMPT in screen.text


def _processor_seconds(terminal: InTerminal) -> float:
    fields = _of_process(terminal, "stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _megabytes(terminal: InTerminal) -> float:
    return int(_of_process(terminal, "status").partition("VmRSS:")[2].split()[0]) / 1024


def _of_process(terminal: InTerminal, name: str) -> str:
    """A file of Linux's about the program. Raises FileNotFoundError elsewhere."""
    return Path(f"/proc/{terminal.process.pid}/{name}").read_text("ascii", "replace")
