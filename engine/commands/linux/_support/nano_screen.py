"""nano 7.2 on the screen: typing, ^O ^S ^X ^K ^U ^W ^C, with its title, messages and two lines of help."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support.keys import plain
from engine.commands.linux._support.text_buffer import Buffer, save, shown_rows

_REVERSE, _NORMAL = "\x1b[7m", "\x1b[27m"
_FIRST = (("^G", "Help"), ("^O", "Write Out"), ("^W", "Where Is"), ("^K", "Cut"), ("^C", "Location"), ("M-U", "Undo"))
_SECOND = (("^X", "Exit"), ("^S", "Save"), ("^V", "Next Page"), ("^U", "Paste"), ("^_", "Go To Line"), ("M-E", "Redo"))
_AROUND = 5
"""Rows of the screen that are no text: title, message, help."""

_ALIASES = {
    "ctrl+a": "home", "ctrl+e": "end", "ctrl+p": "up", "ctrl+n": "down", "ctrl+b": "left", "ctrl+f": "right",
    "ctrl+y": "pageup", "ctrl+v": "pagedown", "ctrl+h": "backspace", "ctrl+d": "delete", "ctrl+m": "enter",
    "ctrl+i": "tab", "ctrl+slash": "ctrl+underscore",
}  # fmt: skip


class Nano:
    """A text on the screen."""

    def __init__(self, ctx: Context, buffer: Buffer, read_only: bool) -> None:
        self.ctx, self.buffer, self.read_only = ctx, buffer, read_only
        self.prompt = ""
        self.answer = ""
        self.leaving = False
        self.last_search = ""
        self.cut: list[str] = []
        self.cutting = False
        self.top = 0
        self.height = 19
        count = 0 if buffer.vacant else len(buffer.lines)
        buffer.open_end = True
        self._keep_open()
        self.message = (
            "New File" if buffer.new else f"Read {count} line{'' if count == 1 else 's'}" if buffer.name else ""
        )

    def render(self, columns: int, rows: int) -> list[str]:
        """Title, text, message or prompt, help."""
        self.height = max(1, rows - _AROUND)
        row = self.buffer.row
        if not self.top <= row < self.top + self.height:
            self.top = max(0, row - self.height // 2)
        last = min(self.top + self.height, len(self.buffer.lines))
        body = [self._line(number, columns) for number in range(self.top, last)]
        body += [""] * (self.height - len(body))
        bottom = _help(_FIRST, columns), _help(_SECOND, columns)
        return [self._title(columns), "", *body, self._status(columns), *bottom]

    def _line(self, number: int, columns: int) -> str:
        """nano does not wrap: of a long line the part around the cursor is shown."""
        rows = shown_rows(self.buffer, number, columns, not self.prompt)
        return next((row for row in rows if _REVERSE in row), rows[0])

    def _title(self, columns: int) -> str:
        left, right = "  GNU nano 7.2", "Modified  " if self.buffer.changed else "  "
        name = self.buffer.name or "New Buffer"
        start = max(len(left) + 2, (columns - len(name)) // 2)
        text = f"{left}{' ' * (start - len(left))}{name}"
        return f"{_REVERSE}{text}{' ' * max(1, columns - len(text) - len(right))}{right}{_NORMAL}"

    def _status(self, columns: int) -> str:
        if self.prompt:
            return f"{_REVERSE}{(self.prompt + self.answer):<{columns}}{_NORMAL}"
        if not self.message:
            return ""
        shown = f"[ {self.message} ]"
        return " " * max(0, (columns - len(shown)) // 2) + f"{_REVERSE}{shown}{_NORMAL}"

    async def key(self, name: str) -> int | None:
        """What a key does; a number ends the editor."""
        key = plain(name)
        key = _ALIASES.get(key, key)
        if self.prompt:
            return self._answer(key)
        self.message = ""
        if key != "ctrl+k":
            self.cutting = False
        if key == "ctrl+x":
            return self._exit()
        self._act(key)
        return None

    def _act(self, key: str) -> None:
        buffer = self.buffer
        moves = {"up": (-1, 0), "down": (1, 0), "pageup": (-self.height, 0), "pagedown": (self.height, 0)}
        if key in moves:
            buffer.move(*moves[key])
        elif key in ("left", "right"):
            self._step(key)
        elif key in ("home", "end"):
            buffer.column = 0 if key == "home" else len(buffer.line)
        elif key in ("ctrl+o", "ctrl+s"):
            self._write(key == "ctrl+s")
        elif key == "ctrl+w":
            self.prompt, self.answer = f"Search{f' [{self.last_search}]' if self.last_search else ''}: ", ""
        elif key == "alt+w":
            self._search(self.last_search)
        elif key == "ctrl+underscore":
            self.prompt, self.answer = "Enter line number, column number: ", ""
        elif key == "ctrl+c":
            self._tell_place()
        elif key == "ctrl+g":
            self.message = "^O writes the file, ^X leaves, ^W searches, ^K cuts a line, ^U pastes it"
        elif key in ("alt+u", "alt+e"):
            moved = buffer.undo() if key == "alt+u" else buffer.redo()
            self.message = "" if moved else f"Nothing to {'undo' if key == 'alt+u' else 're-do'}"
        else:
            self._change(key)

    def _step(self, key: str) -> None:
        buffer = self.buffer
        if key == "left" and not buffer.column and buffer.row:
            buffer.row -= 1
            buffer.column = len(buffer.line)
        elif key == "right" and buffer.column == len(buffer.line) and buffer.row + 1 < len(buffer.lines):
            buffer.row, buffer.column = buffer.row + 1, 0
        else:
            buffer.move(0, 1 if key == "right" else -1)

    def _change(self, key: str) -> None:
        buffer = self.buffer
        if self.read_only and (len(key) == 1 or key in ("enter", "tab", "backspace", "delete", "ctrl+k", "ctrl+u")):
            self.message = "Key is invalid in view mode"
            return
        if key not in ("enter", "tab", "backspace", "delete", "ctrl+k", "ctrl+u") and len(key) != 1:
            return
        buffer.remember()
        if key == "enter":
            buffer.break_line()
        elif key == "backspace":
            buffer.delete_before()
        elif key == "delete":
            self._delete()
        elif key == "ctrl+k":
            self._cut()
        elif key == "ctrl+u":
            buffer.lines[buffer.row : buffer.row] = self.cut
            buffer.row, buffer.column, buffer.changed = buffer.row + len(self.cut), 0, bool(self.cut) or buffer.changed
        else:
            buffer.insert("\t" if key == "tab" else key)
        self._keep_open()

    def _keep_open(self) -> None:
        """There is always an empty line below the text."""
        if self.buffer.lines[-1]:
            self.buffer.lines.append("")

    def _delete(self) -> None:
        buffer = self.buffer
        if buffer.column < len(buffer.line):
            buffer.line = buffer.line[: buffer.column] + buffer.line[buffer.column + 1 :]
        elif buffer.row + 1 < len(buffer.lines):
            buffer.line += buffer.lines.pop(buffer.row + 1)

    def _cut(self) -> None:
        """Cut the line; cuts in a row are kept together."""
        gone = self.buffer.delete_lines(self.buffer.row, self.buffer.row)
        self.cut = [*self.cut, *gone] if self.cutting else gone
        self.cutting, self.buffer.column = True, 0

    def _tell_place(self) -> None:
        buffer = self.buffer
        share = (buffer.row + 1) * 100 // len(buffer.lines)
        column, width = buffer.column + 1, len(buffer.line) + 1
        before = sum(len(line) + 1 for line in buffer.lines[: buffer.row]) + buffer.column
        total = sum(len(line) + 1 for line in buffer.lines) - 1
        self.message = (
            f"line {buffer.row + 1}/{len(buffer.lines)} ({share}%), col {column}/{width} ({column * 100 // width}%), "
            f"char {before}/{total} ({before * 100 // max(1, total)}%)"
        )

    def _write(self, at_once: bool) -> None:
        if self.read_only:
            self.message = "Key is invalid in view mode"
        elif at_once and self.buffer.name:
            self._save(self.buffer.name)
        else:
            self.prompt, self.answer = "File Name to Write: ", self.buffer.name

    def _exit(self) -> int | None:
        if not self.buffer.changed:
            return 0
        self.leaving, self.prompt, self.answer = True, "Save modified buffer? ", ""
        return None

    def _answer(self, key: str) -> int | None:
        if key in ("ctrl+c", "escape"):
            self.prompt, self.leaving, self.message = "", False, "Cancelled"
        elif self.prompt.startswith("Save modified"):
            if key in ("n", "N"):
                return 0
            if key in ("y", "Y"):
                self.prompt, self.answer = "File Name to Write: ", self.buffer.name
        elif key == "enter":
            return self._take()
        elif key == "backspace":
            self.answer = self.answer[:-1]
        elif len(key) == 1:
            self.answer += key
        return None

    def _take(self) -> int | None:
        """The prompt is answered."""
        prompt, text = self.prompt, self.answer
        self.prompt = ""
        if prompt.startswith("Search"):
            self._search(text or self.last_search)
        elif prompt.startswith("Enter line"):
            word = text.partition(",")[0].strip()
            if word.isdigit():
                self.buffer.row, self.buffer.column = min(max(int(word), 1), len(self.buffer.lines)) - 1, 0
            else:
                self.message = "Invalid line or column number"
        elif text and self._save(text) and self.leaving:
            return 0
        self.leaving = False
        return None

    def _search(self, text: str) -> None:
        """The next place of a text after the cursor, going around; capitals do not matter."""
        if not text:
            self.message = "No current search pattern" if not self.last_search else "Cancelled"
            return
        self.last_search = text
        buffer, wanted = self.buffer, text.lower()
        starts = [(row, column) for row, line in enumerate(buffer.lines) for column in _places(line.lower(), wanted)]
        later = [place for place in starts if place > (buffer.row, buffer.column)]
        if not starts:
            self.message = f'"{text}" not found'
            return
        self.message = "" if later else "Search Wrapped" if len(starts) > 1 else "This is the only occurrence"
        buffer.row, buffer.column = later[0] if later else starts[0]

    def _save(self, name: str) -> bool:
        refused = save(self.ctx, self.buffer, name)
        if refused:
            self.message = f"Error writing {name}: {refused}"
            return False
        self.buffer.name = name
        count = len(self.buffer.lines) - (self.buffer.lines[-1] == "")
        self.message = f"Wrote {count} line{'' if count == 1 else 's'}"
        return True


def _places(line: str, wanted: str) -> list[int]:
    found, start = [], line.find(wanted)
    while start >= 0:
        found.append(start)
        start = line.find(wanted, start + 1)
    return found


def _help(pairs: tuple[tuple[str, str], ...], columns: int) -> str:
    width = max(12, columns // len(pairs))
    cells = [f"{_REVERSE}{key}{_NORMAL} {text}" + " " * max(0, width - len(key) - 1 - len(text)) for key, text in pairs]
    return "".join(cells[: max(1, columns // width)]).rstrip()
