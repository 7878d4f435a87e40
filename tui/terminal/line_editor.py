"""The command line as bash edits it, without a screen: keys go in, a picture comes out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import lru_cache
from typing import TYPE_CHECKING

from tui.terminal.line_aids import LineAids, first_word
from tui.terminal.line_buffer import LineBuffer
from tui.terminal.line_colours import COMMENT as DIM
from tui.terminal.line_colours import Coloured
from tui.terminal.line_editing import LineEditing
from tui.terminal.line_history import LineHistory
from tui.terminal.line_keys import COMMANDS, KEYS, PREFIXES, known_as, typed
from tui.terminal.line_kills import KillRing
from tui.terminal.line_layout import MARK, RESET, LineLayout, PromptRows, cut, prompt_rows
from tui.terminal.line_menu import CompletionMenu, MenuCell, put_candidate
from tui.terminal.line_search import LineSearch

if TYPE_CHECKING:
    from engine.shell.completion import Completion

__all__ = ["KEYS", "Completer", "LineEditor", "MenuCell", "Outcome", "OutcomeKind", "Picture"]

Completer = Callable[[str, int], "Completion"]
"""From a line and a place in it to what can stand there."""

LEAST_COLUMNS = 2  # room for a wide character


class OutcomeKind(Enum):
    """What came of a key."""

    CHANGED = auto()
    """The picture may be another one."""
    SUBMITTED = auto()
    """The line was entered."""
    ABORTED = auto()
    """Ctrl-C."""
    END_OF_INPUT = auto()
    """Ctrl-D in an empty line."""
    CLEAR_SCREEN = auto()
    """Ctrl-L; the line stays."""
    BELL = auto()
    """There was nothing to do, or not all of it could be done."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a key. `text`: the line, when it was entered or given up."""

    kind: OutcomeKind
    text: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """Prompt, text and what is below as rows with SGR, and the cursor's row and column."""

    rows: tuple[str, ...]
    cursor: tuple[int, int]
    menu_cells: tuple[MenuCell, ...] = ()

    def candidate_at(self, row: int, column: int) -> int | None:
        """The candidate of the menu that is shown there."""
        cells = (cell for cell in self.menu_cells if cell.row == row and cell.start <= column < cell.end)
        return next((cell.candidate for cell in cells), None)


