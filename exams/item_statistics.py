"""Statistics of items over the results of many people: how difficult each is, whether it tells those who know from
those who don't, and what its wrong options are good for.

Difficulty is the mean share of the points (classical test theory's p). Discrimination is the correlation of an item's
points with those of the rest of the same exam (the item-rest correlation); below 0.2 an item tells little, below 0 its
key is suspect. Option counts compare the upper and the lower 27 % of the sittings (Kelley, 1939).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from engine.kernel.errors import BreakfixError

ENOUGH = 10
"""Below so many sittings a figure says little."""

GROUP = 0.27
"""The part of the sittings that counts as upper and as lower group."""

EASY, HARD, FLAT, SELDOM = 0.95, 0.2, 0.2, 0.05


@dataclass(frozen=True, slots=True)
class Given:
    """What one person made of an item: the share of its points, and the ids of the options that were taken."""

    item: str
    share: float
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OptionUse:
    """How often an option was taken: by all, and by the upper and lower groups (shares)."""

    id: str
    taken: float
    upper: float
    lower: float


@dataclass(frozen=True, slots=True)
class ItemStatistics:
    """An item over `count` sittings; `discrimination` is None where it cannot be told."""

    item: str
    count: int
    difficulty: float
    discrimination: float | None
    options: tuple[OptionUse, ...]

    @property
    def remarks(self) -> list[str]:
        """What an author should look at."""
        if self.count < ENOUGH:
            return [f"only {self.count} sitting{'s' * (self.count != 1)}: too few to tell"]
        found = []
        if self.discrimination is not None and self.discrimination < 0:
            found.append("who knows more gets it wrong more often: look at the key")
        elif self.discrimination is not None and self.discrimination < FLAT:
            found.append("tells little between people")
        if self.difficulty > EASY:
            found.append("nearly everybody is right")
        elif self.difficulty < HARD:
            found.append("nearly everybody is wrong")
        found += [f"option {one.id} tempts hardly anybody" for one in self.options if one.taken < SELDOM]
        return found


def sittings(results: Iterable[tuple[str, object]]) -> list[list[Given]]:
    """The items of result files (name and parsed JSON, as `breakfix exam --json` writes it). Raises BreakfixError."""
    found = []
    for name, data in results:
        lines = data.get("items") if isinstance(data, dict) else None
        if not isinstance(lines, list) or not all(isinstance(line, dict) for line in lines):
            raise BreakfixError(
                f"{name} is no result of an exam", "`breakfix report --json` and `exam --json` write one."
            )
        try:
            found.append([_given(line) for line in lines if line["kind"] != "hands-on"])
        except (KeyError, TypeError, ValueError, ZeroDivisionError):
            raise BreakfixError(f"{name} is no result of an exam: an item lacks its id or its points") from None
    return found


def _given(line: Mapping[str, Any]) -> Given:
    answer = line.get("answer")
    chosen = [answer] if isinstance(answer, str) else answer
    options = tuple(map(str, chosen)) if line["kind"] in ("single", "multiple") and isinstance(chosen, list) else ()
    return Given(str(line["id"]), float(line["points"]) / float(line["of"]), options)


def statistics(found: Sequence[Sequence[Given]]) -> list[ItemStatistics]:
    """The statistics of each item that stands in any of the sittings, those with most to say about them first."""
    ranked = sorted(found, key=_total)
    size = max(round(len(ranked) * GROUP), 1)
    lower, upper = ranked[:size], ranked[-size:]
    ids = dict.fromkeys(one.item for sitting in found for one in sitting)
    made = [_of_item(id, found, lower, upper) for id in ids]
    return sorted(made, key=lambda one: (one.count < ENOUGH, -len(one.remarks), one.item))


def _total(sitting: Sequence[Given]) -> float:
    return sum(one.share for one in sitting) / len(sitting) if sitting else 0.0


def _of_item(
    id: str, found: Sequence[Sequence[Given]], lower: Sequence[Sequence[Given]], upper: Sequence[Sequence[Given]]
) -> ItemStatistics:
    pairs = [(one.share, _rest(sitting, one)) for sitting in found for one in sitting if one.item == id]
    shares = [share for share, _ in pairs]
    used = dict.fromkeys(option for sitting in found for one in sitting if one.item == id for option in one.options)
    options = tuple(
        OptionUse(option, _taken(id, option, found), _taken(id, option, upper), _taken(id, option, lower))
        for option in sorted(used)
    )
    return ItemStatistics(id, len(pairs), sum(shares) / len(shares), _correlation(pairs), options)


def _rest(sitting: Sequence[Given], own: Given) -> float:
    others = [one.share for one in sitting if one is not own]
    return sum(others) / len(others) if others else 0.0


def _taken(id: str, option: str, found: Sequence[Sequence[Given]]) -> float:
    """The share of those who had the item that took the option."""
    given = [one for sitting in found for one in sitting if one.item == id]
    return sum(option in one.options for one in given) / len(given) if given else 0.0


def _correlation(pairs: Sequence[tuple[float, float]]) -> float | None:
    """Pearson's correlation; None where one side is the same for all."""
    count = len(pairs)
    if count < 2:
        return None
    first, second = (sum(pair[side] for pair in pairs) / count for side in (0, 1))
    together = sum((a - first) * (b - second) for a, b in pairs)
    spread = sum((a - first) ** 2 for a, _ in pairs) * sum((b - second) ** 2 for _, b in pairs)
    return together / sqrt(spread) if spread > 1e-12 else None
