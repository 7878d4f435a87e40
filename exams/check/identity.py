"""Ids and uuids are unique in the whole bank of an exam, since attempts and progress are kept by them."""

from __future__ import annotations

from collections.abc import Iterator

from engine.kernel.names import quoted
from exams.check.finding import Finding
from exams.check.pool import Entry, Pool


def check(pool: Pool) -> Iterator[Finding]:
    """What an item has that one in another file has too; within a file the loader tells it."""
    for key in ("id", "uuid"):
        seen: dict[str, Entry] = {}
        for entry in pool.everything:
            value = getattr(entry.item, key)
            first = seen.setdefault(value, entry)
            if first.document is not entry.document and entry in pool.entries:
                yield entry.finding(f"the {key} {quoted(value)} is that of {first.place} too; give another", key)
