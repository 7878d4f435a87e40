"""Which items an exam has: drawn by the weights of its domains, spread within them, those not seen before first.

The same seed and the same history give the same draw. An item is drawn once at most, whatever its exhibit shows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engine.kernel.random import Stream
from exams.blueprint import Blueprint, Domain
from exams.item import HandsOnItem, Item

Seen = Mapping[str, int]
"""When an item was last seen (seconds since 1970), by its uuid."""


@dataclass(frozen=True)
class Draw:
    """The items that were drawn, in the order in which they are asked; and what there is to say where items lack."""

    items: tuple[Item, ...]
    shortfalls: tuple[str, ...] = ()


def apportion(weights: Mapping[str, int], seats: int) -> dict[str, int]:
    """How many of `seats` each has: by largest remainder, in equal cases the heavier and then the earlier one."""
    total = sum(weights.values())
    if not total:
        return dict.fromkeys(weights, 0)
    shares = {name: divmod(weight * seats, total) for name, weight in weights.items()}
    result = {name: whole for name, (whole, _) in shares.items()}
    order = sorted(weights, key=lambda name: (-shares[name][1], -weights[name]))
    for name in order[: seats - sum(result.values())]:
        result[name] += 1
    return result


def draw(
    blueprint: Blueprint,
    items: Sequence[Item],
    seed: int,
    *,
    count: int | None = None,
    labs: int | None = None,
    seen: Seen | None = None,
) -> Draw:
    """The items of an exam; without numbers as many questions and hands-on labs as the blueprint has."""
    questions = [item for item in items if not isinstance(item, HandsOnItem)]
    quota = apportion({domain.id: domain.weight for domain in blueprint.domains}, count or blueprint.items)
    drawn: list[Item] = []
    shortfalls: list[str] = []
    for domain in blueprint.domains:
        found = pick([item for item in questions if item.domain == domain.id], quota[domain.id], seed, seen)
        drawn += found
        shortfalls += _short(domain, len(found), quota[domain.id])
    drawn = _stream(seed, "order").shuffled(drawn)
    wanted = labs if labs is not None else blueprint.hands_on.count if blueprint.hands_on else 0
    exercises = pick([item for item in items if isinstance(item, HandsOnItem)], wanted, seed, seen)
    if len(exercises) < wanted:
        shortfalls.append(f"Hands-on labs: {len(exercises)} of {wanted}; there are no more yet.")
    return Draw((*drawn, *exercises), tuple(shortfalls))


def pick(items: Iterable[Item], count: int, seed: int, seen: Seen | None = None) -> list[Item]:
    """Up to `count` of the items: those not seen first, then those not seen for longest; among equals spread over
    objectives and difficulties.
    """
    left = _stream(seed, "pick").shuffled(sorted(items, key=lambda item: item.id))
    last = seen or {}
    objectives: Counter[str] = Counter()
    difficulties: Counter[int] = Counter()
    picked: list[Item] = []
    while left and len(picked) < count:
        best = min(
            left,
            key=lambda item: (last.get(item.uuid, -1), objectives[item.objective], difficulties[item.difficulty]),
        )
        left.remove(best)
        picked.append(best)
        objectives[best.objective] += 1
        difficulties[best.difficulty] += 1
    return picked


@dataclass(frozen=True)
class Filter:
    """What study is about; an empty field lets everything through."""

    domains: frozenset[str] = frozenset()
    objectives: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    difficulties: frozenset[int] = frozenset()
    uuids: frozenset[str] | None = None

    def passes(self, item: Item) -> bool:
        """Whether an item is among what was asked for."""
        return (
            (not self.domains or item.domain in self.domains)
            and (not self.objectives or item.objective in self.objectives)
            and (not self.kinds or item.kind in self.kinds)
            and (not self.difficulties or item.difficulty in self.difficulties)
            and (self.uuids is None or item.uuid in self.uuids)
        )


def _short(domain: Domain, found: int, wanted: int) -> list[str]:
    if found >= wanted:
        return []
    return [f"{domain.title}: {found} of the {wanted} items that its weight asks for; there are no more yet."]


def _stream(seed: int, name: str) -> Stream:
    return Stream(seed, f"exam/draw/{name}")
