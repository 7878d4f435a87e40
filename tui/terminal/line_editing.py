"""What keys do to a line, its history and the kill ring. Each command says whether it could be done (else: a bell)."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from tui.terminal.line_buffer import LineBuffer
from tui.terminal.line_changes import Change
from tui.terminal.line_history import LineHistory
from tui.terminal.line_kills import KillRing
from tui.terminal.line_text import Place, last_argument


class _Kind(Enum):
    """Commands that go on where the same command before them ended."""

    OTHER = auto()
    KILL = auto()
    YANK = auto()
    ARGUMENT = auto()


class LineEditing:
    """A line being entered. `secret`: what is cut from it is not kept."""

    def __init__(self, history: LineHistory, kills: KillRing, *, secret: bool = False) -> None:
        self.history = history
        self._kills = kills
        self._secret = secret
        self._before = self._now = _Kind.OTHER
        self._arguments = 0
        self._argument_put = False

    @property
    def buffer(self) -> LineBuffer:
        """The line at hand."""
        return self.history.current

    def do(self, command: Command) -> bool:
        """Carry a command out."""
        self._before, self._now = self._now, _Kind.OTHER
        return command(self)

    def break_off(self) -> None:
        """Something else was done: what comes next does not go on with the last command."""
        self._now = _Kind.OTHER

    def kill(self, place: Place) -> bool:
        """Cut what is between the cursor and another place; it can be put back."""
        cursor, other = self.buffer.cursor, place(self.buffer.text, self.buffer.cursor)
        if cursor == other:
            return False
        killed = self.buffer.replace(min(cursor, other), max(cursor, other), "")
        if not self._secret:
            self._kills.add(killed, join=self._before is _Kind.KILL, before=other < cursor)
        self._now = _Kind.KILL
        return True

    def yank(self) -> bool:
        """Put back what was cut last."""
        self._now = _Kind.YANK
        self.buffer.insert(self._kills.chosen)
        return bool(self._kills.chosen)

    def yank_older(self) -> bool:
        """In its place, what was cut before that."""
        if self._before is not _Kind.YANK or not self._kills.chosen:
            return False
        end, length = self.buffer.cursor, len(self._kills.chosen)
        self._kills.turn()
        self.buffer.replace(end - length, end, self._kills.chosen)
        self._now = _Kind.YANK
        return True

    def put_last_argument(self) -> bool:
        """The last word of the line before; when repeated, that of the line before that one, in its place."""
        again = self._before is _Kind.ARGUMENT
        if again and self._argument_put:
            self.buffer.undo()
        self._now = _Kind.ARGUMENT
        self._arguments = self._arguments + 1 if again else 1
        word = last_argument(self.history.back_from_here(self._arguments) or "")
        self._argument_put = bool(word)
        if word:
            self.buffer.replace(self.buffer.cursor, self.buffer.cursor, word)
        return bool(word)

    def type(self, character: str) -> bool:
        """A typed character."""
        self.buffer.type(character)
        return True

    def insert(self, text: str) -> bool:
        """Text that comes from elsewhere."""
        self.buffer.insert(text)
        return bool(text)


Command = Callable[[LineEditing], bool]


def moves(place: Place) -> Command:
    """The command that moves the cursor to a place; it says False if it is there."""
    return lambda editing: editing.buffer.move(place(editing.buffer.text, editing.buffer.cursor))


def moves_quietly(place: Place) -> Command:
    """The same; being there is no fault."""
    return lambda editing: moves(place)(editing) or True


def kills(place: Place) -> Command:
    """The command that cuts up to a place."""
    return lambda editing: editing.kill(place)


def deletes(place: Place) -> Command:
    """The command that takes away what is up to a place, without keeping it."""

    def delete(editing: LineEditing) -> bool:
        cursor, other = editing.buffer.cursor, place(editing.buffer.text, editing.buffer.cursor)
        if cursor == other:
            return False
        editing.buffer.replace(min(cursor, other), max(cursor, other), "")
        return True

    return delete


def changes(change: Change) -> Command:
    """The command that makes a change within the line."""

    def make(editing: LineEditing) -> bool:
        what = change(editing.buffer.text, editing.buffer.cursor)
        if what is None:
            return False
        editing.buffer.replace(*what)
        return True

    return make


def goes(index: Callable[[LineHistory], int]) -> Command:
    """The command that takes up another line of the history."""
    return lambda editing: editing.history.go(index(editing.history))
