"""Every place in an item that holds a text of some kind, with its path in the item."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from engine.kernel.documents import Path
from exams.item import Item
from scenarios.model import FaultUse
from scenarios.patterns import TextPattern

Texts = Iterator[tuple[Path, str]]

_PARTS = {
    "options": ("text", "because"),
    "steps": ("text", "because"),
    "pairs": ("left", "right", "because"),
    "wrong": ("because",),
}
"""Lists in an item, and which of their fields are texts for people."""


def templates(item: Item) -> Texts:
    """Texts that may hold names: those for people, then those of the exhibit."""
    yield ("stem",), item.stem
    yield from ((("because",), text) for text in _given(item, "because"))
    yield from ((("otherwise",), text) for text in _given(item, "otherwise"))
    yield from ((("right", "because"), note.because) for note in _given(item, "right"))
    yield from ((("decoys", number), text) for number, text in enumerate(getattr(item, "decoys", ())))
    for name, keys in _PARTS.items():
        yield from _fields((name,), getattr(item, name, ()), *keys)
    if exhibit := item.exhibit:
        yield ("exhibit", "lead"), exhibit.lead
        yield from ((("exhibit", "lines", number), line) for number, line in enumerate(exhibit.lines))
    for path, use in fault_uses(item):
        yield from (((*path, key), getattr(use, key)) for key in ("target", "onset"))
        yield from (((*path, "parameters", name), value) for name, value in use.parameters.items())


def truths(item: Item) -> Texts:
    """Facts that are true or false."""
    yield from _fields(("options",), getattr(item, "options", ()), "fact")


def patterns(item: Item) -> Iterator[tuple[Path, TextPattern]]:
    """Patterns of lines of the exhibit."""
    yield from ((("right", "pattern"), note.pattern) for note in _given(item, "right"))
    yield from ((("wrong", number, "pattern"), note.pattern) for number, note in enumerate(getattr(item, "wrong", ())))


def fault_uses(item: Item) -> Iterator[tuple[Path, FaultUse]]:
    """Faults and noise of the exhibit."""
    for name in ("faults", "noise") if item.exhibit else ():
        yield from ((("exhibit", name, number), use) for number, use in enumerate(getattr(item.exhibit, name)))


def _given(item: Item, name: str) -> Iterator[Any]:
    value = getattr(item, name, None)
    if value:
        yield value


def _fields(path: Path, parts: Iterable[Any], *keys: str) -> Texts:
    for number, part in enumerate(parts):
        for key in keys:
            if text := getattr(part, key):
                yield (*path, number, key), text
