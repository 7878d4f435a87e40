"""A program in a terminal of its own (a pty): what it paints, and a person's keys and mouse.

with InTerminal(["breakfix"], home=tmp_path) as terminal:
    terminal.wait_for("Drills")
    terminal.press("ctrl+b", "Q")
    assert terminal.ended() == 0
"""

from __future__ import annotations

import codecs
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from tests.support.terminal_screen import TerminalScreen

BREAKFIX = str(Path(sys.executable).with_name("breakfix"))
PATIENCE_SECONDS = 30.0

_RAW_KEPT = 10_000

_KEYS = {
    "enter": "\r", "escape": "\x1b", "tab": "\t", "backspace": "\x7f", "space": " ", "shift+tab": "\x1b[Z",
    "up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
    "pageup": "\x1b[5~", "pagedown": "\x1b[6~", "f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS",
    "f6": "\x1b[17~", "f7": "\x1b[18~", "f8": "\x1b[19~", "f9": "\x1b[20~",
}  # fmt: skip


class InTerminal:
    """A running program. `screen` is what it has painted so far, `raw` the last of what it wrote."""

    def __init__(
        self,
        argv: Sequence[str],
        *,
        columns: int = 80,
        rows: int = 24,
        home: Path | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.screen = TerminalScreen(columns, rows)
        self.raw = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._master, slave = pty.openpty()
        _set_size(slave, columns, rows)
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            [BREAKFIX if argv[0] == "breakfix" else argv[0], *argv[1:]],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env={**_environment(home), **(environment or {})},
        )
        os.close(slave)

    def __enter__(self) -> InTerminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def type(self, text: str) -> None:
        """Send text as it is."""
        os.write(self._master, text.encode())

    def press(self, *keys: str) -> None:
        """Send keys by their names: `enter`, `ctrl+b`, `f2`, or the character itself."""
        for key in keys:
            control = key.removeprefix("ctrl+")
            self.type(chr(ord(control) & 31) if control != key else _KEYS.get(key, key))

    def click(self, column: int, row: int) -> None:
        """Click the left button on a cell, counted from 0."""
        self.type(f"\x1b[<0;{column + 1};{row + 1}M\x1b[<0;{column + 1};{row + 1}m")

    def click_on(self, text: str) -> None:
        """Click on the first place where this text stands."""
        for number, line in enumerate(self.screen.lines):
            if text in line:
                self.click(line.index(text), number)
                return
        raise AssertionError(f"{text!r} is not on the screen:\n{self.screen.text}")

    def resize(self, columns: int, rows: int) -> None:
        """Another size of the window."""
        self.screen.resize(columns, rows)
        _set_size(self._master, columns, rows)
        os.kill(self.process.pid, signal.SIGWINCH)

    def read(self, seconds: float) -> float | None:
        """Take what the program writes within this time, once. Returns when it came; None if nothing did."""
        if not select.select([self._master], [], [], max(seconds, 0))[0]:
            return None
        try:
            data = os.read(self._master, 1 << 20)
        except OSError:  # Linux says so when the program has gone
            data = b""
        came = time.perf_counter()
        if not data:
            time.sleep(min(seconds, 0.01))
            return None
        text = self._decoder.decode(data)
        self.raw = (self.raw + text)[-_RAW_KEPT:]
        self.screen.feed(text)
        return came

    def wait(self, condition: Callable[[TerminalScreen], bool], seconds: float = PATIENCE_SECONDS) -> float:
        """Until the screen is so. Returns when what made it so came (`time.perf_counter`)."""
        came, end = time.perf_counter(), time.perf_counter() + seconds
        while not condition(self.screen):
            if time.perf_counter() > end:
                raise AssertionError(f"not within {seconds} s; the screen is\n{self.screen.text}")
            came = self.read(0.1) or came
        return came

    def wait_for(self, text: str, seconds: float = PATIENCE_SECONDS) -> float:
        """Until this text is on the screen."""
        return self.wait(lambda screen: text in screen.text, seconds)

    def settle(self, quiet_seconds: float = 0.3) -> None:
        """Until nothing has been written for this long."""
        while self.read(quiet_seconds) is not None:
            continue

    def ended(self, seconds: float = PATIENCE_SECONDS) -> int:
        """The exit status, once the program has ended."""
        end = time.perf_counter() + seconds
        while self.process.poll() is None and time.perf_counter() < end:
            self.read(0.05)
        return self.process.wait(timeout=0.1)

    def close(self) -> None:
        """End the program, if it runs."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self._master)


def _environment(home: Path | None) -> dict[str, str]:
    """That of a plain terminal in colour, with a data folder of its own."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("TEXTUAL", "NO_COLOR"))}
    own = {"BREAKFIX_HOME": str(home)} if home is not None else {}
    return {**inherited, "TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8", **own}


def _set_size(descriptor: int, columns: int, rows: int) -> None:
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
