"""Numbers over time as characters: a spark of one row, and a chart with its axes. Pure functions, no Textual.

A spark has eight levels. A chart has two by four dots a cell (braille); in ASCII one a cell.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tui.seen.series import Point

_LEVELS, _ASCII_LEVELS = "▁▂▃▄▅▆▇█", "_.-=*#"
_BRAILLE = 0x2800
_DOTS = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
"""The bit of each dot of a braille cell, by row and column."""


def number(value: float) -> str:
    """A value as short as it can be said."""
    return str(int(value)) if value == int(value) else f"{value:.2f}".rstrip("0").rstrip(".")


def spark(points: Sequence[Point], columns: int, least: float, most: float, ascii_only: bool = False) -> str:
    """The newest looks, one column each, between the levels `least` and `most`."""
    levels = _ASCII_LEVELS if ascii_only else _LEVELS
    span = (most - least) or 1.0
    heights = (int((point.value - least) / span * (len(levels) - 1) + 0.5) for point in points[-columns:])
    return "".join(levels[height] for height in heights)


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a chart lies: `columns` and `rows` of its inside, times (ns) and values at its edges."""

    columns: int
    rows: int
    since: int
    until: int
    least: float
    most: float

    def place(self, point: Point, across: int, down: int) -> tuple[int, int]:
        """The dot of a point, with so many dots across and down; the upper left one is (0, 0)."""
        time = (self.until - self.since) or 1
        span = (self.most - self.least) or 1.0
        x = (point.at - self.since) * (across - 1) // time
        y = int((self.most - point.value) / span * (down - 1) + 0.5)
        return x, y


def chart(points: Sequence[Point], columns: int, rows: int, clock: Callable[[int], str], ascii_only: bool) -> list[str]:
    """A chart of `rows` lines and at most `columns` cells: values on the left, times below; looks joined by a line."""
    least, most = _edges([point.value for point in points])
    marks = _marks(least, most, max(rows - 2, 1))
    margin = max(map(len, marks)) + 1
    frame = Frame(max(columns - margin - 1, 2), max(rows - 2, 1), points[0].at, points[-1].at, least, most)
    bar, corner, rule = ("|", "+", "-") if ascii_only else ("│", "└", "─")
    inside = _ascii_dots(points, frame) if ascii_only else _braille(points, frame)
    lines = [f"{mark:>{margin - 1}} {bar}{row}" for mark, row in zip(marks, inside, strict=True)]
    lines.append(" " * margin + corner + rule * frame.columns)
    first, last = clock(frame.since), clock(frame.until)
    room = frame.columns - len(first) - len(last)
    below = f"{first}{' ' * room}{last}" if room > 0 and first != last else last[: frame.columns]
    return [*lines, " " * (margin + 1) + below]


def _edges(values: Sequence[float]) -> tuple[float, float]:
    """The smallest and the largest, but so far apart that what hardly moves looks so: by a tenth of its size."""
    least, most = min(values), max(values)
    short = max(max(abs(least), abs(most)) / 10, 1.0) - (most - least)
    return (least - short / 2, most + short / 2) if short > 0 else (least, most)


def _marks(least: float, most: float, rows: int) -> list[str]:
    """Values beside the rows: at the top, in the middle and at the bottom."""
    told = {0: most, rows - 1: least}
    if rows >= 5:  # fewer rows have no room for a third mark between two
        told[rows // 2] = most - (most - least) * (rows // 2) / (rows - 1)
    return [number(round(told[row], 1)) if row in told else "" for row in range(rows)]


def _joined(points: Sequence[Point], frame: Frame, across: int, down: int) -> set[tuple[int, int]]:
    """The dots of the line through all points."""
    dots: set[tuple[int, int]] = set()
    placed = [frame.place(point, across, down) for point in points]
    for (x, y), (other_x, other_y) in zip(placed, placed[1:] or placed, strict=False):
        steps = max(abs(other_x - x), abs(other_y - y), 1)
        dots.update((x + (other_x - x) * step // steps, y + (other_y - y) * step // steps) for step in range(steps + 1))
    return dots


def _braille(points: Sequence[Point], frame: Frame) -> list[str]:
    cells = [[0] * frame.columns for _ in range(frame.rows)]
    for x, y in _joined(points, frame, frame.columns * 2, frame.rows * 4):
        cells[y // 4][x // 2] |= _DOTS[y % 4][x % 2]
    return ["".join(chr(_BRAILLE + bits) if bits else " " for bits in row).rstrip() for row in cells]


def _ascii_dots(points: Sequence[Point], frame: Frame) -> list[str]:
    cells = [[" "] * frame.columns for _ in range(frame.rows)]
    for x, y in _joined(points, frame, frame.columns, frame.rows):
        cells[y][x] = "."
    for point in points:
        x, y = frame.place(point, frame.columns, frame.rows)
        cells[y][x] = "*"
    return ["".join(row).rstrip() for row in cells]
