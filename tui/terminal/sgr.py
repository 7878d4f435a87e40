"""Colours and attributes of printed text: what an SGR sequence changes, and a line as runs of one look each.

A stored line is text with SGR sequences and no other control character; every line begins plain.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from rich.color import Color
from rich.style import Style

SEQUENCE = re.compile(r"\x1b\[([0-9;:]{0,64})m")

# Attributes by the code that sets them. Blinking is shown as bold: nothing blinks here.
_SET = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 5: "bold", 6: "bold", 7: "reverse", 8: "conceal",
        9: "strike", 21: "underline"}  # fmt: skip
_UNSET = {22: ("bold", "dim"), 23: ("italic",), 24: ("underline",), 27: ("reverse",), 28: ("conceal",), 29: ("strike",)}
_CODES = {"bold": "1", "dim": "2", "italic": "3", "underline": "4", "reverse": "7", "conceal": "8", "strike": "9"}
_BRIGHT = 8
_LARGEST = 255


class Look(NamedTuple):
    """How text looks: names of attributes in order, and the SGR codes of its two colours (empty: the usual one)."""

    attributes: tuple[str, ...] = ()
    colour: str = ""
    background: str = ""

    @property
    def sgr(self) -> str:
        """The sequence that leads from any look to this one."""
        codes = [_CODES[name] for name in self.attributes]
        codes += [code for code in (self.colour, self.background) if code]
        return f"\x1b[{';'.join(['0', *codes])}m"


PLAIN = Look()


@dataclass(frozen=True, slots=True)
class Line:
    """A stored line, read: its text, and its runs of (text, look)."""

    text: str
    runs: tuple[tuple[str, Look], ...]


@lru_cache(maxsize=1024)
def read(raw: str) -> Line:
    """A stored line's text and runs; neighbouring runs differ in their look."""
    if "\x1b" not in raw:
        return Line(raw, ((raw, PLAIN),) if raw else ())
    runs: list[tuple[str, Look]] = []
    for text, look in _pieces(raw):
        if runs and runs[-1][1] == look:
            runs[-1] = (runs[-1][0] + text, look)
        else:
            runs.append((text, look))
    return Line("".join(text for text, _ in runs), tuple(runs))


def _pieces(raw: str) -> Iterator[tuple[str, Look]]:
    look, position = PLAIN, 0
    for match in SEQUENCE.finditer(raw):
        if match.start() > position:
            yield raw[position : match.start()], look
        look, position = changed(look, match[1]), match.end()
    if position < len(raw):
        yield raw[position:], look


def text_of(raw: str) -> str:
    """A stored line without its looks."""
    return SEQUENCE.sub("", raw) if "\x1b" in raw else raw


def look_after(raw: str, look: Look = PLAIN) -> Look:
    """The look that text after `raw` has."""
    for parameters in SEQUENCE.findall(raw):
        look = changed(look, parameters)
    return look


@lru_cache(maxsize=2048)
def changed(look: Look, parameters: str) -> Look:
    """A look after an SGR sequence with these parameters; unknown ones change nothing."""
    attributes, colour, background = set(look.attributes), look.colour, look.background
    fields = iter(parameters.split(";"))
    for field in fields:
        word, _, rest = field.partition(":")
        code = int(word or 0)
        if code == 0:
            attributes, colour, background = set(), "", ""
        elif code in _SET:
            attributes.add(_SET[code])
        elif code in _UNSET:
            attributes.difference_update(_UNSET[code])
        elif 30 <= code <= 37 or 90 <= code <= 97:
            colour = word
        elif 40 <= code <= 47 or 100 <= code <= 107:
            background = word
        elif code == 39:
            colour = ""
        elif code == 49:
            background = ""
        elif code in (38, 48, 58):
            value = _extended(rest.split(":") if rest else None, fields)
            colour = f"38;{value}" if value and code == 38 else colour
            background = f"48;{value}" if value and code == 48 else background
    return Look(tuple(name for name in _CODES if name in attributes), colour, background)


def _extended(parts: list[str] | None, fields: Iterator[str]) -> str | None:
    """One of the 256 colours (`5;n`) or one by red, green, blue (`2;r;g;b`), after 38, 48 or 58. Its parameters stand
    in `parts` (colon form) or in the `fields` that follow.
    """
    kind = parts[0] if parts else next(fields, "")
    count = {"5": 1, "2": 3}.get(kind)
    if count is None:
        return None
    values = parts[-count:] if parts else [next(fields, "") for _ in range(count)]
    numbers = [int(value) if value.isdigit() else 0 for value in values]
    if len(numbers) < count or max(numbers) > _LARGEST or (parts and len(parts) <= count):
        return None
    return ";".join([kind, *map(str, numbers)])


@lru_cache(maxsize=2048)
def style_of(look: Look) -> Style:
    """The rich style of a look. The sixteen colours stay what the terminal's or the theme's palette makes of them."""
    attributes: dict[str, Any] = dict.fromkeys(look.attributes, True)
    return Style(color=_colour(look.colour, 30, 90), bgcolor=_colour(look.background, 40, 100), **attributes)


def _colour(code: str, normal: int, bright: int) -> Color | None:
    if not code:
        return None
    numbers = [int(part) for part in code.split(";")]
    if len(numbers) == 1:
        number = numbers[0]
        return Color.from_ansi(number - bright + _BRIGHT if number >= bright else number - normal)
    if numbers[1] == 5:
        return Color.from_ansi(numbers[2])
    return Color.from_rgb(*numbers[2:5])
