"""What programs print, as lines: bytes come in any pieces, lines of text with SGR sequences go out.

Carriage return, backspace, tab, erasing within the line and clearing the screen are understood. No other control
character or sequence reaches the screen: whatever a learner prints, the real terminal is safe.
"""

from __future__ import annotations

import codecs
import re
from typing import Protocol

from tui.terminal.overwriting import CellLine
from tui.terminal.sgr import PLAIN, Look, changed, look_after

LINE_LIMIT = 200_000
"""Characters of a line that are kept."""

CUT = "\x1b[0;2m [the rest of this line is not shown]\x1b[0m"

# Zero-width characters that reorder or join others (marks of direction, joiners, variation selectors): with them a
# text's width is not the sum of its characters'.
_INVISIBLE = "\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
_ODD = re.compile(rf"[\x00-\x09\x0b-\x1a\x1c-\x1f\x7f-\x9f{_INVISIBLE}]|\x1b(?!\[[0-9;:]{{0,64}}m)")
_ODD_BUT_TAB = re.compile(rf"[\x00-\x08\x0b-\x1f\x7f-\x9f{_INVISIBLE}]")
_PARTIAL = re.compile(r"\x1b(?:\[[0-?]{0,64}[ -/]{0,8}|[ -/]{0,8})")
_TOKEN = re.compile(
    rf"(?P<text>[^\x00-\x1f\x7f-\x9f{_INVISIBLE}]+)"
    r"|\x1b\[(?P<sgr>[0-9;:]{0,64})m"
    r"|\x1b\[(?P<parameters>[0-?]{0,64})[ -/]{0,8}(?P<final>[@-~]?)"
    r"|(?P<string>\x1b[\]PX^_])"
    r"|\x1b[ -/]{0,8}(?P<escape>[0-~]?)"
    r"|(?P<control>.)",
    re.DOTALL,
)
_STRING_END = re.compile(r"[\x07\x18\x1a\x9c]|\x1b\\?")


class Sheet(Protocol):
    """Where lines go."""

    def append(self, lines: list[str]) -> None:
        """Complete lines."""

    def clear(self) -> None:
        """What follows begins on an empty screen."""


class Output:
    """The stream of one terminal, on its way to a sheet. `open` is the line that has not ended yet."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._look = PLAIN
        self._open = ""
        self._cells: CellLine | None = None
        self._carry = ""
        self._in_string = False
        self._at_home = False

    @property
    def open(self) -> str:
        """The line that has not ended yet, as lines are stored."""
        return self._finished() if self._cells is not None else self._open

    def feed(self, data: bytes) -> None:
        """More bytes."""
        text = self._carry + self._decoder.decode(data)
        self._carry = ""
        last = text.rfind("\x1b")
        if last >= 0 and _PARTIAL.fullmatch(text, last):
            text, self._carry = text[:last], text[last:]
        elif text.endswith("\r"):
            text, self._carry = text[:-1], "\r"
        if "\r" in text:
            text = text.replace("\r\n", "\n")
        first, *others = text.split("\n")
        self._take(first)
        if others:
            self._end_line()
            self._take_lines(others[:-1])
            self._take(others[-1])

    def take_open(self) -> str:
        """The unfinished line, which is no longer part of the output: a prompt goes on with it."""
        raw = self.open
        self.abandon()
        self._begin_line(PLAIN)
        return raw

    def abandon(self) -> None:
        """What has begun (a character, a sequence) will not be finished: its program was stopped."""
        self._carry, self._in_string = "", False
        self._decoder.reset()

    def put_open(self, raw: str) -> None:
        """Begin the next line with what was stored: a prompt that a program's output goes on with."""
        self._begin_line(PLAIN)
        self._open = raw

    def _take_lines(self, texts: list[str]) -> None:
        """Whole lines, those without anything odd as fast as can be."""
        plain = self._look == PLAIN
        lines: list[str] = []
        for text in texts:
            if len(text) > LINE_LIMIT or _ODD.search(text):
                self._sheet.append(lines)
                lines = []
                self._take(text)
                self._end_line()
            elif "\x1b" in text or not plain:
                lines.append(text if plain else self._look.sgr + text)
                self._look = look_after(text, self._look)
            else:
                lines.append(text)
                continue
            plain = self._look == PLAIN
        self._sheet.append(lines)
        self._begin_line(self._look)

    def _take(self, text: str) -> None:
        """A part of the open line."""
        if not text:
            return
        if self._cells is None and not self._in_string and len(self._open) + len(text) <= LINE_LIMIT:
            if not _ODD.search(text):
                self._open += text
                self._look = look_after(text, self._look) if "\x1b" in text else self._look
                self._at_home = False
                return
            joined = self._open + text
            if joined.isascii() and not _ODD_BUT_TAB.search(joined):
                self._open = joined.expandtabs(8)
                return
        if self._cells is None:
            self._cells = CellLine(LINE_LIMIT, self._open)
        self._take_tokens(text)

    def _take_tokens(self, text: str) -> None:
        position = 0
        while position < len(text):
            if self._in_string:
                found = _STRING_END.search(text, position)
                if found is None:
                    return
                self._in_string = False
                position = found.start() if found[0] == "\x1b" else found.end()
                continue
            match = _TOKEN.match(text, position)
            assert match is not None
            position = match.end()
            self._act(match)

    def _act(self, match: re.Match[str]) -> None:
        cells = self._cells or CellLine(LINE_LIMIT)
        if match["text"]:
            cells.write(match["text"], self._look)
            self._at_home = False
        elif match["sgr"] is not None:
            self._look = changed(self._look, match["sgr"])
        elif match["final"]:
            self._control_sequence(cells, match["final"], match["parameters"])
        elif match["string"]:
            self._in_string = True
        elif match["escape"] == "c":
            self._look = PLAIN
            self._clear()
        elif match["control"] == "\r":
            cells.carriage_return()
        elif match["control"] == "\b":
            cells.backspace()
        elif match["control"] == "\t":
            cells.tab()

    def _control_sequence(self, cells: CellLine, final: str, parameters: str) -> None:
        if final == "K":
            cells.erase(parameters)
        elif final == "H":
            self._at_home = parameters in ("", "1", "1;1", ";")
        elif final == "J" and (parameters == "2" or (self._at_home and parameters in ("", "0"))):
            self._clear()

    def _clear(self) -> None:
        """The screen is cleared: the open line stays above."""
        raw = self.open
        if raw:
            self._sheet.append([raw])
        self._sheet.clear()
        self._begin_line(self._look)
        self._cells = CellLine(LINE_LIMIT)

    def _end_line(self) -> None:
        self._sheet.append([self.open])
        self._begin_line(self._look)
        self._in_string = False

    def _begin_line(self, look: Look) -> None:
        self._look = look
        self._cells = None
        self._open = "" if look == PLAIN else look.sgr

    def _finished(self) -> str:
        assert self._cells is not None
        return self._cells.raw + (CUT if self._cells.cut else "")


class _Lines:
    """A sheet that is a list."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def append(self, lines: list[str]) -> None:
        self.lines += lines

    def clear(self) -> None:
        self.lines.clear()


def stored(text: str) -> list[str]:
    """A text (a prompt, a row of a full-screen program) as lines that can be stored; at least one."""
    sheet = _Lines()
    output = Output(sheet)
    output.feed(text.encode("utf-8", "replace"))
    return [*sheet.lines, output.open]
