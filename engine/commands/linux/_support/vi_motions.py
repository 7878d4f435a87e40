"""Where vi's motions lead: characters, words, line ends, lines, searches. Words as in Vim 9, oddities included."""

from __future__ import annotations

from dataclasses import dataclass

from engine.commands.linux._support.patterns import PatternError, compile_pattern
from engine.commands.linux._support.text_buffer import Buffer

__all__ = ["PatternError", "Place", "find", "first_character", "motion", "vim_pattern"]
_SPECIAL_AFTER_BACKSLASH = {"<": r"\b", ">": r"\b", "=": "?"}
_MOVED, _NEXT_LINE, _ON_END, _STUCK = range(4)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a motion ends. An operator takes whole lines if `linewise`, and what stands there too if `inclusive`."""

    row: int
    column: int
    linewise: bool = False
    inclusive: bool = False


def motion(buffer: Buffer, key: str, count: int | None, page: int, operator: str = "") -> Place | None:
    """Where `key` leads from the cursor; None if it is no motion, or leads nowhere. `operator` is what waits for it."""
    for part in (_vertical, _horizontal):
        known, place = part(buffer, key, count, page)
        if known:
            return place
    return _words(buffer, key, count or 1, operator)


def _vertical(buffer: Buffer, key: str, count: int | None, page: int) -> tuple[bool, Place | None]:
    times, row, last, half = count or 1, buffer.row, len(buffer.lines) - 1, page // 2
    if key in ("G", "gg"):
        target = min(count - 1, last) if count else last if key == "G" else 0
        return True, Place(target, first_character(buffer, target), linewise=True)
    steps = {
        **dict.fromkeys(("j", "down", "ctrl+n", "enter", "+"), times),
        **dict.fromkeys(("k", "up", "-"), -times),
        **{"ctrl+f": page, "pagedown": page, "ctrl+b": -page, "pageup": -page, "ctrl+d": half, "ctrl+u": -half},
    }
    if key not in steps:
        return False, None
    target = max(0, min(row + steps[key], last))
    column = first_character(buffer, target) if key in ("enter", "+", "-") else buffer.column
    return True, Place(target, column, linewise=True) if target != row else None


def _horizontal(buffer: Buffer, key: str, count: int | None, _page: int) -> tuple[bool, Place | None]:
    times, row, column = count or 1, buffer.row, buffer.column
    if key in ("h", "left", "backspace"):
        return True, Place(row, max(0, column - times)) if column else None
    if key in ("l", "right", " "):
        return True, Place(row, min(column + times, len(buffer.line))) if buffer.line else None
    if key in ("0", "home", "^"):
        return True, Place(row, first_character(buffer, row) if key == "^" else 0)
    if key in ("$", "end"):
        target = row + times - 1
        if target >= len(buffer.lines):
            return True, None
        text = buffer.lines[target]
        return True, Place(target, max(0, len(text) - 1), inclusive=bool(text))
    return False, None


def first_character(buffer: Buffer, row: int) -> int:
    """The first character of a line that is no blank."""
    text = buffer.lines[row]
    return min(len(text) - len(text.lstrip()), max(0, len(text) - 1))


class _Walker:
    """Goes through a text character by character. Behind each line's last character is its end, a place too."""

    def __init__(self, buffer: Buffer, big: bool) -> None:
        self.lines, self.row, self.column, self.big = buffer.lines, buffer.row, buffer.column, big

    @property
    def kind(self) -> int:
        """0: a blank or the end of a line, 1: punctuation, 2: a character of a word."""
        sign = self.lines[self.row][self.column : self.column + 1]
        if not sign or sign in " \t":
            return 0
        return 1 if self.big or not (sign.isalnum() or sign == "_") else 2

    @property
    def on_empty_line(self) -> bool:
        return self.column == 0 and not self.lines[self.row]

    @property
    def on_last_line(self) -> bool:
        return self.row == len(self.lines) - 1

    def forward(self) -> int:
        """One character on. Tells whether that led to a line's end, to the next line, or nowhere."""
        length = len(self.lines[self.row])
        if self.column < length:
            self.column += 1
            return _ON_END if self.column == length else _MOVED
        if not self.on_last_line:
            self.row, self.column = self.row + 1, 0
            return _NEXT_LINE
        return _STUCK

    def back(self) -> int:
        """One character back."""
        if self.column:
            self.column -= 1
            return _MOVED
        if self.row:
            self.row -= 1
            self.column = len(self.lines[self.row])
            return _NEXT_LINE
        return _STUCK

    def skip(self, kind: int, onward: bool) -> bool:
        """Go on while characters are of a kind. True if the text ended."""
        while self.kind == kind:
            if (self.forward() if onward else self.back()) == _STUCK:
                return True
        return False


