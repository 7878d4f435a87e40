"""How terminals share a tab: a tree of splits. Pure; `T` is whatever stands in a pane."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Generic, TypeVar

T = TypeVar("T")

LEAST_COLUMNS, LEAST_ROWS = 12, 4


class Way(Enum):
    """How a split divides its space."""

    SIDE_BY_SIDE = "side by side"
    STACKED = "stacked"


@dataclass(frozen=True, slots=True)
class Box:
    """A place on the screen, in cells."""

    column: int
    row: int
    columns: int
    rows: int

    def divided(self, way: Way, share: float) -> tuple[Box, Box]:
        """Two boxes; the first has `share` of the space."""
        if way is Way.SIDE_BY_SIDE:
            first = min(max(round(self.columns * share), 0), self.columns)
            return (
                Box(self.column, self.row, first, self.rows),
                Box(self.column + first, self.row, self.columns - first, self.rows),
            )
        first = min(max(round(self.rows * share), 0), self.rows)
        return (
            Box(self.column, self.row, self.columns, first),
            Box(self.column, self.row + first, self.columns, self.rows - first),
        )


@dataclass
class Split(Generic[T]):
    """Two parts, the first with `share` of the space."""

    way: Way
    first: Split[T] | T
    second: Split[T] | T
    share: float = 0.5


@dataclass
class Arrangement(Generic[T]):
    """The panes of one tab. `chosen` has the focus; `zoomed` shows it alone. It is never empty."""

    root: Split[T] | T
    chosen: T
    zoomed: bool = False
    together: bool = False
    """Whether a line that is entered in one pane is entered in all."""
    _before: list[T] = field(default_factory=list)

    @classmethod
    def of(cls, pane: T) -> Arrangement[T]:
        """A tab with one pane."""
        return cls(pane, pane)

    @classmethod
    def of_tree(cls, root: Split[T] | T) -> Arrangement[T]:
        """A tab with these panes; the first has the focus."""
        return cls(root, next(_leaves(root)))

    @property
    def panes(self) -> list[T]:
        """All panes, from left to right and top to bottom."""
        return list(_leaves(self.root))

    @property
    def boxed(self) -> bool:
        """Whether more than one pane is seen."""
        return isinstance(self.root, Split) and not self.zoomed

    def boxes(self, area: Box) -> list[tuple[T, Box]]:
        """Where each visible pane stands in the area."""
        if self.zoomed:
            return [(self.chosen, area)]
        return list(_placed(self.root, area))

    def choose(self, pane: T) -> None:
        """Give a pane the focus."""
        if pane != self.chosen:
            self._before = [one for one in self._before if one not in (pane, self.chosen)] + [self.chosen]
            self.chosen = pane
            self.zoomed = False

    def split(self, way: Way, new: T) -> None:
        """Divide the chosen pane's space; the new one is second and gets the focus."""
        self.root = _replaced(self.root, self.chosen, Split(way, self.chosen, new))
        self.choose(new)

    def remove(self, pane: T) -> bool:
        """Take a pane out; its neighbour gets the space, the one before it the focus. False if it was the last."""
        if not isinstance(self.root, Split):
            return False
        self.root = _without(self.root, pane)
        self._before = [one for one in self._before if one != pane]
        self.zoomed = False
        if self.chosen == pane:
            self.chosen = self._before.pop() if self._before else self.panes[0]
        return True

    def next(self, step: int = 1) -> T:
        """The pane after the chosen one, in order."""
        panes = self.panes
        return panes[(panes.index(self.chosen) + step) % len(panes)]

    def towards(self, direction: str, area: Box) -> T:
        """The nearest pane `left`, `right`, `up` or `down` of the chosen one; itself if there is none."""
        boxes = list(_placed(self.root, area))
        here = dict(boxes)[self.chosen]
        found = [(gap, pane) for pane, box in boxes if (gap := _gap(here, box, direction)) is not None]
        return min(found, key=lambda entry: entry[0])[1] if found else self.chosen

    def resize(self, way: Way, step: float) -> None:
        """Give the chosen pane more (or less) of the nearest split of that kind."""
        found = [split for split in _above(self.root, self.chosen) if split.way is way]
        if found:
            split = found[-1]
            grows = 1 if self.chosen in list(_leaves(split.first)) else -1
            split.share = min(max(split.share + grows * step, 0.1), 0.9)


def to_data(part: Split[T] | T, number: Callable[[T], int]) -> Any:
    """A tree of panes as plain data: a pane is its number."""
    if not isinstance(part, Split):
        return number(part)
    return [part.way.value, part.share, to_data(part.first, number), to_data(part.second, number)]


def from_data(data: Any, pane: Callable[[int], T | None]) -> Split[T] | T | None:
    """The tree that `to_data` wrote, without the panes that are no longer there; None if nothing is left.

    Raises ValueError for anything else.
    """
    if isinstance(data, int):
        return pane(data)
    if not (isinstance(data, list) and len(data) == 4 and isinstance(data[1], float | int)):
        raise ValueError("not an arrangement of panes")
    way, share = Way(data[0]), min(max(float(data[1]), 0.1), 0.9)
    first, second = from_data(data[2], pane), from_data(data[3], pane)
    if first is None or second is None:
        return second if first is None else first
    return Split(way, first, second, share)


def _leaves(part: Split[T] | T) -> Iterator[T]:
    if isinstance(part, Split):
        yield from _leaves(part.first)
        yield from _leaves(part.second)
    else:
        yield part


def _placed(part: Split[T] | T, area: Box) -> Iterator[tuple[T, Box]]:
    if isinstance(part, Split):
        first, second = area.divided(part.way, part.share)
        yield from _placed(part.first, first)
        yield from _placed(part.second, second)
    else:
        yield part, area


def _replaced(part: Split[T] | T, pane: T, new: Split[T]) -> Split[T] | T:
    if isinstance(part, Split):
        part.first, part.second = _replaced(part.first, pane, new), _replaced(part.second, pane, new)
        return part
    return new if part == pane else part


def _without(part: Split[T], pane: T) -> Split[T] | T:
    if part.first == pane:
        return part.second
    if part.second == pane:
        return part.first
    if isinstance(part.first, Split):
        part.first = _without(part.first, pane)
    if isinstance(part.second, Split):
        part.second = _without(part.second, pane)
    return part


def _above(part: Split[T] | T, pane: T) -> list[Split[T]]:
    """The splits around a pane, the outermost first."""
    if not isinstance(part, Split) or pane not in list(_leaves(part)):
        return []
    return [part, *_above(part.first, pane), *_above(part.second, pane)]


def _gap(here: Box, there: Box, direction: str) -> tuple[int, int] | None:
    """How far `there` lies in a direction, and how far it is off to the side; None if it does not lie there."""
    if direction in ("left", "right"):
        gap = (
            here.column - (there.column + there.columns)
            if direction == "left"
            else there.column - (here.column + here.columns)
        )
        beside = there.row < here.row + here.rows and here.row < there.row + there.rows
        return (gap, abs(there.row - here.row)) if gap >= 0 and beside else None
    gap = here.row - (there.row + there.rows) if direction == "up" else there.row - (here.row + here.rows)
    beside = there.column < here.column + here.columns and here.column < there.column + there.columns
    return (gap, abs(there.column - here.column)) if gap >= 0 and beside else None
