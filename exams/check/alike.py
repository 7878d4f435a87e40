"""Parts of an item that differ in nothing but capitals, spaces and punctuation: nobody could tell them apart."""

from __future__ import annotations

from collections.abc import Iterator

from engine.kernel.documents import Path
from engine.kernel.names import quoted
from exams import item as items
from exams.check.finding import Finding
from exams.check.pool import Entry, Pool, path_of
from exams.item import Item


def check(pool: Pool) -> Iterator[Finding]:
    """Texts that read the same; those that are the same are refused when the file is read."""
    for entry in pool.entries:
        for texts in _columns(entry.item):
            yield from _same(entry, texts)


def _same(entry: Entry, texts: dict[Path, str]) -> Iterator[Finding]:
    seen: dict[str, Path] = {}
    for path, text in texts.items():
        first = seen.setdefault(_reads(text), path)
        if first != path and texts[first] != text:
            what = f"{quoted(text)} reads like {quoted(texts[first])} at {path_of(first)}; write another"
            yield entry.finding(what, *path)


def _reads(text: str) -> str:
    return " ".join(text.casefold().split()).strip(" .;:!")


def _columns(item: Item) -> Iterator[dict[Path, str]]:
    """Texts that stand together, by their places."""
    if isinstance(item, items.Single | items.Multiple):
        yield {("options", number, "text"): option.text for number, option in enumerate(item.options)}
    elif isinstance(item, items.Ordering):
        yield {("steps", number, "text"): step.text for number, step in enumerate(item.steps)}
    elif isinstance(item, items.Matching):
        yield {("pairs", number, "left"): pair.left for number, pair in enumerate(item.pairs)}
        rights: dict[Path, str] = {("pairs", number, "right"): pair.right for number, pair in enumerate(item.pairs)}
        yield rights | {("decoys", number): text for number, text in enumerate(item.decoys)}
