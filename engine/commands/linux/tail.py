"""tail of GNU coreutils 9.4. -f looks at its files once a second of simulated time. Texts compared with coreutils
9.1's.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable
from dataclasses import dataclass, replace

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import clock, paths
from engine.commands.linux._support.program import program
from engine.commands.linux._support.sizes import parse_size
from engine.commands.linux._support.words import name, word
from engine.commands.options import Option, Parsed, UsageError
from engine.control import processes
from engine.hostfs.tree import FileError
from engine.kernel.units import SECOND

_OLD_FORM = re.compile(r"([-+])(\d*)([bcl]?)(f?)")


@dataclass(slots=True)
class _Followed:
    """A file that is watched: how much of it was shown, and whether it is there."""

    title: str
    place: str
    shown: int = 0
    present: bool = True


async def run(ctx: Context, parsed: Parsed) -> int:
    """Print the ends of the operands, and go on with -f."""
    return await _Tail(ctx, parsed).run()


class _Tail:
    def __init__(self, ctx: Context, parsed: Parsed) -> None:
        self.ctx, self.parsed = ctx, parsed
        self.operands = parsed.operands or ["-"]
        self.from_start, self.count, self.bytes = _amount(ctx, parsed)
        self.by_name = "follow_retry" in parsed or parsed["follow"] == "name"
        self.retry = "follow_retry" in parsed or "retry" in parsed
        self.following = "follow_flag" in parsed or "follow" in parsed or "follow_retry" in parsed
        self.titled = len(self.operands) > 1
        for key, _ in parsed.given:
            self.titled = {"quiet": False, "verbose": True}.get(key, self.titled)
        self.last_title: str | None = None
        self.status = 0

    async def run(self) -> int:
        interval = _interval(self.ctx, self.parsed)
        pids = _pids(self.ctx, self.parsed)
        files = []
        for operand in self.operands:
            followed = await self._first(operand)
            if followed:
                files.append(followed)
        if self.following and files:
            await self._follow(files, interval, pids)
        if self.following and not files and any(operand != "-" for operand in self.operands):
            self.ctx.error("tail: no files remaining")
            return 1
        return self.status

    async def _first(self, operand: str) -> _Followed | None:
        """Show the end of a file. Returns it if it can be followed."""
        if operand == "-":
            data = await self.ctx.stdin.read()
            self._show("standard input", self._end(data), always=True)
            return None
        followed = _Followed(operand, paths.absolute(self.ctx, operand))
        try:
            data = paths.read(self.ctx, operand)
        except FileError as error:
            return self._unreadable(followed, error)
        followed.shown = len(data)
        self._show(operand, self._end(data), always=True)
        return followed

    def _unreadable(self, followed: _Followed, error: FileError) -> _Followed | None:
        self.status = 1
        if error.text == "Is a directory":
            self._title(followed.title)
            self.ctx.error(f"tail: error reading {name(followed.title)}: {error.text}")
            return None
        self.ctx.error(f"tail: cannot open {name(followed.title)} for reading: {error.text}")
        followed.present = False
        return followed if self.retry and self.following else None

    def _end(self, data: bytes) -> bytes:
        if self.bytes:
            if self.from_start:
                return data[max(self.count - 1, 0) :]
            return data[-self.count :] if self.count else b""
        end = b"\0" if "zero_terminated" in self.parsed else b"\n"
        lines = data.split(end)
        last = lines.pop()
        whole = [line + end for line in lines] + ([last] if last else [])
        if self.from_start:
            return b"".join(whole[max(self.count - 1, 0) :])
        return b"".join(whole[-self.count :]) if self.count else b""

    def _show(self, title: str, data: bytes, always: bool = False) -> None:
        if data or always:
            self._title(title)
        self.ctx.write(data)

    def _title(self, title: str) -> None:
        if self.titled and title != self.last_title:
            self.ctx.write(("\n" if self.last_title is not None else "") + f"==> {title} <==\n")
        self.last_title = title

    async def _follow(self, files: list[_Followed], interval: int, pids: list[int]) -> None:
        generation = -1
        while True:
            world = self.ctx.world
            if world.generation != generation or self.ctx.now % SECOND == 0:
                generation = world.generation
                for followed in files:
                    self._look_again(followed)
            running = {process.pid for process in processes.processes(world, self.ctx.host)} if pids else set()
            if pids and not running & set(pids):
                return
            await self.ctx.sleep(interval)

    def _look_again(self, followed: _Followed) -> None:
        files = paths.tree(self.ctx)
        try:
            size = files.stat(followed.place).size
            data = files.read(followed.place)
        except FileError as error:
            if followed.present and self.by_name:
                self.ctx.error(f"tail: {name(followed.title)} has become inaccessible: {error.text}")
            followed.present = False
            return
        if not followed.present:
            if not self.by_name:
                return
            self.ctx.error(f"tail: {name(followed.title)} has appeared;  following new file")
            followed.present, followed.shown = True, 0
        size = max(size, len(data))
        if size < followed.shown:
            self.ctx.error(f"tail: {followed.title}: file truncated")
            followed.shown = 0
        self._show(followed.title, data[followed.shown :])
        followed.shown = len(data)


def _amount(ctx: Context, parsed: Parsed) -> tuple[bool, int, bool]:
    """(counted from the start, how many, bytes instead of lines)."""
    given = [(key, value) for key, value in parsed.given if key in ("lines", "bytes")]
    if not given:
        return False, 10, False
    key, text = given[-1]
    digits = text.lstrip("+-")
    count = parse_size(digits)
    if count is None or len(text) - len(digits) > 1:
        raise UsageError(f"tail: invalid number of {key}: {word(ctx.environment, text)}\n")
    return text.startswith("+"), count, key == "bytes"


def _interval(ctx: Context, parsed: Parsed) -> int:
    text = parsed["sleep_interval"]
    interval = SECOND if text is None else clock.seconds(text)
    if interval is None:
        raise UsageError(f"tail: invalid number of seconds: {word(ctx.environment, text)}\n")
    return interval or SECOND // 10


def _pids(ctx: Context, parsed: Parsed) -> list[int]:
    for text in parsed.all("pid"):
        if not text.isdigit():
            raise UsageError(f"tail: invalid PID: {word(ctx.environment, text)}\n")
    return [int(text) for text in parsed.all("pid")]


def _with_old_form(command: Command) -> Command:
    """`tail -5 f`, `tail +5 f`, `tail -5f f`."""

    def run_modern(ctx: Context) -> int | Awaitable[int]:
        match = _OLD_FORM.fullmatch(ctx.arguments[0]) if ctx.arguments else None
        if not match or not match[2] or (match[1] == "+" and len(ctx.arguments) > 2):
            return command.run(ctx)
        option = "-c" if match[3] == "c" else "-n"
        words = [option, ("+" if match[1] == "+" else "") + match[2], *(["-f"] if match[4] else [])]
        return command.run(replace(ctx, arguments=(*words, *ctx.arguments[1:])))

    return replace(command, run=run_modern)


COMMAND = _with_old_form(
    program(
        "tail",
        "print the end of files",
        run,
        synopsis="tail [OPTION]... [FILE]...",
        options=(
            Option("c", "bytes", "[+]NUM", help="the last NUM bytes; +NUM: from byte NUM on"),
            Option("f", None, name="follow_flag", help="go on as the file grows"),
            Option(None, "follow", "HOW", optional=True, help="the same; by name or by descriptor"),
            Option("F", None, name="follow_retry", help="like --follow=name --retry"),
            Option("n", "lines", "[+]NUM", help="the last NUM lines, 10 if not given; +NUM: from line NUM on"),
            Option(None, "pid", "PID", help="with -f, end when PID ends"),
            Option("q", "quiet", help="no titles"),
            Option(None, "silent", name="quiet", help="the same"),
            Option(None, "retry", help="keep trying to open a file"),
            Option("s", "sleep-interval", "N", help="with -f, look every N seconds"),
            Option("v", "verbose", help="always titles"),
            Option("z", "zero-terminated", help="lines end with NUL"),
        ),
        manual="Several files get titles. With -f, Ctrl-C ends it.",
    )
)
