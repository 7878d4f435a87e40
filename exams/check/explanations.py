"""Every answer is explained, in words of its own."""

from __future__ import annotations

from collections.abc import Iterator

from engine.kernel.documents import Path
from exams import item as items
from exams.check.finding import Finding
from exams.check.pool import Entry, Pool, path_of
from exams.check.words import telling_words, words
from exams.item import Item


def check(pool: Pool) -> Iterator[Finding]:
    """Explanations that are empty, that repeat another, or that repeat what they explain."""
    for entry in pool.entries:
        yield from _entry(entry)


def _entry(entry: Entry) -> Iterator[Finding]:
    said: dict[tuple[str, ...], Path] = {}
    for path, explained, because in explanations(entry.item):
        telling = telling_words(because)
        same = said.setdefault(tuple(words(because)), path)
        if not telling:
            yield entry.finding("the explanation says nothing; say why the answer is right or wrong", *path)
        elif same != path:
            text = f"the explanation is the same as at {path_of(same)}; explain each answer in words of its own"
            yield entry.finding(text, *path)
        elif telling <= telling_words(explained):
            yield entry.finding("the explanation only repeats the answer; say why it is right or wrong", *path)


def explanations(item: Item) -> Iterator[tuple[Path, str, str]]:
    """The place of each explanation, the text that it explains, and itself."""
    if isinstance(item, items.Single | items.Multiple):
        for number, option in enumerate(item.options):
            yield ("options", number, "because"), option.text, option.because
    elif isinstance(item, items.Ordering):
        for number, step in enumerate(item.steps):
            yield ("steps", number, "because"), step.text, step.because
    elif isinstance(item, items.Matching):
        for number, pair in enumerate(item.pairs):
            yield ("pairs", number, "because"), f"{pair.left} {pair.right}", pair.because
    elif isinstance(item, items.Numeric):
        yield ("because",), "", item.because
    elif isinstance(item, items.Point):
        yield ("right", "because"), "", item.right.because
        for number, note in enumerate(item.wrong):
            yield ("wrong", number, "because"), "", note.because
        yield ("otherwise",), "", item.otherwise
