"""watch of procps-ng 4.0.4: a command again and again. On a terminal that can, it fills the screen; elsewhere the
frames follow each other.

The command runs in the background of the screen, every interval of simulated time.
"""

from __future__ import annotations

import asyncio
import re

from engine.commands.context import Context
from engine.commands.linux._support import clock
from engine.commands.linux._support.keys import plain
from engine.commands.linux._support.program import PROCPS, program
from engine.commands.linux._support.usage import usage_error
from engine.commands.options import Option, Parsed, UsageError
from engine.commands.streams import Capture, NoInput
from engine.kernel.units import SECOND

_LEAST = SECOND // 10
_LONGEST = 4_294_967 * SECOND
_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")
_REVERSE, _NORMAL = "\x1b[7m", "\x1b[27m"


async def run(ctx: Context, parsed: Parsed) -> int:
    """Run the command until Ctrl-C, or until something asks for the end."""
    if not parsed.operands:
        raise usage_error(ctx)
    watch = _Watch(ctx, parsed)
    status = await watch.frame()
    if ctx.terminal is not None and status is None:
        await ctx.flush()
        ticker = asyncio.ensure_future(watch.tick())
        try:
            ended = await ctx.terminal.show(watch, watch.interval)
        finally:
            ticker.cancel()
            await asyncio.gather(ticker, return_exceptions=True)
        if ended is not None:
            return watch.ended or ended
    return await watch.print_frames(status)


class _Watch:
    """The command and what it showed last."""

    def __init__(self, ctx: Context, parsed: Parsed) -> None:
        self.ctx, self.parsed = ctx, parsed
        self.interval = _interval(ctx, parsed)
        self.words = parsed.operands
        self.lines: list[str] = []
        self.before: list[str] | None = None
        self.same = 0
        self.ended: int | None = None

    async def frame(self) -> int | None:
        """Run the command once. Returns a status if that is the end."""
        ctx, output = self.ctx, Capture()
        if "exec" in self.parsed:
            status = await ctx.runner.run(self.words, ctx.place, stdin=NoInput(), stdout=output, stderr=output)
        else:
            status = await ctx.runner.script(
                " ".join(self.words), ctx.place, stdin=NoInput(), stdout=output, stderr=output
            )
        self.before = self.lines if self.before is not None or self.lines else None
        self.lines = output.text.rstrip("\n").split("\n")
        return self._end(status)

    def _end(self, status: int) -> int | None:
        if "errexit" in self.parsed and status:
            return 8
        changed = self.before is not None and self.before != self.lines
        self.same = 0 if changed else self.same + 1
        if "chgexit" in self.parsed and changed:
            return 0
        limit = self.parsed["equexit"]
        return 0 if limit and limit.isdigit() and self.same > int(limit) else None

    async def tick(self) -> None:
        """New frames for the screen."""
        while self.ended is None:
            await self.ctx.clock.sleep(self.interval)
            self.ended = await self.frame()

    async def print_frames(self, status: int | None) -> int:
        """Frames one after the other."""
        while True:
            for line in self.shown(self._columns()):
                self.ctx.line(line)
            if status is not None:
                return status
            await self.ctx.sleep(self.interval)
            self.ctx.line()
            status = await self.frame()

    def _columns(self) -> int:
        return self.ctx.terminal.columns if self.ctx.terminal else 80

    def shown(self, columns: int) -> list[str]:
        """The title and the output."""
        lines = self.lines if "color" in self.parsed else [_COLOURS.sub("", line) for line in self.lines]
        if "differences" in self.parsed and self.before is not None:
            lines = [
                _marked(line, self.before[index] if index < len(self.before) else "")
                for index, line in enumerate(lines)
            ]
        return lines if "no_title" in self.parsed else [self._title(columns), "", *lines]

    def _title(self, columns: int) -> str:
        """Never wider than the terminal: the command is cut first, then all but the host and the time goes, as
        output_header of watch.c does it.
        """
        tenths, command = self.interval * 10 // SECOND, " ".join(self.words)
        every = f"Every {tenths // 10}.{tenths % 10}s: "
        now = f"{self.ctx.host}: {clock.shown(self.ctx, self.ctx.epoch, '%a %b %e %H:%M:%S %Y')}"
        space = columns - len(now) - len(every) - 1
        if columns < len(now):
            return ""
        if space < 0:
            return now.rjust(columns)
        if len(command) > space:
            command = command[: max(0, space - 3)] + "..."[:space]
        return (every + command).ljust(columns - len(now)) + now

    def render(self, columns: int, rows: int) -> list[str]:
        """What fits on the screen."""
        return self.shown(columns)[:rows]

    async def key(self, name: str) -> int | None:
        """Ctrl-C ends it; a space runs the command at once."""
        key = plain(name)
        if self.ended is not None or key in ("ctrl+c", "q"):
            return self.ended or 0
        if key == " ":
            self.ended = await self.frame()
        return self.ended


def _marked(line: str, before: str) -> str:
    """What differs from the frame before, reversed."""
    shown, marked = "", False
    for index, character in enumerate(line):
        differs = index >= len(before) or before[index] != character
        if differs != marked:
            shown += _REVERSE if differs else _NORMAL
            marked = differs
        shown += character
    return shown + (_NORMAL if marked else "")


def _interval(ctx: Context, parsed: Parsed) -> int:
    text: str = parsed["interval"] or ctx.environment.get("WATCH_INTERVAL") or "2"
    time = clock.seconds(text.replace(",", "."))
    if time is None:
        raise UsageError(f"watch: failed to parse argument: '{text}': Invalid argument\n")
    return max(_LEAST, min(time, _LONGEST))


COMMAND = program(
    "watch",
    "run a command again and again",
    run,
    suite=PROCPS,
    synopsis="watch [OPTION]... COMMAND",
    options=(
        Option("b", "beep", help="beep if the command fails"),
        Option("c", "color", help="keep its colours"),
        Option("C", "no-color", help="do not keep its colours"),
        Option("d", "differences", "PERMANENT", optional=True, help="mark what changed"),
        Option("e", "errexit", help="end if the command fails"),
        Option("g", "chgexit", help="end when the output changes"),
        Option("q", "equexit", "CYCLES", help="end when it has not changed for so many runs"),
        Option("n", "interval", "SECONDS", help="how long to wait, 2 if not given"),
        Option("p", "precise", help="keep to the interval"),
        Option("r", "no-rerun", help="not again when the window's size changes"),
        Option("t", "no-title", help="no title"),
        Option("w", "no-wrap", help="do not wrap lines"),
        Option("x", "exec", help="run the words, without a shell"),
    ),
    manual="The words are given to `sh -c`: quote what the shell should see. Ctrl-C ends it.",
    permute=False,
)
