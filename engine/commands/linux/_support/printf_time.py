"""bash's printf with `%(FORMAT)T`, which prints times, by the simulation's clock. The shell's prologue hands such
calls over.

Printed are the words with every %(...)T replaced by the time of its argument: seconds since 1970, -1 or nothing for
now, -2 for when the shell started (which is now here). Other directives (%s %d %q %b %x %o %c %%) are filled in as
bash does; -v is left to the prologue.
"""

from __future__ import annotations

import re

from engine.commands.context import Context
from engine.commands.linux._support import clock
from engine.commands.linux._support.strftime import format_time
from engine.commands.linux._support.words import listed
from engine.kernel.units import SECOND

_DIRECTIVE = re.compile(
    r"%(?:(?P<flags>[-+ 0#]*)(?P<width>\d*)(?:\.(?P<precision>\d*))?(?:\((?P<time>[^)]*)\)T|(?P<letter>[a-zA-Z]))|%)"
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|u[0-9a-fA-F]{1,4}|.)")
_LETTERS = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "e": "\x1b",
    "\\": "\\",
    '"': '"',
    "'": "'",
}


async def run(ctx: Context) -> int:
    """Print the format filled in with the arguments; the format is used again while arguments are left."""
    words = list(ctx.arguments)
    if words[:1] == ["-v"]:
        words = words[2:]
    if not words:
        return 2
    pattern, arguments = unescaped(words[0]), words[1:]
    ctx.write(filled(ctx, pattern, arguments))
    return 0


def filled(ctx: Context, pattern: str, arguments: list[str]) -> str:
    """What printf prints."""
    queue, text = list(arguments), ""
    while True:
        before = len(queue)
        text += _DIRECTIVE.sub(lambda match: _value(ctx, match, queue), pattern)
        if not queue or len(queue) == before:
            return text


def unescaped(text: str) -> str:
    """Backslash escapes of a format."""

    def one(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] in "xu" and len(code) > 1:
            return chr(int(code[1:], 16))
        return chr(int(code, 8) & 0xFF) if code[0].isdigit() else _LETTERS.get(code, match[0])

    return _ESCAPE.sub(one, text)


def _value(ctx: Context, match: re.Match[str], queue: list[str]) -> str:
    if match[0] == "%%":
        return "%"
    argument = queue.pop(0) if queue else None
    if match["time"] is not None:
        return _aligned(match, _time(ctx, match["time"], argument))
    letter, text = match["letter"], argument or ""
    if letter in "di":
        return _aligned(match, str(_number(text)), zero=True)
    if letter in "xXou":
        return _aligned(match, format(_number(text), {"u": "d"}.get(letter, letter)), zero=True)
    if letter == "c":
        return _aligned(match, text[:1])
    if letter == "q":
        return _aligned(match, listed(text) if text else "''")
    if letter == "b":
        return _aligned(match, unescaped(text))
    return _aligned(match, text[: int(match["precision"])] if match["precision"] else text)


def _time(ctx: Context, pattern: str, argument: str | None) -> str:
    number = _number(argument) if argument else -1
    epoch = ctx.epoch if number in (-1, -2) else number * SECOND
    return format_time(clock.moment(ctx, epoch), pattern or "%X")


def _number(text: str) -> int:
    try:
        return int(text, 0) if text else 0
    except ValueError:
        return 0


def _aligned(match: re.Match[str], text: str, zero: bool = False) -> str:
    width = int(match["width"] or 0)
    if "-" in match["flags"]:
        return text.ljust(width)
    return text.rjust(width, "0" if zero and "0" in match["flags"] else " ")
