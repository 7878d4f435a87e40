"""A line being edited: its text, the cursor, and the way back."""

from __future__ import annotations

from dataclasses import dataclass

from tui.terminal.line_text import clean

_TYPED_AT_ONCE = 20
"""So many typed characters are undone in one step, as readline does it."""


@dataclass(frozen=True, slots=True)
class Edit:
    """`removed` at `at` became `added`."""

    at: int
    removed: str
    added: str
    typed: bool = False

    @property
    def end(self) -> int:
        """Where the added text ends."""
        return self.at + len(self.added)


class LineBuffer:
    """Text and cursor. Control characters never get in."""

    def __init__(self, text: str = "") -> None:
        self.text = clean(text)
        self.cursor = len(self.text)
        self._edits: list[Edit] = []

    def move(self, index: int) -> bool:
        """Put the cursor at `index`; says whether it moved."""
        before, self.cursor = self.cursor, max(0, min(index, len(self.text)))
        return self.cursor != before

    def replace(self, start: int, end: int, text: str) -> str:
        """Put `text` in the place of what is between two indexes, the cursor after it. Returns what stood there."""
        added, removed = clean(text), self.text[start:end]
        self._edits.append(Edit(start, removed, added))
        self.text = self.text[:start] + added + self.text[end:]
        self.cursor = start + len(added)
        return removed

    def insert(self, text: str) -> None:
        """Put `text` at the cursor."""
        if text:
            self.replace(self.cursor, self.cursor, text)

    def type(self, character: str) -> None:
        """A typed character; several in a row are undone together."""
        edit = Edit(self.cursor, "", clean(character), typed=True)
        last = self._edits[-1] if self._edits else None
        self.insert(character)
        if last and last.typed and last.end == edit.at and len(last.added) < _TYPED_AT_ONCE:
            self._edits.pop()
            edit = Edit(last.at, "", last.added + edit.added, typed=True)
        self._edits[-1] = edit

    def undo(self) -> bool:
        """Take the last edit back; says whether there was one."""
        if not self._edits:
            return False
        edit = self._edits.pop()
        self.text = self.text[: edit.at] + edit.removed + self.text[edit.end :]
        self.cursor = edit.at + len(edit.removed)
        return True

    def undo_all(self) -> bool:
        """Back to the text that the line began with; says whether there was an edit."""
        edited = bool(self._edits)
        while self.undo():
            pass
        return edited
