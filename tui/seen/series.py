"""Numbers over time: what was read of a component's temperature, power and the like, one point for each look at it.

Between two looks nothing is known, so a series has no more points than the learner has looked. No Textual.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

MOST_POINTS = 2_000
"""Points kept of one series; the oldest go first."""

_MEASURED = re.compile(r"(-?\d+(?:\.\d+)?) ?(C|W|MHz|%|MiB|GiB|GB/s|Gb/s|RPM|V|A|us|)(?: of .+)?")
_NAMES = frozenset({"serial number", "driver", "base lid", "SM lid", "LID", "job", "jobs", "firmware"})
"""Aspects whose numbers name something and measure nothing."""


@dataclass(frozen=True, slots=True)
class Point:
    """A value that was read, ns since the site's start."""

    at: int
    value: float


@dataclass(slots=True)
class Series:
    """What was read of one aspect of one component; the oldest point comes first."""

    component: str
    aspect: str
    unit: str
    points: list[Point] = field(default_factory=list)

    @property
    def last(self) -> Point:
        """The newest point."""
        return self.points[-1]

    @property
    def least(self) -> float:
        """The smallest value."""
        return min(point.value for point in self.points)

    @property
    def most(self) -> float:
        """The largest value."""
        return max(point.value for point in self.points)


class Readings:
    """All series of a session, by aspect and component, in the order in which they were first seen."""

    def __init__(self) -> None:
        self._by_aspect: dict[str, dict[str, Series]] = {}

    def take(self, component: str, aspect: str, value: str, at: int) -> None:
        """Keep a value that is a number with or without a unit; others are passed over."""
        found = _MEASURED.fullmatch(value)
        if found is None or aspect in _NAMES:
            return
        series = self._by_aspect.setdefault(aspect, {}).setdefault(component, Series(component, aspect, found[2]))
        point = Point(at, float(found[1]))
        if series.points and series.last.at == at:
            series.points[-1] = point
        else:
            series.points.append(point)
        del series.points[:-MOST_POINTS]

    @property
    def aspects(self) -> tuple[str, ...]:
        """The aspects of which something was read."""
        return tuple(self._by_aspect)

    def of(self, aspect: str) -> Mapping[str, Series]:
        """The series of an aspect by component."""
        return self._by_aspect.get(aspect, {})

    def __iter__(self) -> Iterator[Series]:
        for components in self._by_aspect.values():
            yield from components.values()
