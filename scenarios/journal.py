"""The journal of a session: every move, when it was made, and what came of it.

A session is its scenario, its seed and its journal.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Literal, get_args

from engine.kernel.errors import BreakfixError

EntryKind = Literal[
    "line", "other", "message", "diagnose", "pin", "note", "escalate", "record", "hint", "answer", "hands", "wait",
    "submit",
]  # fmt: skip

_WORDS: dict[str, int] = {"diagnose": 2, "hands": 2, "answer": 1}
"""How many words an entry of a kind has, where they are looked at."""


@dataclass(frozen=True, slots=True)
class ScreenEvent:
    """Something about a full-screen program: at `at` it was drawn, after the key `key` if there was one."""

    at: int
    key: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One move. `started` and `ended` are ns since the site's start.

    kind: line (text, output, status), other (a line of another person: user, host), message (to the learner), diagnose
    (component and cause in `words`), pin (text; `source` is the entry whose output it stands in), note, escalate,
    record (a drain reason that the learner set), hint, answer, hands (action and target in `words`), wait, submit.
    """

    kind: EntryKind
    started: int
    ended: int
    text: str = ""
    words: tuple[str, ...] = ()
    terminal: int = 1
    host: str = ""
    user: str = ""
    status: int = 0
    output: bytes = b""
    cancelled: bool = False
    answers: tuple[str | None, ...] = ()
    screen: tuple[ScreenEvent, ...] = ()
    frames: str = ""
    size: tuple[int, int] = (120, 40)
    source: int | None = None

    @property
    def shown(self) -> str:
        """What it printed, as text."""
        return self.output.decode("utf-8", "replace")

    @property
    def everything(self) -> str:
        """What it printed and what full-screen programs showed."""
        return self.shown + self.frames


@dataclass
class Journal:
    """The entries of a session, in the order in which they ended."""

    entries: list[Entry] = field(default_factory=list)
    on_add: Callable[[Entry], None] | None = None

    def add(self, entry: Entry) -> int:
        """Append an entry. Returns its number."""
        self.entries.append(entry)
        if self.on_add:
            self.on_add(entry)
        return len(self.entries) - 1

    def of(self, *kinds: EntryKind) -> list[tuple[int, Entry]]:
        """Numbered entries of some kinds."""
        return [(number, entry) for number, entry in enumerate(self.entries) if entry.kind in kinds]


def encode(entry: Entry) -> dict[str, Any]:
    """The entry as plain data for JSON; what is empty is left out."""
    data: dict[str, Any] = {"kind": entry.kind, "started": entry.started, "ended": entry.ended}
    for item in fields(Entry):
        value = getattr(entry, item.name)
        if item.name not in data and value != item.default:
            data[item.name] = _plain(item.name, value)
    return data


def decode(data: dict[str, Any]) -> Entry:
    """The entry that `encode` wrote. Raises BreakfixError for anything else."""
    try:
        values = dict(data)
        values["output"] = base64.b64decode(values.get("output", ""))
        values["screen"] = tuple(ScreenEvent(*event) for event in values.get("screen", ()))
        values |= {name: tuple(values[name]) for name in ("words", "answers", "size") if name in values}
        return _sound(Entry(**values))
    except (TypeError, ValueError) as error:
        raise BreakfixError(f"the session has a broken entry: {error}") from None


def _sound(entry: Entry) -> Entry:
    """The entry, if it is one that a session writes. Raises ValueError."""
    if entry.kind not in get_args(EntryKind):
        raise ValueError(f"there is no kind {entry.kind!r}")
    if len(entry.words) != _WORDS.get(entry.kind, len(entry.words)):
        raise ValueError(f"an entry of kind {entry.kind} has {_WORDS[entry.kind]} words, found {len(entry.words)}")
    if not (isinstance(entry.started, int) and isinstance(entry.ended, int)):
        raise ValueError("a time is not a whole number")
    return entry


def _plain(name: str, value: Any) -> Any:
    if name == "output":
        return base64.b64encode(value).decode()
    if name == "screen":
        return [[event.at, event.key] for event in value]
    return list(value) if isinstance(value, tuple) else value
