"""Text in rows: a mark or a time before each, continued lines set in under the text, and everything in the width there
is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from tui.actions import Action
from tui.app import breakfix

Piece = tuple[str, str]
"""Some text and its style as Textual writes styles: `$accent`, `bold $state-ok`."""

MUTED = "$muted"
ACCENT = "$accent"
STRONG = "bold"
_TWO_ENDS = 8
"""A narrower line has room for the beginning of a text only."""

_LEADING_TIME = re.compile(r"^\s*\[[^\]]*\d[^\]]*\]\s*")


@dataclass(frozen=True, slots=True)
class Row:
    """One text. `lead` stands before its first line; `cut` keeps it to one line instead of wrapping it; `most` wraps it
    into so many lines at most (0: any number), in which both of its ends can be read.
    """

    text: str = ""
    style: str = ""
    lead: tuple[Piece, ...] = ()
    cut: bool = False
    most: int = 0


def title(text: str) -> Row:
    """A heading among rows."""
    return Row(text, STRONG)


def wrapped(text: str, width: int) -> list[str]:
    """A text in lines of at most `width` cells; words stay whole where they fit. Line breaks in it stay."""
    return [line for paragraph in (text.splitlines() or [""]) for line in _wrapped_line(paragraph, max(width, 1))]


def _wrapped_line(text: str, width: int) -> Iterator[str]:
    line = text[: len(text) - len(text.lstrip())]
    empty = True
    for word in text.split():
        if not empty and cell_len(f"{line} {word}") > width:
            yield line
            line, empty = "", True
        line = f"{line}{word}" if empty else f"{line} {word}"
        empty = False
        while cell_len(line) > width:
            head = _head(line, width)
            yield head
            line = line[len(head) :]
    yield line


def _head(text: str, width: int) -> str:
    """The longest beginning that fits; at least one character."""
    count = 1
    while count < len(text) and cell_len(text[: count + 1]) <= width:
        count += 1
    return text[:count]


def shortened(text: str, width: int, ellipsis: str) -> str:
    """A text on one line, cut at `width` cells with the sign that says so."""
    text = " ".join(text.split())
    return text if cell_len(text) <= width else set_cell_size(text, max(width - 1, 0)).rstrip() + ellipsis


def fitted(text: str, width: int, most: int, ellipsis: str) -> list[str]:
    """A text in at most `most` lines. A longer one loses a time in brackets at its beginning, then its middle."""
    lines = wrapped(" ".join(text.split()), width)
    if len(lines) > most:
        lines = wrapped(" ".join(_LEADING_TIME.sub("", text).split()), width)
    if len(lines) > most:
        lines[most - 1 :] = [_without_middle(" ".join(lines[most - 1 :]), width, ellipsis)]
    return lines


def _without_middle(text: str, width: int, ellipsis: str) -> str:
    """The beginning and the end of a text that is too long for a line."""
    if width < _TWO_ENDS:
        return shortened(text, width, ellipsis)
    end = _head(text[::-1], (width - 1) // 2)[::-1]
    return set_cell_size(text, width - 1 - cell_len(end)).rstrip() + ellipsis + end.lstrip()


def laid_out(rows: Sequence[Row], width: int, ellipsis: str) -> list[list[Piece]]:
    """The lines of some rows, each in pieces."""
    return [line for row in rows for line in _lines(row, width, ellipsis)]


def _lines(row: Row, width: int, ellipsis: str) -> Iterator[list[Piece]]:
    inset = sum(cell_len(text) for text, _ in row.lead)
    room = max(width - inset, 1)
    if row.most:
        texts = fitted(row.text, room, row.most, ellipsis)
    else:
        texts = [shortened(row.text, room, ellipsis)] if row.cut else wrapped(row.text, room)
    for number, text in enumerate(texts):
        before = [(" " * inset, "")] if number else list(row.lead)
        yield [*before, (text, row.style)]


class Rows(Widget):
    """Rows in a widget as high as they need. `show` gives it others."""

    DEFAULT_CSS = """
    Rows { height: auto; width: 1fr; text-wrap: nowrap; }
    """

    def __init__(self, rows: Sequence[Row] = (), id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.rows = list(rows)

    def show(self, rows: Sequence[Row]) -> bool:
        """Show these rows. Returns whether they differ from those before."""
        if list(rows) == self.rows:
            return False
        self.rows = list(rows)
        self.refresh(layout=True)
        return True

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """As wide as there is room."""
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the rows take at this width."""
        return len(self._laid_out(width))

    def render(self) -> Content:
        """All lines."""
        lines = self._laid_out(self.content_size.width)
        return Content("\n").join(Content.assemble(*line) for line in lines)

    def _laid_out(self, width: int) -> list[list[Piece]]:
        return laid_out(self.rows, width, breakfix(self).glyphs.ellipsis)


def key_of(widget: Widget, id: str, actions: Iterable[Action] = ()) -> str:
    """The key of the action `id` of the widget's screen, or of `actions`, as people read it; empty if there is none."""
    app = breakfix(widget)
    known = (*(one.action for one in app.offers_below_dialog(widget.screen)), *actions)
    return next((app.keymap.shown(one) for one in known if one.id == id), "")
