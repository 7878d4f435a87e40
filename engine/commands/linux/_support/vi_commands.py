"""vi's command line (`:`): writing, leaving, going to a line, replacing, reading a file in. Messages are Vim 9.1's."""

from __future__ import annotations

import re
from collections.abc import Sequence

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.linux._support.patterns import PatternError, compile_pattern
from engine.commands.linux._support.text_buffer import Buffer, load, save
from engine.commands.linux._support.vi_motions import first_character, vim_pattern
from engine.hostfs.tree import FileError

_COMMAND = re.compile(r"(?P<range>%|[\d.$]+(?:,[\d.$]+)?)?\s*(?P<name>[A-Za-z]*)(?P<bang>!?)\s*(?P<rest>.*)", re.DOTALL)
_UNSAVED = "E37: No write since last change (add ! to override)"


class Commands:
    """Carries out command lines on a buffer. `message` is what the last one says."""

    def __init__(self, ctx: Context, buffer: Buffer, read_only: bool) -> None:
        self.ctx, self.buffer, self.read_only = ctx, buffer, read_only
        self.numbers = False
        self.pattern = ""
        self.deleted: list[str] = []
        self.message = ""

    def obey(self, text: str) -> int | None:
        """Do what `text` says; a number ends the editor with that status."""
        self.message, self.pattern, self.deleted = "", "", []
        match = _COMMAND.fullmatch(text.strip().lstrip(":"))
        if not match or not text.strip():
            return None
        name, bang, rest = match["name"], bool(match["bang"]), match["rest"].strip()
        if name == "" and not rest and match["range"]:
            self._go(match["range"])
            return None
        if name and self._beyond(match["range"]):
            self.message = "E16: Invalid range"
            return None
        if name in ("s", "substitute"):
            self._substitute(self._lines(match["range"]), rest)
            return None
        if name in ("d", "delete"):
            self._delete(self._lines(match["range"]))
            return None
        return self._named(text, name, bang, rest)

    def _named(self, text: str, name: str, bang: bool, rest: str) -> int | None:
        if name in ("w", "write", "up", "update"):
            self._write(rest, bang)
        elif name in ("q", "quit", "qa", "qall", "cq"):
            if self.buffer.changed and not bang:
                self.message = _UNSAVED
                return None
            return 1 if name == "cq" else 0
        elif name in ("wq", "x", "xit", "wqa", "xa", "exit"):
            needed = name.startswith("w") or self.buffer.changed or bool(rest)
            return 0 if not needed or self._write(rest, bang) else None
        elif name in ("e", "edit") and (not rest or rest == self.buffer.name):
            self._reload(bang)
        elif name in ("r", "read") and rest:
            self._read_in(rest)
        elif name in ("se", "set"):
            self._set(rest)
        elif name not in ("noh", "nohlsearch", "syntax", "sy"):
            self.message = f"E492: Not an editor command: {text}"
        return None

    def _number(self, word: str) -> int:
        """The row of `5`, `.` or `$`."""
        last = len(self.buffer.lines) - 1
        return self.buffer.row if word == "." else last if word == "$" else max(0, min(int(word) - 1, last))

    def _beyond(self, text: str | None) -> bool:
        words = (text or "").split(",")
        return any(word.isdigit() and int(word) > len(self.buffer.lines) for word in words)

    def _lines(self, text: str | None) -> Sequence[int]:
        if text == "%":
            return range(len(self.buffer.lines))
        words = [word for word in (text or ".").split(",") if word in (".", "$") or word.isdigit()]
        rows = [self._number(word) for word in words] or [self.buffer.row]
        return range(min(rows), max(rows) + 1)

    def _go(self, text: str) -> None:
        rows = self._lines(text)
        self.buffer.row = rows[-1]
        self.buffer.column = first_character(self.buffer, self.buffer.row)

    def _write(self, rest: str, bang: bool) -> bool:
        name = rest or self.buffer.name
        if not name:
            self.message = "E32: No file name"
            return False
        if self.read_only and not bang and name == self.buffer.name:
            self.message = "E45: 'readonly' option is set (add ! to override)"
            return False
        other = bool(rest) and rest != self.buffer.name
        if other and not bang and self.buffer.name and paths.tree(self.ctx).exists(paths.absolute(self.ctx, rest)):
            self.message = "E13: File exists (add ! to override)"
            return False
        new = self.buffer.new or (other and not paths.tree(self.ctx).exists(paths.absolute(self.ctx, name)))
        if save(self.ctx, self.buffer, name) is not None:
            self.message = f'"{name}" E212: Can\'t open file for writing'
            return False
        self.buffer.name = self.buffer.name or name
        count = 0 if self.buffer.vacant else len(self.buffer.lines)
        self.message = f'"{name}" {"[New] " if new else ""}{count}L, {self.buffer.size}B written'
        return True

    def _reload(self, bang: bool) -> None:
        if self.buffer.changed and not bang:
            self.message = _UNSAVED
            return
        try:
            fresh = load(self.ctx, self.buffer.name)
        except FileError as error:
            self.message = f'"{self.buffer.name}" {error.text}'
            return
        self.buffer.remember()
        self.buffer.lines, self.buffer.row, self.buffer.column = fresh.lines, 0, 0
        self.buffer.changed = False
        self.message = f'"{self.buffer.name}" {len(fresh.lines)}L, {fresh.size}B'

    def _read_in(self, name: str) -> None:
        try:
            text = paths.read(self.ctx, name).decode("utf-8", "surrogateescape")
        except FileError:
            self.message = f"E484: Can't open file {name}"
            return
        self.buffer.remember()
        lines = text.removesuffix("\n").split("\n")
        self.buffer.lines[self.buffer.row + 1 : self.buffer.row + 1] = lines
        self.buffer.row, self.buffer.column, self.buffer.changed = self.buffer.row + 1, 0, True

    def _set(self, rest: str) -> None:
        for word in rest.split():
            if word in ("nu", "number", "nonu", "nonumber"):
                self.numbers = not word.startswith("no")

    def _delete(self, rows: Sequence[int]) -> None:
        self.buffer.remember()
        self.deleted = self.buffer.delete_lines(rows[0], rows[-1])
        self.buffer.column = first_character(self.buffer, self.buffer.row)
        if len(rows) > 2:
            self.message = f"{len(rows)} fewer lines"

    def _substitute(self, rows: Sequence[int], rest: str) -> None:
        """s/OLD/NEW/g."""
        delimiter = rest[:1]
        parts = re.split(rf"(?<!\\){re.escape(delimiter)}", rest[1:]) if delimiter and not delimiter.isalnum() else []
        if not parts or not parts[0]:
            self.message = "E486: Pattern not found: "
            return
        old, new, flags = (*parts, "", "")[:3]
        self.pattern = old
        try:
            pattern = compile_pattern(vim_pattern(old.replace(f"\\{delimiter}", delimiter)), "i" in flags)
        except PatternError:
            self.message = f"E486: Pattern not found: {old}"
            return
        self._replace(rows, pattern, _replacement(new.replace(f"\\{delimiter}", delimiter)), old, "g" in flags)

    def _replace(self, rows: Sequence[int], pattern: object, new: str, old: str, every: bool) -> None:
        changes: dict[int, tuple[str, int]] = {}
        for row in rows:
            text, count = pattern.subn(new, self.buffer.lines[row], 0 if every else 1)  # type: ignore[attr-defined]
            if count:
                changes[row] = (text, count)
        if not changes:
            self.message = f"E486: Pattern not found: {old}"
            return
        self.buffer.remember()
        for row, (text, _) in changes.items():
            self.buffer.lines[row] = text
        self.buffer.row, self.buffer.column, self.buffer.changed = max(changes), 0, True
        total = sum(count for _, count in changes.values())
        if total > 2:
            self.message = f"{total} substitutions on {len(changes)} line{'s' if len(changes) > 1 else ''}"


def _replacement(text: str) -> str:
    """vim's & and \\1 as RE2 takes them."""
    return re.sub(r"(?<!\\)&", r"\\0", text)
