"""The pager: less 590, as far as reading a text needs it, and the rule when a tool shows its output through it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.commands.context import Context
from engine.commands.linux._support.keys import plain
from engine.commands.linux._support.patterns import PatternError, compile_pattern

_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")
_REVERSE, _NORMAL = "\x1b[7m", "\x1b[27m"


async def show(ctx: Context, lines: Sequence[str], *, title: str = "", at_end: bool = False, chop: bool = True) -> None:
    """Print `lines`; on a terminal that they do not fit into, page them."""
    terminal = ctx.terminal
    if terminal is not None and len(lines) >= terminal.rows:
        await ctx.flush()
        pager = Pager(lines, title=title, chop=chop)
        if at_end:
            pager.end_wanted = True
        if await terminal.show(pager) is not None:
            return
    for line in lines:
        ctx.line(line)


class Pager:
    """A text on a screen, and where in it the reader is."""

    def __init__(self, lines: Sequence[str], *, title: str = "", chop: bool = False) -> None:
        self.lines, self.title, self.chop = list(lines), title, chop
        self.top = 0
        self.left = 0
        self.rows, self.columns = 24, 80
        self.end_wanted = False
        self.message = title
        self.prompt = ""
        self.typed = ""
        self.pattern = ""
        self.backward = False
        self.count = ""

    def render(self, columns: int, rows: int) -> list[str]:
        """The lines in view and the prompt below them."""
        self.rows, self.columns = rows, columns
        wrapped = self._wrapped()
        if self.end_wanted:
            self.end_wanted = False
            self.top = max(0, len(wrapped) - (rows - 1))
        shown = [self._marked(line) for line in wrapped[self.top : self.top + rows - 1]]
        shown += ["~"] * (rows - 1 - len(shown))
        return [*shown, self._status(len(wrapped))]

    async def key(self, name: str) -> int | None:
        """What a key does; q ends with status 0."""
        key = plain(name)
        if self.prompt:
            self._type(key)
            return None
        self.message = ""
        if key in ("q", "Q", "ctrl+c"):
            return 0
        if key.isdigit():
            self.count += key
            return None
        number, self.count = int(self.count or 0), ""
        self._command(key, number)
        return None

    def _command(self, key: str, number: int) -> None:
        page, steps = self.rows - 1, number or 1
        moves = {
            **dict.fromkeys(("j", "e", "down", "enter", "ctrl+n", "ctrl+e"), steps),
            **dict.fromkeys(("k", "y", "up", "ctrl+p", "ctrl+y"), -steps),
            **dict.fromkeys((" ", "f", "z", "pagedown", "ctrl+f", "ctrl+v"), number or page),
            **dict.fromkeys(("b", "w", "pageup", "ctrl+b"), -(number or page)),
            **dict.fromkeys(("d", "ctrl+d"), number or page // 2),
            **dict.fromkeys(("u", "ctrl+u"), -(number or page // 2)),
        }
        if key in moves:
            self._move(moves[key])
        elif key in ("g", "<", "home"):
            self.top = max(0, number - 1)
        elif key in ("G", ">", "end"):
            self.top = number - 1 if number else max(0, len(self._wrapped()) - page)
        elif key in ("right", "left"):
            self.left = max(0, self.left + (self.columns // 2 if key == "right" else -(self.columns // 2)))
        elif key in ("/", "?"):
            self.prompt, self.typed = key, ""
        elif key in ("n", "N"):
            self._search(self.backward != (key == "N"))

    def _type(self, key: str) -> None:
        if key == "enter":
            self.backward = self.prompt == "?"
            self.pattern = self.typed or self.pattern
            self.prompt = ""
            self._search(self.backward)
        elif key in ("escape", "ctrl+c"):
            self.prompt = ""
        elif key in ("backspace", "ctrl+h"):
            self.typed = self.typed[:-1]
        elif len(key) == 1:
            self.typed += key

    def _search(self, backward: bool) -> None:
        if not self.pattern:
            self.message = "No previous search pattern"
            return
        try:
            pattern = compile_pattern(self.pattern)
        except PatternError:
            self.message = "Invalid pattern"
            return
        lines = self._wrapped()
        places = range(self.top - 1, -1, -1) if backward else range(self.top + 1, len(lines))
        if not backward and self.top == 0 and lines and pattern.search(lines[0]):
            places = range(0, 1)
        for place in places:
            if pattern.search(_COLOURS.sub("", lines[place])):
                self.top = place
                return
        self.message = "Pattern not found"

    def _move(self, steps: int) -> None:
        last = max(0, len(self._wrapped()) - (self.rows - 1))
        self.top = max(0, min(self.top + steps, last))

    def _wrapped(self) -> list[str]:
        if self.chop:
            return [self._cut(line) for line in self.lines]
        width, result = self.columns, []
        for line in self.lines:
            text = line.expandtabs(8)
            pieces = [text[start : start + width] for start in range(0, len(text), width)] or [""]
            result += [text] if "\x1b" in text else pieces
        return result

    def _cut(self, line: str) -> str:
        text = line.expandtabs(8)
        if "\x1b" in text and not self.left:
            return text
        text = _COLOURS.sub("", text)[self.left :]
        return text if len(text) <= self.columns else text[: self.columns - 1] + ">"

    def _marked(self, line: str) -> str:
        if not self.pattern or "\x1b" in line:
            return line
        try:
            pattern = compile_pattern(self.pattern)
        except PatternError:
            return line
        return str(pattern.sub(lambda match: f"{_REVERSE}{match.group()}{_NORMAL}" if match.group() else "", line))

    def _status(self, count: int) -> str:
        if self.prompt:
            return self.prompt + self.typed
        if self.count:
            return ":" + self.count
        if self.message:
            return f"{_REVERSE}{self.message}{_NORMAL}"
        return f"{_REVERSE}(END){_NORMAL}" if self.top + self.rows - 1 >= count else ":"
