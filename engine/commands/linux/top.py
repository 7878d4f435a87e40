"""top of procps-ng 4.0.4: the busiest processes, on the screen or in batches (-b); screenfuls follow each other where
the terminal cannot show a full screen. Layout compared with procps-ng
4.0.2's.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import clock, top_display
from engine.commands.linux._support.keys import plain
from engine.commands.linux._support.ownership import user_id
from engine.commands.linux._support.top_display import View
from engine.commands.options import Option, UsageError, option_lines, parse
from engine.control.processes import Kill
from engine.kernel.units import MILLISECOND, SECOND

SYNOPSIS = "top [OPTION]..."
_DEFAULT_DELAY = 3 * SECOND
_BATCH_WIDTH = 512
OPTIONS = (
    Option("b", "batch", help="print frames one after the other"),
    Option("c", "cmdline-toggle", help="whole command lines"),
    Option("d", "delay", "SECS", help="seconds between frames, 3 if not given"),
    Option("E", "scale-summary-mem", "SCALE", help="unit of the summary's memory"),
    Option("e", "scale-task-mem", "SCALE", help="unit of the list's memory"),
    Option("H", "threads-show", help="threads"),
    Option("i", "idle-toggle", help="without idle processes"),
    Option("n", "iterations", "NUMBER", help="so many frames"),
    Option("O", "list-fields", help="list the fields"),
    Option("o", "sort-override", "FIELD", help="sort by FIELD"),
    Option("p", "pid", "PIDS", help="only these processes"),
    Option("S", "accum-time-toggle", help="times with those of children"),
    Option("s", "secure-mode", help="no dangerous keys"),
    Option("U", "filter-any-user", "USER", help="only this user's"),
    Option("u", "filter-only-euser", "USER", help="only this user's"),
    Option("w", "width", "COLUMNS", optional=True, help="width of the lines"),
    Option("1", "single-cpu-toggle", help="CPUs apart"),
    Option("V", "version", help="print the version and end"),
    Option("h", "help", help="print this text and end"),
)


async def run(ctx: Context) -> int:
    """Show frames."""
    parsed = parse("top", OPTIONS, ctx.arguments)
    if "help" in parsed:
        ctx.write("\n".join([f"Usage: {SYNOPSIS}", "", *option_lines(OPTIONS), "", "The manual: man top", ""]))
        return 0
    if "version" in parsed:
        ctx.line("  top from procps-ng 4.0.4")
        return 0
    if "list_fields" in parsed:
        for name in top_display.SORTABLE:
            ctx.line(name)
        return 0
    view = View(command_lines="cmdline_toggle" in parsed, idle="idle_toggle" not in parsed)
    _choose(
        ctx, view, parsed["sort_override"], parsed["filter_only_euser"] or parsed["filter_any_user"], parsed.all("pid")
    )
    delay = _delay(parsed["delay"])
    count = _count(parsed["iterations"])
    if "batch" not in parsed and ctx.terminal is not None:
        screen = Top(ctx, view)
        status = await ctx.terminal.show(screen, delay)
        if status is not None:
            return status
        return await _pictures(ctx, screen, delay, count)
    elif "batch" not in parsed:
        ctx.error("top: failed tty get")
        return 1
    return await _batches(ctx, view, delay, count)


def _choose(ctx: Context, view: View, sort: str | None, user: str | None, pids: list[str]) -> None:
    if sort is not None:
        name = sort.lstrip("+-").upper()
        if name not in top_display.SORTABLE:
            raise UsageError(f"top: unrecognized field name '{sort}'\n")
        view.sort, view.reverse = name, sort.startswith("+")
    if user is not None:
        view.user = user_id(ctx, user)
        if view.user is None:
            raise UsageError("top: Invalid user\n")
    numbers = [text for word in pids for text in word.split(",")]
    for text in numbers:
        if not text.isdigit():
            raise UsageError(f"top: bad pid '{text}'\n")
    view.pids = frozenset(map(int, numbers))


def _delay(text: str | None) -> int:
    if text is None:
        return _DEFAULT_DELAY
    time = clock.seconds(text)
    if time is None:
        raise UsageError(f"top: bad delay interval '{text}'\n")
    return max(time, 100 * MILLISECOND)


def _count(text: str | None) -> int:
    if text is None:
        return 0
    if not text.isdigit() or not int(text):
        raise UsageError(f"top: bad iterations argument '{text}'\n")
    return int(text)


async def _pictures(ctx: Context, screen: Top, delay: int, count: int) -> int:
    """On a terminal without a full screen: one screenful after the other."""
    assert ctx.terminal is not None
    while True:
        for line in screen.render(ctx.terminal.columns, ctx.terminal.rows):
            ctx.line(line)
        count -= 1
        if count == 0:
            return 0
        ctx.line()
        await ctx.sleep(delay)


async def _batches(ctx: Context, view: View, delay: int, count: int) -> int:
    while True:
        summary, listing = top_display.lines(ctx, view)
        for line in [*summary, "", *listing]:
            ctx.line(line[:_BATCH_WIDTH])
        count -= 1
        if count == 0:
            return 0
        ctx.line()
        await ctx.sleep(delay)


class Top:
    """The screen."""

    def __init__(self, ctx: Context, view: View) -> None:
        self.ctx, self.view = ctx, view
        self.first = 0
        self.question = ""
        self.typed = ""
        self.message = ""

    def render(self, columns: int, rows: int) -> list[str]:
        """The summary and as many processes as fit."""
        summary, listing = top_display.lines(self.ctx, self.view)
        self.first = max(0, min(self.first, len(listing) - 2))
        shown = top_display.coloured(summary, [listing[0], *listing[1 + self.first :]], columns)
        shown[len(summary)] = f"{self.question} {self.typed}" if self.question else self.message
        return shown[:rows]

    async def key(self, name: str) -> int | None:
        """Keys of top: q, P, M, N, T, R, c, i, u, k, 1 and the arrows."""
        key = plain(name)
        if self.question:
            self._type(key)
            return None
        self.message = ""
        if key in ("q", "ctrl+c"):
            return 0
        orders = {"P": "%CPU", "M": "%MEM", "N": "PID", "T": "TIME+"}
        questions = {"k": "PID to signal/kill", "u": "Which user (blank for all)"}
        moves = {"down": 1, "up": -1, "pagedown": 20, "pageup": -20}
        if key in orders:
            self.view.sort = orders[key]
        elif key in questions:
            self.question, self.typed = questions[key], ""
        elif key in moves:
            self.first = max(0, self.first + moves[key])
        elif key == "R":
            self.view.reverse = not self.view.reverse
        elif key == "c":
            self.view.command_lines = not self.view.command_lines
        elif key == "i":
            self.view.idle = not self.view.idle
        return None

    def _type(self, key: str) -> None:
        if key == "enter":
            self._answer()
            self.question = ""
        elif key in ("escape", "ctrl+c"):
            self.question = ""
        elif key == "backspace":
            self.typed = self.typed[:-1]
        elif len(key) == 1:
            self.typed += key

    def _answer(self) -> None:
        if self.question.startswith("Which"):
            self.view.user = user_id(self.ctx, self.typed) if self.typed else None
            if self.typed and self.view.user is None:
                self.message = " Invalid user"
        elif self.typed.isdigit():
            refusal: str | None = self.ctx.simulation.apply(
                Kill(self.ctx.host, int(self.typed), 15, self.ctx.identity.name)
            )
            self.message = f" Failed signal pid '{self.typed}' with '15': {refusal}" if refusal else ""


COMMAND = Command(
    "top",
    "show the busiest processes",
    run,
    SYNOPSIS,
    OPTIONS,
    """Keys on the screen: q ends; P, M, N and T sort by CPU, memory, pid and time, R turns the order round; c shows
command lines, i hides what is idle, u asks for a user, k for a process to end. %CPU counts 100 for each CPU that
is kept busy.""",
)