def _words(buffer: Buffer, key: str, times: int, operator: str) -> Place | None:
    """w W b B e E. `cw` on a word is like `ce`, but never goes beyond the word under the cursor."""
    if key not in ("w", "W", "b", "B", "e", "E"):
        return None
    walker = _Walker(buffer, big=key.isupper())
    changes = key in ("w", "W") and operator == "c" and walker.kind != 0
    if key in ("b", "B"):
        moved = _back(walker, times)
    elif key in ("e", "E") or changes:
        moved = _to_ends(walker, times, stay=changes)
    else:
        moved = _onward(walker, times, stop_at_end=bool(operator))
    if not moved and key in ("b", "B") and (walker.row, walker.column) == (buffer.row, buffer.column):
        return None
    if not moved and not operator:
        return Place(walker.row, walker.column) if (walker.row, walker.column) != (buffer.row, buffer.column) else None
    return Place(walker.row, walker.column, inclusive=key in ("e", "E") or changes)


def _onward(walker: _Walker, times: int, stop_at_end: bool) -> bool:
    for left in range(times - 1, -1, -1):
        kind, last_line, final = walker.kind, walker.on_last_line, stop_at_end and left == 0
        step = walker.forward()
        if step == _STUCK or (step != _MOVED and last_line):
            return False
        if step != _MOVED and final:
            return True
        while kind and walker.kind == kind:
            step = walker.forward()
            if step == _STUCK or (step != _MOVED and final):
                return True
        while walker.kind == 0 and not walker.on_empty_line:
            step = walker.forward()
            if step == _STUCK or (step != _MOVED and last_line):
                return True
    return True


def _back(walker: _Walker, times: int) -> bool:
    for _ in range(times):
        if walker.back() == _STUCK:
            return False
        empty = False
        while walker.kind == 0:
            empty = walker.on_empty_line
            if empty:
                break
            if walker.back() == _STUCK:
                return True
        if empty:
            continue
        if walker.skip(walker.kind, onward=False):
            return True
        walker.forward()
    return True


def _to_ends(walker: _Walker, times: int, stay: bool) -> bool:
    for _ in range(times):
        kind = walker.kind
        if walker.forward() == _STUCK:
            return False
        if kind and walker.kind == kind:
            if walker.skip(kind, onward=True):
                return False
        elif not stay or kind == 0:
            while walker.kind == 0:
                if walker.forward() == _STUCK:
                    return False
            if walker.skip(walker.kind, onward=True):
                return False
        walker.back()
        stay = False
    return True


def vim_pattern(text: str) -> str:
    """A pattern in vim's `magic` form as RE2 has it: there, + ? | ( ) { } are special after a backslash only."""
    result, position = [], 0
    while position < len(text):
        sign = text[position]
        if sign == "\\" and position + 1 < len(text):
            following = text[position + 1]
            plain = following if following in "+?|(){}" else f"\\{following}"
            result.append(_SPECIAL_AFTER_BACKSLASH.get(following, plain))
            position += 2
            continue
        result.append(f"\\{sign}" if sign in "+?|(){}" else sign)
        position += 1
    return "".join(result)


def find(buffer: Buffer, text: str, backward: bool) -> tuple[int, int, bool] | None:
    """(row, column, went around the end) of the next match, or None. Raises PatternError."""
    pattern = compile_pattern(vim_pattern(text))
    here = (buffer.row, buffer.column)
    places = [(row, match.start()) for row, line in enumerate(buffer.lines) for match in pattern.finditer(line)]
    if not places:
        return None
    onward = [place for place in places if (place < here if backward else place > here)]
    if onward:
        return (*(onward[-1] if backward else onward[0]), False)
    return (*(places[-1] if backward else places[0]), True)
