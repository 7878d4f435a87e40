"""The keys of the command line, as bash has them, and what is said about each in the help."""

from __future__ import annotations

from collections.abc import Sequence

from tui.keys import shown
from tui.terminal.line_changes import capital_word, lower_word, no_blanks, swap_characters, swap_words, upper_word
from tui.terminal.line_editing import Command, LineEditing, changes, deletes, goes, kills, moves, moves_quietly
from tui.terminal.line_text import blank_word_start, end, following, previous, start, word_end, word_start

_EDITING: tuple[tuple[tuple[str, ...], Command, str], ...] = (
    (("left", "ctrl+b"), moves(previous), "One character to the left."),
    (("right", "ctrl+f"), moves(following), "One character to the right."),
    (("alt+b", "ctrl+left", "alt+left"), moves_quietly(word_start), "One word to the left."),
    (("alt+f", "ctrl+right", "alt+right"), moves_quietly(word_end), "One word to the right."),
    (("home", "ctrl+a"), moves_quietly(start), "To the start of the line."),
    (("end", "ctrl+e"), moves_quietly(end), "To the end of the line."),
    (("up", "ctrl+p"), goes(lambda lines: lines.position - 1), "The line entered before this one."),
    (("down", "ctrl+n"), goes(lambda lines: lines.position + 1), "The line entered after this one."),
    (("alt+<",), goes(lambda _lines: 0), "The first line of the history."),
    (("alt+>",), goes(lambda lines: lines.last), "The line being typed."),
    (("backspace",), deletes(previous), "Delete the character to the left."),
    (("delete",), deletes(following), "Delete the character at the cursor."),
    (("ctrl+k",), kills(end), "Cut to the end of the line."),
    (("ctrl+u", "ctrl+x backspace"), kills(start), "Cut to the start of the line."),
    (("ctrl+w",), kills(blank_word_start), "Cut the word to the left, up to a blank."),
    (("alt+backspace",), kills(word_start), "Cut the word to the left, up to a sign such as / or -."),
    (("alt+d", "ctrl+delete"), kills(word_end), "Cut the word to the right."),
    (("ctrl+y",), LineEditing.yank, "Put back what was cut last."),
    (("alt+y",), LineEditing.yank_older, "After ^Y: put back what was cut before that."),
    (("alt+.", "alt+_"), LineEditing.put_last_argument, "The last word of the line before; again: of the one before."),
    (("ctrl+t",), changes(swap_characters), "Swap the two characters around the cursor."),
    (("alt+t",), changes(swap_words), "Swap the two words around the cursor."),
    (("alt+u",), changes(upper_word), "The word to the right in capital letters."),
    (("alt+l",), changes(lower_word), "The word to the right in small letters."),
    (("alt+c",), changes(capital_word), "The word to the right with a capital letter."),
    (("alt+\\",), changes(no_blanks), "Delete the blanks around the cursor."),
    (("ctrl+_", "ctrl+x ctrl+u"), lambda editing: editing.buffer.undo(), "Undo."),
    (("alt+r",), lambda editing: editing.buffer.undo_all(), "Undo all changes of this line."),
)

COMMANDS: dict[str, Command] = {key: command for keys, command, _says in _EDITING for key in keys}
"""What each key does to the line."""

PREFIXES = ("escape", "ctrl+x")
"""Keys that wait for another one. Esc and a key is the same as Alt with it."""

_OTHERS = (
    (("enter", "ctrl+j"), "Enter the line."),
    (("tab",), "Complete the word; when there are several ways, again: choose from a list."),
    (("ctrl+r",), "Search the history backwards while you type; again: the next place."),
    (("ctrl+s",), "Search the history forwards."),
    (("ctrl+g",), "Leave a search or a list; the line is as it was."),
    (("ctrl+c",), "Give the line up."),
    (("ctrl+d",), "Delete the character at the cursor; in an empty line: log out."),
    (("ctrl+l",), "Clear the screen."),
    (("alt+#",), "Enter the line as a comment, to have it in the history."),
)

_ALIASES = {
    "ctrl+h": "backspace", "shift+backspace": "backspace", "ctrl+i": "tab", "ctrl+m": "enter", "ctrl+j": "enter",
    "shift+enter": "enter", "ctrl+enter": "enter", "ctrl+left_square_bracket": "escape", "ctrl+underscore": "ctrl+_",
    "ctrl+minus": "ctrl+_", "ctrl+shift+minus": "ctrl+_", "ctrl+slash": "ctrl+_", "alt+full_stop": "alt+.",
    "alt+underscore": "alt+_", "alt+shift+minus": "alt+_", "alt+less_than_sign": "alt+<", "alt+shift+comma": "alt+<",
    "alt+greater_than_sign": "alt+>", "alt+shift+full_stop": "alt+>", "alt+backslash": "alt+\\",
    "alt+number_sign": "alt+#", "alt+ctrl+h": "alt+backspace",
}  # fmt: skip
"""Other names under which terminals report the same keys."""


def known_as(key: str) -> str:
    """A key's name in the tables here; Alt does not tell capital letters from small ones."""
    if key.startswith("alt+") and len(letter := key.removeprefix("alt+").removeprefix("shift+")) == 1:
        return f"alt+{letter.lower()}"
    return _ALIASES.get(key, key)


def typed(key: str, character: str | None) -> str:
    """What a key types; nothing if it is no character's."""
    if key.startswith(("ctrl+", "alt+", "super+", "hyper+", "meta+")):
        return ""
    text = character or (" " if key == "space" else key if len(key) == 1 else "")
    return text if text.isprintable() else ""


def _shown(key: str) -> str:
    if key.startswith("alt+") and len(key) == len("alt+b"):
        return f"M-{key[-1]}"
    if key in ("ctrl+left", "ctrl+right", "ctrl+delete"):
        return f"^{shown(key.removeprefix('ctrl+'))}"
    return shown(key)


def _listed() -> list[tuple[str, str]]:
    rows = [*_OTHERS, *((keys, says) for keys, _command, says in _EDITING)]
    return [(", ".join(_shown(key) for key in keys), says) for keys, says in rows]


KEYS: Sequence[tuple[str, str]] = _listed()
"""Keys as people read them, and a sentence for each."""
