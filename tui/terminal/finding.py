"""Finding text in the kept lines: plain text; capitals count only if the searched text has some."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from tui.terminal.page import Page, Spot

MOST = 10_000
"""More places than these are not counted; the newest are kept."""


class Search:
    """The places of `needle` in a page, in order. `current` is the one that was gone to."""

    def __init__(self, page: Page, needle: str) -> None:
        self.needle = needle
        self.current: Spot | None = None
        self.more = False
        self._page = page
        self._exact = needle != needle.lower()
        self._pattern = re.compile(re.escape(needle), 0 if self._exact else re.IGNORECASE)
        self._found: list[Spot] = []
        self._searched = page.kept.first
        self._look_at_all()

    def _look_at_all(self) -> None:
        """From the newest line backwards, until there are too many."""
        kept, found = self._page.kept, []
        for number in range(kept.end - 1, kept.first - 1, -1):
            found += [Spot(number, start) for start, _ in reversed(list(self.spans(self._page.text(number))))]
            if len(found) > MOST:
                self.more = True
                break
        self._found = found[MOST - 1 :: -1] if self.more else found[::-1]
        self._searched = kept.end

    def catch_up(self) -> None:
        """Look at the lines that came since, and forget those that have gone."""
        kept = self._page.kept
        for number in range(max(self._searched, kept.first), kept.end):
            self._found += [Spot(number, start) for start, _ in self.spans(self._page.text(number))]
        self._searched = kept.end
        gone = bisect_left(self._found, Spot(kept.first, 0))
        gone = max(gone, len(self._found) - MOST)
        self.more = self.more or len(self._found) > MOST
        del self._found[:gone]

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Where the needle stands in a text."""
        if self.needle and (self._exact or not text.isascii() or self.needle in text.lower()):
            for match in self._pattern.finditer(text):
                yield match.span()

    def go(self, spot: Spot, backward: bool) -> Spot | None:
        """The next place after (or the last one before) a place, around the end if need be; it becomes the current."""
        if not self._found:
            self.current = None
        elif backward:
            self.current = self._found[bisect_left(self._found, spot) - 1]
        else:
            self.current = self._found[bisect_right(self._found, spot) % len(self._found)]
        return self.current

    @property
    def count(self) -> str:
        """`3 of 17`."""
        if not self.needle:
            return ""
        total = f"{len(self._found):,}{'+' if self.more else ''}"
        if not self._found:
            return "not found"
        if self.current is None:
            return total
        return f"{bisect_left(self._found, self.current) + 1:,} of {total}"
