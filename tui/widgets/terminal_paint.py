"""Rows of a terminal as strips: a line's looks, and over them selection, places found, the cursor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.strip import Strip

from tui.terminal.page import Page
from tui.terminal.rows import cells
from tui.terminal.scrollback import Place
from tui.terminal.sgr import Look, read, style_of

_CACHED_STRIPS = 2048


@dataclass(frozen=True, slots=True)
class Mark:
    """A part of a line that is painted differently: `style` comes on top of what stands there."""

    start: int
    end: int
    style: Style


class Painter:
    """Paints the rows of a page on `base`. Rows of kept lines without marks are painted once."""

    def __init__(self, page: Page, base: Callable[[], Style]) -> None:
        self._page, self._make_base = page, base
        self._base: Style | None = None
        self._styles: dict[Look, Style] = {}
        self._strips: LRUCache[Place, Strip] = LRUCache(_CACHED_STRIPS)

    def forget(self) -> None:
        """The width has changed."""
        self._strips.clear()

    def forget_styles(self) -> None:
        """The theme has changed."""
        self._base = None
        self._styles.clear()
        self._strips.clear()

    @property
    def base(self) -> Style:
        """What plain text looks like."""
        if self._base is None:
            self._base = self._make_base()
        return self._base

    def row(self, row: int, width: int, marks: Callable[[int, str], Sequence[Mark]]) -> Strip:
        """A row of the page; `marks(number, text)` are those of its line."""
        if row >= self._page.rows:
            return Strip.blank(width, self.base)
        place = self._page.place(row)
        raw = self._page.raw(place.number)
        over = marks(place.number, read(raw).text)
        kept = not over and place.number < self._page.kept.end
        if kept and (known := self._strips.get(place)) is not None and known.cell_length == width:
            return known
        strip = self.strip(raw, *self._page.bounds(place), width, over)
        if kept:
            self._strips[place] = strip
        return strip

    def strip(self, raw: str, begin: int, end: int, width: int, marks: Sequence[Mark] = ()) -> Strip:
        """A part of a stored line, as wide as the pane."""
        segments = list(self._segments(raw, begin, end, marks))
        used = sum(cells(segment.text) for segment in segments)
        if used < width:
            segments.append(Segment(" " * (width - used), self.base))
        strip = Strip(segments, max(used, width))
        return strip if used <= width else strip.adjust_cell_length(width)

    def _segments(self, raw: str, begin: int, end: int, marks: Sequence[Mark]) -> Iterator[Segment]:
        position = 0
        for text, look in read(raw).runs:
            first, last = max(position, begin), min(position + len(text), end)
            if first < last:
                yield from self._marked(text[first - position : last - position], first, self._style(look), marks)
            position += len(text)
            if position >= end:
                break
        beyond = [mark for mark in marks if mark.end > position and end >= position]
        if beyond:
            yield from self._marked(" " * (beyond[-1].end - position), position, self.base, beyond)

    def _marked(self, text: str, start: int, style: Style, marks: Sequence[Mark]) -> Iterator[Segment]:
        """A run cut at the edges of the marks on it."""
        end = start + len(text)
        edges = {start, end}
        for mark in marks:
            edges.update(edge for edge in (mark.start, mark.end) if start < edge < end)
        ordered = sorted(edges)
        for first, last in pairwise(ordered):
            shown = style
            for mark in marks:
                if mark.start <= first and last <= mark.end:
                    shown += mark.style
            yield Segment(text[first - start : last - start], shown)

    def _style(self, look: Look) -> Style:
        style = self._styles.get(look)
        if style is None:
            style = self._styles[look] = self.base + style_of(look)
        return style

    def bar(self, text: str, width: int, style: Style) -> Strip:
        """A row of the pane's own: a text, cut or filled up."""
        return Strip([Segment(text, style)]).adjust_cell_length(width, style)
