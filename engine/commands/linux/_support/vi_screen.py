"""vi on the screen: the commonest keys and commands of Vim 9.1, with its messages. No visual mode, marks or macros."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.keys import plain
from engine.commands.linux._support.text_buffer import Buffer, shown_rows
from engine.commands.linux._support.vi_commands import Commands
from engine.commands.linux._support.vi_motions import PatternError, Place, find, first_character, motion

_RULER = 18
_MANY = 3
"""Vim tells about changes of so many lines."""

_INSERTING = ("i", "I", "a", "A", "o", "O", "s", "S", "C")
_VERTICAL = ("j", "k", "down", "up", "ctrl+n", "ctrl+f", "ctrl+b", "pagedown", "pageup", "ctrl+d", "ctrl+u")
_FAR = 1 << 30
"""The column that is wanted after `$`: the end of every line."""

_WAITING = ("d", "y", "c", "g", "r", "Z", ">", "<")


class Vi:
    """A text on the screen."""

    def __init__(self, ctx: Context, buffer: Buffer, read_only: bool) -> None:
        self.buffer = buffer
        self.commands = Commands(ctx, buffer, read_only)
        self.mode = "normal"
        self.typed = ""
        self.count = ""
        self.waiting = ""
        self.pattern, self.backward = "", False
        self.register: list[str] = []
        self.linewise = False
        self.wanted = 0
        self.top = 0
        self.height = 23
        size = f"{0 if buffer.vacant else len(buffer.lines)}L, {buffer.size}B"
        self.message = f'"{buffer.name}" ' + ("[New]" if buffer.new else size) if buffer.name else ""

    def render(self, columns: int, rows: int) -> list[str]:
        """The lines around the cursor, and the status line."""
        self.height = rows - 1
        width = len(str(len(self.buffer.lines))) + 1
        numbered = self.commands.numbers

        def line(row: int) -> list[str]:
            prefix = f"{row + 1:>{max(3, width)}} " if numbered else ""
            return shown_rows(self.buffer, row, columns, self.mode in ("normal", "insert", "replace"), prefix)

        self.top = min(self.top, self.buffer.row)
        while (
            sum(len(line(row)) for row in range(self.top, self.buffer.row + 1)) > self.height
            and self.top < self.buffer.row
        ):
            self.top += 1
        shown: list[str] = []
        row = self.top
        while row < len(self.buffer.lines) and len(shown) < self.height:
            shown += line(row)
            row += 1
        shown = (shown + ["~"] * self.height)[: self.height]
        return [*shown, self._status(columns, row)]

    def _status(self, columns: int, below: int) -> str:
        if self.mode in (":", "/", "?"):
            return self.mode + self.typed
        mode = {"insert": "-- INSERT --", "replace": "-- REPLACE --"}.get(self.mode, "")
        left = mode or self.message.replace("\n", " ")
        everything = self.top == 0 and below >= len(self.buffer.lines)
        where = "All" if everything else "Top" if self.top == 0 else "Bot" if below >= len(self.buffer.lines) else (
            f"{self.top * 100 // max(1, len(self.buffer.lines) - self.height)}%")  # fmt: skip
        empty = "0-1" if not self.buffer.line else str(self.buffer.column + 1)
        ruler = f"{self.buffer.row + 1},{empty}"
        return (
            f"{left:<{max(0, columns - _RULER)}}{ruler:<14}{where}"[:columns] if len(left) < columns - _RULER else left
        )

    async def key(self, name: str) -> int | None:
        """What a key does; a number ends the editor."""
        key = plain(name)
        if self.mode in ("insert", "replace"):
            self._insert(key)
            return None
        before = (self.buffer.row, self.buffer.column)
        status = self._type(key) if self.mode in (":", "/", "?") else self._normal(key)
        if key not in (*_VERTICAL, "$", "end") and before != (self.buffer.row, self.buffer.column):
            self.wanted = self.buffer.column
        return status

    def _insert(self, key: str) -> None:
        buffer = self.buffer
        moves = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
        if key in ("escape", "ctrl+c"):
            self.mode = "normal"
            buffer.move(0, -1, past_end=False)
            self.wanted = buffer.column
        elif key in moves:
            buffer.move(*moves[key])
        elif key == "enter":
            buffer.break_line()
        elif key in ("backspace", "ctrl+h"):
            buffer.delete_before()
        elif key == "delete":
            buffer.line = buffer.line[: buffer.column] + buffer.line[buffer.column + 1 :]
        elif key in ("home", "end"):
            buffer.column = 0 if key == "home" else len(buffer.line)
        elif key == "tab" or len(key) == 1:
            if self.mode == "replace":
                buffer.line = buffer.line[: buffer.column] + buffer.line[buffer.column + 1 :]
            buffer.insert("\t" if key == "tab" else key)

    def _type(self, key: str) -> int | None:
        if key in ("escape", "ctrl+c") or (key == "backspace" and not self.typed):
            self.mode = "normal"
        elif key == "backspace":
            self.typed = self.typed[:-1]
        elif key == "enter":
            kind, text = self.mode, self.typed
            self.mode, self.typed = "normal", ""
            if kind != ":":
                self.backward, self.pattern = kind == "?", text or self.pattern
                self._search(self.backward)
                return None
            status = self.commands.obey(text)
            self.message = self.commands.message
            self.pattern = self.commands.pattern or self.pattern
            if self.commands.deleted:
                self._keep(self.commands.deleted, linewise=True)
            return status
        elif len(key) == 1:
            self.typed += key
        return None

    def _normal(self, key: str) -> int | None:
        if self.waiting:
            return self._second(self.waiting, key)
        self.message = ""
        if key.isdigit() and (self.count or key != "0"):
            self.count += key
            return None
        count = int(self.count) if self.count else None
        if key in _WAITING:
            self.waiting = key
            return None
        self.count = ""
        if key in (":", "/", "?"):
            self.mode, self.typed = key, ""
        elif key in _INSERTING:
            self._begin(key, count or 1)
        elif key in ("n", "N"):
            self._search(self.backward != (key == "N"))
        elif key in ("escape", "ctrl+c"):
            self.message = "Type  :qa  and press <Enter> to exit Vim" if key == "ctrl+c" else ""
        elif not self._edit(key, count or 1):
            self._go(key, count)
        return None

    def _second(self, first: str, key: str) -> int | None:
        """The key after d, y, c, g, r, Z."""
        if key.isdigit() and (self.count or key != "0") and first in "dyc":
            self.count += key
            return None
        count = int(self.count) if self.count else None
        if first in "dyc" and key == "g":
            self.waiting = first + "g"
            return None
        self.waiting = self.count = ""
        if first in ("d", "y", "c"):
            self._operate(first, key, count)
        elif first in ("dg", "yg", "cg"):
            self._operate(first[0], "gg" if key == "g" else "", count)
        elif first == "g" and key == "g":
            self._go("gg", count)
        elif first == "r" and len(key) == 1 and self.buffer.line:
            self.buffer.remember()
            at = self.buffer.column
            self.buffer.line = self.buffer.line[:at] + key + self.buffer.line[at + 1 :]
        elif first == "Z" and key in ("Z", "Q"):
            status = self.commands.obey("x" if key == "Z" else "q!")
            self.message = self.commands.message
            return status
        return None

    def _go(self, key: str, count: int | None) -> None:
        found = motion(self.buffer, key, count, max(1, self.height - 2))
        if found:
            self.buffer.row = found.row
            column = self.wanted if key in _VERTICAL else found.column
            self.buffer.column = min(column, self.buffer.last(past_end=False))
        if key in ("$", "end"):
            self.wanted = _FAR

    def _search(self, backward: bool) -> None:
        if not self.pattern:
            self.message = "E35: No previous regular expression"
            return
        try:
            found = find(self.buffer, self.pattern, backward)
        except PatternError:
            found = None
        if found is None:
            self.message = f"E486: Pattern not found: {self.pattern}"
            return
        self.buffer.row, self.buffer.column, around = found
        ends = ("TOP", "BOTTOM") if backward else ("BOTTOM", "TOP")
        self.message = (
            f"search hit {ends[0]}, continuing at {ends[1]}" if around else f"{'?' if backward else '/'}{self.pattern}"
        )

    def _begin(self, key: str, count: int) -> None:
        """Go into insert mode."""
        buffer = self.buffer
        buffer.remember()
        if key in ("o", "O"):
            buffer.row += key == "o"
            buffer.lines.insert(buffer.row, "")
            buffer.column, buffer.changed = 0, True
        elif key == "s":
            if buffer.line:
                self._keep([buffer.line[buffer.column : buffer.column + count]], linewise=False)
                buffer.line = buffer.line[: buffer.column] + buffer.line[buffer.column + count :]
        elif key == "S":
            self._operate_lines("c", buffer.row, min(buffer.row + count, len(buffer.lines)) - 1)
        elif key == "C":
            if buffer.line:
                self._keep([buffer.line[buffer.column :]], linewise=False)
                buffer.line = buffer.line[: buffer.column]
        else:
            places = {"i": buffer.column, "a": min(buffer.column + 1, len(buffer.line)), "A": len(buffer.line)}
            buffer.column = places.get(key, len(buffer.line) - len(buffer.line.lstrip()))
        self.mode = "insert"

    def _edit(self, key: str, count: int) -> bool:
        """Changes that are done with one key. False if the key is none."""
        buffer = self.buffer
        if key in ("u", "ctrl+r"):
            moved = buffer.undo() if key == "u" else buffer.redo()
            self.message = "" if moved else f"Already at {'oldest' if key == 'u' else 'newest'} change"
        elif key in ("x", "delete", "X"):
            first = max(0, buffer.column - count) if key == "X" else buffer.column
            self._cut_columns(first, buffer.column if key == "X" else buffer.column + count)
        elif key == "D":
            self._cut_columns(buffer.column, len(buffer.line))
        elif key == "Y":
            self._operate("y", "y", count)
        elif key in ("p", "P"):
            self._put(key == "p", count)
        elif key == "J":
            self._join(count)
        elif key == "~" and buffer.line:
            buffer.remember()
            at = buffer.column
            buffer.line = buffer.line[:at] + buffer.line[at].swapcase() + buffer.line[at + 1 :]
            buffer.move(0, 1, past_end=False)
        elif key == "R":
            buffer.remember()
            self.mode = "replace"
        else:
            return False
        return True

    def _cut_columns(self, first: int, last: int) -> None:
        buffer = self.buffer
        if not buffer.line[first:last]:
            return
        buffer.remember()
        self._keep([buffer.line[first:last]], linewise=False)
        buffer.line = buffer.line[:first] + buffer.line[last:]
        buffer.column = min(first, buffer.last(past_end=False))

    def _join(self, count: int) -> None:
        buffer = self.buffer
        buffer.remember()
        for _ in range(max(1, count - 1)):
            if buffer.row + 1 < len(buffer.lines):
                after, before = buffer.lines.pop(buffer.row + 1).lstrip(), buffer.line
                apart = before and after and not after.startswith(")") and before[-1] not in " \t"
                buffer.column = len(before)
                blanks = 0 if not apart else 2 if before[-1] in ".!?" else 1
                buffer.line = before + " " * blanks + after
        buffer.column = min(buffer.column, buffer.last(past_end=False))

    def _keep(self, lines: list[str], *, linewise: bool) -> None:
        self.register, self.linewise = lines, linewise

    def _put(self, after: bool, count: int) -> None:
        buffer = self.buffer
        if not self.register:
            self.message = 'E353: Nothing in register "'
            return
        if not self.linewise and self.register == [""]:
            return
        buffer.remember()
        if self.linewise:
            buffer.row += after
            buffer.lines[buffer.row : buffer.row] = self.register * count
            buffer.column, buffer.changed = first_character(buffer, buffer.row), True
            self._tell(len(self.register) * count, "more")
            return
        at = min(buffer.column + after, len(buffer.line))
        pieces = ("\n".join(self.register) * count).split("\n")
        head, tail = buffer.line[:at], buffer.line[at:]
        buffer.lines[buffer.row : buffer.row + 1] = (head + "\n".join(pieces) + tail).split("\n")
        buffer.column, buffer.changed = max(0, at + len(pieces[0]) - 1), True

    def _operate(self, operator: str, key: str, count: int | None) -> None:
        """d, y or c with a motion; the operator's own letter means whole lines."""
        buffer = self.buffer
        if key == operator:
            last = len(buffer.lines) - 1
            enough = (count or 1) == 1 or buffer.row < last
            target = Place(min(buffer.row + (count or 1) - 1, last), 0, linewise=True) if enough else None
        else:
            target = motion(buffer, key, count, max(1, self.height - 2), operator)
        if target is None:
            return
        if operator != "y":
            buffer.remember()
        if not target.linewise:
            self._operate_characters(operator, target)
        else:
            self._operate_lines(operator, min(buffer.row, target.row), max(buffer.row, target.row))
        if operator == "c":
            self.mode = "insert"

    def _operate_lines(self, operator: str, first: int, last: int) -> None:
        buffer = self.buffer
        if operator == "d" and buffer.vacant:
            return
        self._keep(buffer.lines[first : last + 1], linewise=True)
        if operator == "y":
            buffer.row = first
            self._tell(last - first + 1, "yanked")
            return
        if operator == "c":
            buffer.lines[first : last + 1] = [""]
            buffer.row, buffer.column, buffer.changed = first, 0, True
            return
        buffer.delete_lines(first, last)
        buffer.column = first_character(buffer, buffer.row)
        self._tell(last - first + 1, "fewer")

    def _operate_characters(self, operator: str, target: Place) -> None:
        """From the cursor to a place. A motion that ends at a line's beginning ends with the line before; if nothing
        but blanks stands around it, whole lines are meant.
        """
        buffer = self.buffer
        end = min(target.column + target.inclusive, len(buffer.lines[target.row]))
        here, there = sorted(((buffer.row, buffer.column), (target.row, end)))
        indented = not buffer.lines[here[0]][: here[1]].strip()
        if there[0] > here[0] and not target.inclusive and there[1] == 0:
            there = (there[0] - 1, len(buffer.lines[there[0] - 1]))
            if indented:
                self._operate_lines(operator, here[0], there[0])
                return
        if here == there and operator != "y":
            return
        rest = buffer.lines[there[0]][there[1] :]
        if operator == "d" and there[0] > here[0] and indented and not rest.strip():
            self._operate_lines(operator, here[0], there[0])
            return
        text = "\n".join(buffer.lines[here[0] : there[0] + 1])
        stop = len(text) - len(rest)
        self._keep(text[here[1] : stop].split("\n"), linewise=False)
        if operator != "y":
            buffer.lines[here[0] : there[0] + 1] = (text[: here[1]] + text[stop:]).split("\n")
            buffer.changed = True
        buffer.row, buffer.column = here
        buffer.column = min(here[1], buffer.last(past_end=operator == "c"))

    def _tell(self, lines: int, what: str) -> None:
        if lines >= _MANY:
            self.message = f"{lines} lines yanked" if what == "yanked" else f"{lines} {what} lines"
