"""Selected text: two places in a page's lines. They stay with the text when more is printed or the width changes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tui.terminal.page import Page, Spot
from tui.terminal.rows import cells

# What a double click takes as one: hostnames, paths, PCI addresses, GUIDs, addresses, options, job ids.
_WORD = re.compile(r"[\w.\-/:@+%~=#]+")
_CLOSING = ".:"


@dataclass(frozen=True, slots=True)
class Selection:
    """From `start` up to `end` (exclusive)."""

    start: Spot
    end: Spot

    def span(self, number: int, length: int) -> tuple[int, int] | None:
        """The selected part of a line of that length; None if nothing of it is selected."""
        if not self.start.number <= number <= self.end.number:
            return None
        begin = self.start.at if number == self.start.number else 0
        end = min(self.end.at, length) if number == self.end.number else length
        return (begin, end) if begin < end or (number != self.end.number and begin == end) else None


def between(one: Spot, other: Spot) -> Selection | None:
    """What lies between two places, in whichever order; None if that is nothing."""
    return Selection(min(one, other), max(one, other)) if one != other else None


def word_at(page: Page, spot: Spot) -> Selection | None:
    """The word at a place."""
    for match in _WORD.finditer(page.text(spot.number)):
        if match.start() <= spot.at < match.end():
            end = match.start() + len(match[0].rstrip(_CLOSING))
            if spot.at < end:
                return Selection(Spot(spot.number, match.start()), Spot(spot.number, end))
    return None


def line_at(page: Page, spot: Spot) -> Selection | None:
    """The whole line at a place."""
    return lines_between(page, spot.number, spot.number)


def lines_between(page: Page, one: int, other: int) -> Selection | None:
    """Whole lines, from one number to another, both included."""
    first, last = min(one, other), max(one, other)
    return between(Spot(first, 0), Spot(last, len(page.text(last))))


def selected_text(page: Page, selection: Selection) -> str:
    """The text of a selection, without blanks at the ends of its lines."""
    pieces = []
    last = min(selection.end.number, page.end - 1)
    for number in range(max(selection.start.number, page.kept.first), last + 1):
        text = page.text(number)
        span = selection.span(number, len(text))
        part = text[span[0] : span[1]] if span else ""
        if number < last and number >= page.kept.end and cells(text) >= page.columns:
            pieces.append(part)  # a prompt's line goes on in the next row
            continue
        to_its_end = span is None or span[1] == len(text)
        pieces.append((part.rstrip() if to_its_end else part) + ("\n" if number < last else ""))
    return "".join(pieces)
