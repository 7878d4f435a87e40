"""The learner's way through the drills: where they stand in each area, and which drill comes next and why.

An area is a pack of the library. What is next follows from results alone, so that it is the same wherever it is asked
for. The reason never names the area of a drill that was not played: that would tell where to look.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tui.played import Played

GOOD = 80
"""Points from which on a result counts as well done."""
ENOUGH = 2
"""Drills of a level that were done well before the next level comes."""


@dataclass(frozen=True, slots=True)
class Drill:
    """What has to be known of a drill."""

    name: str
    title: str
    area: str
    difficulty: int


@dataclass(frozen=True, slots=True)
class Area:
    """Where somebody stands in an area: drills of it, played and passed, and the mean of the best scores (0 to 100)."""

    name: str
    drills: int
    played: int
    passed: int
    score: int | None


@dataclass(frozen=True, slots=True)
class Next:
    """A drill that is recommended, and why."""

    drill: Drill
    reason: str


def areas(drills: Iterable[Drill], results: Iterable[Played]) -> list[Area]:
    """Where somebody stands in each area, in the order of the drills."""
    best = _best(results)
    by_area: dict[str, list[Drill]] = {}
    for drill in drills:
        by_area.setdefault(drill.area, []).append(drill)
    return [_area(name, [best.get(drill.name) for drill in found]) for name, found in by_area.items()]


def _area(name: str, best: Sequence[Played | None]) -> Area:
    played = [one for one in best if one is not None]
    score = round(sum(one.score for one in played) / len(played)) if played else None
    return Area(name, len(best), len(played), sum(one.passed for one in played), score)


def level(drills: Iterable[Drill], results: Iterable[Played]) -> int:
    """The level that fits now: one above the highest of which enough drills were done well, 1 to 5."""
    best = _best(results)
    well = [drill.difficulty for drill in drills if drill.name in best and _well(best[drill.name])]
    reached = [number for number in set(well) if sum(one >= number for one in well) >= ENOUGH]
    return min(max(reached, default=0) + 1, 5)


def next_drill(drills: Sequence[Drill], results: Sequence[Played]) -> Next | None:
    """The drill to play next; None where there is none."""
    if not drills:
        return None
    by_name = {drill.name: drill for drill in drills}
    again = _again(by_name, results)
    if again is not None:
        return again
    best, fits = _best(results), level(drills, results)
    new = [drill for drill in drills if drill.name not in best]
    if not new:
        return _weakest(by_name, best)
    passed = {area.name: area.passed for area in areas(drills, results)}
    near = {drill: abs(drill.difficulty - fits) for drill in new}
    chosen = min(new, key=lambda drill: (near[drill], passed[drill.area], drill.difficulty, drill.title))
    if not best:
        return Next(chosen, "A first drill: an easy one.")
    done = f"Level {fits} fits now" if chosen.difficulty == fits else f"The nearest to level {fits} that is left"
    return Next(chosen, f"{done}, from an area in which you have passed {passed[chosen.area]} so far.")


def _again(by_name: dict[str, Drill], results: Sequence[Played]) -> Next | None:
    """The last drill once more, where it was not passed; after a second time something else comes first."""
    if not results or results[-1].passed or results[-1].scenario not in by_name:
        return None
    drill = by_name[results[-1].scenario]
    tries = [one for one in results if one.scenario == drill.name]
    if len(tries) > 1 and not any(one.passed for one in tries[-2:]):
        return None
    return Next(drill, "Not passed the last time: the same kind of trouble with other details.")


def _weakest(by_name: dict[str, Drill], best: dict[str, Played]) -> Next | None:
    known = [one for name, one in best.items() if name in by_name]
    lowest = min(known, key=lambda one: (one.passed, one.score, one.scenario))
    return Next(by_name[lowest.scenario], f"You have played them all; this one has your lowest best, {lowest.score}.")


def _best(results: Iterable[Played]) -> dict[str, Played]:
    best: dict[str, Played] = {}
    for one in results:
        known = best.get(one.scenario)
        if known is None or (one.passed, one.score) > (known.passed, known.score):
            best[one.scenario] = one
    return best


def _well(result: Played) -> bool:
    return result.passed and result.score >= GOOD


def packaged_drills() -> list[Drill]:
    """The drills of the library, as people meet them."""
    from scenarios.catalogue import in_order, packaged, places

    names = in_order("drill", "healthy", "incident")
    return [Drill(name, packaged(name).title, places()[name][0], packaged(name).difficulty) for name in names]
