"""What the help screen says, as entries in sections that can be searched. No Textual widgets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tui.actions import Offer
from tui.keymap import Keymap


@dataclass(frozen=True, slots=True)
class HelpLine:
    """A line of help: a text, and the keys it is about if it is about some."""

    text: str
    keys: str = ""
    bullet: bool = False

    def fits(self, words: Sequence[str]) -> bool:
        """Whether all words stand in it."""
        told = f"{self.keys} {self.text}".lower()
        return all(word in told for word in words)


@dataclass(frozen=True, slots=True)
class Section:
    """Lines under a title."""

    title: str
    lines: tuple[HelpLine, ...]


_SCOPES = {
    "app": "The whole program", "dialog": "This dialog", "drill": "The drill", "home": "Home", "list": "Lists",
    "terminal": "The terminal", "workspace": "Tabs, panes and what stands around them", "side": "Beside the terminals",
    "guide": "The guide", "settings": "Settings", "map": "The map", "commands": "The menu of commands",
    "crash": "After a crash", "diagnosis": "The diagnosis", "debrief": "The debrief", "help": "Help",
}  # fmt: skip
"""What the first half of an action's id is called; others by their own name."""


def scope_title(scope: str) -> str:
    """The first half of actions' ids as people read it."""
    return _SCOPES.get(scope, scope.replace("_", " ").capitalize())


def sections(offered: Sequence[Offer], texts: Sequence[tuple[str, str]], keymap: Keymap) -> list[Section]:
    """Everything that help says at a place where these actions are offered."""
    found = [Section(title, tuple(told_lines(text))) for title, text in texts]
    found += _actions(offered, keymap)
    if any(one.action.id.startswith("terminal.") for one in offered):
        found += _editing()
    return [*found, _prefix(keymap), _MOUSE]


def searched(found: Iterable[Section], query: str) -> Iterator[Section]:
    """The sections with only the lines in which all words of the query stand; those whose title has them are whole."""
    words = query.lower().split()
    for one in found:
        if all(word in one.title.lower() for word in words):
            yield one
        elif lines := tuple(line for line in one.lines if line.fits(words)):
            yield Section(one.title, lines)


def told_lines(text: str) -> Iterator[HelpLine]:
    """A help text (a little Markdown: paragraphs, `- ` lists, `**`) in lines; each paragraph is one."""
    for block in re.split(r"\n\s*\n|\n(?=\s*- )", text.strip()):
        words = " ".join(block.split()).replace("**", "").replace("`", "")
        if words:
            yield HelpLine(words.removeprefix("- "), bullet=words.startswith("- "))


def _actions(offered: Sequence[Offer], keymap: Keymap) -> Iterator[Section]:
    """The actions that can be done, by the first half of their id, the innermost first."""
    scopes: dict[str, list[HelpLine]] = {}
    for one in offered:
        if one.enabled:
            doc = " ".join(one.action.doc.split())
            line = HelpLine(f"{one.action.title}: {doc}", keymap.all_shown(one.action))
            scopes.setdefault(one.action.id.partition(".")[0], []).append(line)
    for scope, lines in scopes.items():
        yield Section(scope_title(scope), tuple(lines))


def _editing() -> Iterator[Section]:
    """The keys of the line editor."""
    try:
        from tui.terminal.line_editor import KEYS
    except ImportError:
        return
    yield Section("Editing a line", tuple(HelpLine(does, keys) for keys, does in KEYS))


def _prefix(keymap: Keymap) -> Section:
    prefix = keymap.shown_sequence(keymap.prefix)
    return Section(
        f"The prefix key {prefix}",
        (
            HelpLine(
                f"A ^ stands for Ctrl held down, M- for Alt, S- for Shift: {prefix} is Ctrl and {prefix[-1]} together."
            ),
            HelpLine(
                f"Press {prefix}, let go, and press another key: {prefix} ? is this help. After {prefix} the last line "
                f"shows every key that may follow; Esc takes it back."
            ),
            HelpLine(f"{prefix} twice gives one {prefix} to the shell. Settings let you choose another prefix key."),
            HelpLine("In dialogs Tab goes on to the next field, Esc goes back without doing anything."),
        ),
    )


_MOUSE = Section(
    "The mouse",
    (
        HelpLine("The last line shows what can be done; a click on an entry does it."),
        HelpLine("A click chooses in a list, a double click opens. The wheel scrolls what is under it."),
        HelpLine(
            "In a terminal: drag to select, right click for a menu, middle click to put the selection at the prompt."
        ),
        HelpLine("With Shift held down most terminals select text themselves, past breakfix."),
    ),
)