class LineEditor:
    """Edits one line after the other; what was cut and what was sought stays from line to line."""

    def __init__(
        self, completer: Completer, history: Callable[[], Sequence[str]], aids: LineAids | None = None
    ) -> None:
        self.aids = aids
        self._completer = completer
        self._past = history
        self._kills = KillRing()
        self._last_sought = ""
        self._columns = 80
        self._own_keys = {
            "enter": self._submit,
            "alt+#": self._submit_as_comment,
            "ctrl+c": self._abort,
            "ctrl+d": self._end_or_delete,
            "ctrl+l": lambda: Outcome(OutcomeKind.CLEAR_SCREEN),
            "ctrl+r": lambda: self._begin_search(backward=True),
            "ctrl+s": lambda: self._begin_search(backward=False),
            "ctrl+g": lambda: Outcome(OutcomeKind.BELL),
            "tab": self._complete,
        }
        self.begin("")

    def begin(self, prompt: str, *, hidden: bool = False, text: str = "") -> None:
        """A new line. The prompt may hold SGR colours and newlines; a hidden line is a password."""
        self.prompt = prompt
        self.hidden = hidden
        past = (lambda: ()) if hidden else self._past
        self._editing = LineEditing(LineHistory(past, LineBuffer(text)), self._kills, secret=hidden)
        self._search: LineSearch | None = None
        self._menu: CompletionMenu | None = None
        self._prefix = ""
        self._last_key = ""

    @property
    def text(self) -> str:
        """The line; while one searches, the one that was found."""
        return self._search.line if self._search else self._editing.buffer.text

    @property
    def cursor(self) -> int:
        """The cursor's index in the text."""
        return self._search.at if self._search else self._editing.buffer.cursor

    @property
    def echo(self) -> str:
        """What stays on the screen of a line that was entered: the prompt, and the text unless it is hidden."""
        return self.prompt if self.hidden else self.prompt + self.text

    def press(self, key: str, character: str | None) -> Outcome | None:
        """A key by its name, and what it types. None: the key is not the editor's."""
        name = self._with_prefix(known_as(key))
        if name in PREFIXES and not (name == "escape" and (self._search or self._menu)):
            self._close()
            self._prefix = name
            return _CHANGED
        if not self._takes(name, character):
            outcome = None
        elif self._search:
            outcome = self._press_in_search(self._search, name, character)
        elif self._menu:
            outcome = self._press_in_menu(self._menu, name, character)
        else:
            outcome = self._press(name, character)
        self._last_key = name
        return outcome

    def insert(self, text: str) -> None:
        """Put text at the cursor. Control characters are dropped, tabs become blanks, newlines stay."""
        self._close()
        self._editing.do(lambda editing: editing.insert(text))
        self._prefix = self._last_key = ""

    def clear(self) -> None:
        """Take the whole text away; undo brings it back."""
        self._close()
        self._editing.do(lambda editing: bool(editing.buffer.replace(0, len(editing.buffer.text), "")))
        self._prefix = self._last_key = ""

    def paste(self, text: str) -> None:
        """Text from the clipboard: into the line, or into what is sought."""
        if self._search:
            self._search.add(text)
        else:
            self.insert(text)

    def picture(self, columns: int) -> Picture:
        """What is shown at a width."""
        self._columns = columns = max(columns, LEAST_COLUMNS)
        layout = self._layout(columns)
        rows = layout.rows(self._parts())
        if rest := self.suggestion:
            row, column = layout.cell(len(self.text))
            rows[row] += f"{DIM}{cut(rest, columns - column) if column + 1 < columns else ''}{RESET}"
        below, cells = self._menu.rows(columns, len(rows)) if self._menu else ([], [])
        return Picture((*rows, *below), layout.cell(0 if self.hidden else self.cursor), tuple(cells))

    def _parts(self) -> list[Coloured]:
        """The parts of the line that look different: what was found, or what the words are."""
        if self._search:
            return [Coloured(*self._search.found, MARK)]
        return self.aids.parts(self.text, self.cursor) if self.aids and not self.hidden else []

    @property
    def suggestion(self) -> str:
        """What an earlier line goes on with behind what is typed."""
        plain = not (self.hidden or self._search or self._menu) and self.cursor == len(self.text)
        return self.aids.rest(self.text, self._past()) if self.aids and plain else ""

    def put_cursor(self, columns: int, row: int, column: int) -> None:
        """A click in the picture."""
        index = self._layout(max(columns, LEAST_COLUMNS)).index(row, column)
        self._close()
        if not self.hidden:
            self._editing.do(lambda editing: editing.buffer.move(index))

    def pick(self, index: int) -> None:
        """A click on a candidate of the menu."""
        if self._menu and 0 <= index < len(self._menu.candidates):
            self._menu.choose(index)
            self._menu = None

    def _layout(self, columns: int) -> LineLayout:
        above, newline, _last = self.prompt.rpartition("\n")
        prompt = f"{above}{newline}{self._search.prompt}" if self._search else self.prompt
        return LineLayout(_prompt_rows(prompt, columns), "" if self.hidden else self.text, columns)

    def _takes(self, key: str, character: str | None) -> bool:
        known = key in COMMANDS or key in self._own_keys or bool(typed(key, character))
        return known or (key == "escape" and self._search is not None) or (key in _MENU_KEYS and self._menu is not None)

    def _with_prefix(self, key: str) -> str:
        prefix, self._prefix = self._prefix, ""
        if not prefix:
            return key
        both = known_as(f"alt+{key}") if prefix == "escape" else f"{prefix} {key}"
        return both if both in COMMANDS or both in self._own_keys else key

    def _press(self, key: str, character: str | None) -> Outcome | None:
        if own := self._own_keys.get(key):
            self._editing.break_off()
            return own()
        if key in (*_TAKE_ALL, *_TAKE_WORD) and (rest := self.suggestion):
            taken = rest if key in _TAKE_ALL else first_word(rest)
            return _done(self._editing.do(lambda editing: editing.insert(taken)))
        if command := COMMANDS.get(key):
            return _done(self._editing.do(command))
        if text := typed(key, character):
            return _done(self._editing.do(lambda editing: editing.type(text)))
        return None

    def _close(self) -> None:
        """Go on with what was found or chosen."""
        self._menu = None
        if self._search:
            search, self._search = self._search, None
            self._last_sought = search.sought or self._last_sought
            self._editing.history.go(search.index)
            self._editing.buffer.move(search.at)

    def _submit(self) -> Outcome:
        return Outcome(OutcomeKind.SUBMITTED, self.text)

    def _submit_as_comment(self) -> Outcome:
        self._editing.buffer.replace(0, 0, "#")
        return self._submit()

    def _abort(self) -> Outcome:
        return Outcome(OutcomeKind.ABORTED, self.text)

    def _end_or_delete(self) -> Outcome:
        if not self.text and self._last_key != "ctrl+d":  # who deletes with Ctrl-D does not log out by one too many
            return Outcome(OutcomeKind.END_OF_INPUT)
        return _done(self._editing.do(COMMANDS["delete"]))

    def _begin_search(self, *, backward: bool) -> Outcome:
        if self.hidden:
            return _BELL
        self._search = LineSearch(self._editing.history, backward=backward, previous=self._last_sought)
        return _CHANGED

    def _press_in_search(self, search: LineSearch, key: str, character: str | None) -> Outcome | None:
        if key in ("ctrl+r", "ctrl+s"):
            return _done(search.again(backward=key == "ctrl+r"))
        changes = {"backspace": search.shorten, "ctrl+w": search.add_rest_of_word, "ctrl+y": search.add_rest_of_line}
        if change := changes.get(key):
            return _done(change())
        if text := typed(key, character):
            return _done(search.add(text))
        if key == "ctrl+g":
            self._search = None
            return _BELL
        self._close()
        return _CHANGED if key == "escape" else self._press(key, character)

    def _complete(self) -> Outcome:
        """The only way to go on, or what all ways have in common; then the menu."""
        if self.hidden:
            return _BELL
        buffer = self._editing.buffer
        found = self._completer(buffer.text, buffer.cursor)
        start = buffer.cursor - found.length
        before = buffer.text
        if len(found.candidates) == 1:
            put_candidate(buffer, start, found.candidates[0])
        elif len(found.common) > found.length:
            buffer.replace(start, buffer.cursor, found.common)
        elif found.candidates and self._last_key == "tab":
            self._menu = CompletionMenu(buffer, start, found.candidates)
            return _CHANGED
        return _done(buffer.text != before)

    def _press_in_menu(self, menu: CompletionMenu, key: str, character: str | None) -> Outcome | None:
        if step := _MENU_STEPS.get(key):
            menu.step(step)
            return _CHANGED
        if aside := {"left": -1, "right": 1}.get(key):
            return self._step_aside(menu, aside)
        if key in ("escape", "ctrl+g"):
            menu.choose(None)
        self._menu = None
        if key in ("escape", "ctrl+g") or (key == "enter" and menu.chosen is not None):
            return _CHANGED
        outcome = self._press(key, character)
        if menu.chosen is None and (key == "backspace" or typed(key, character)):
            self._open_again(menu.start)
        return outcome

    def _step_aside(self, menu: CompletionMenu, aside: int) -> Outcome:
        if menu.chosen is None:
            menu.step(aside)
        elif not menu.step_aside(aside, self._columns):
            if aside < 0:
                return _BELL
            self._menu = None
        return _CHANGED

    def _open_again(self, start: int) -> None:
        """The menu for the same word after it was typed on, if there is still a choice."""
        buffer = self._editing.buffer
        found = self._completer(buffer.text, buffer.cursor)
        if len(found.candidates) > 1 and buffer.cursor - found.length == start:
            self._menu = CompletionMenu(buffer, start, found.candidates)


_TAKE_ALL, _TAKE_WORD = ("right", "end", "ctrl+e", "ctrl+f"), ("alt+f", "ctrl+right")
"""Keys that take what is suggested, where there is nothing for them to move over."""
_CHANGED, _BELL = Outcome(OutcomeKind.CHANGED), Outcome(OutcomeKind.BELL)
_MENU_STEPS = {"tab": 1, "down": 1, "ctrl+n": 1, "shift+tab": -1, "up": -1, "ctrl+p": -1}
_MENU_KEYS = {*_MENU_STEPS, "left", "right", "escape"}


def _done(done: bool) -> Outcome:
    return _CHANGED if done else _BELL


@lru_cache(maxsize=16)
def _prompt_rows(prompt: str, columns: int) -> PromptRows:
    return prompt_rows(prompt, columns)
