"""A problem's solution: fillings repeated until ports and classes have their shares, then whole numbers.

Most problems need one filling. A second where classes contend for links (`class_shares`) or only pause divides a queue
(`port_shares`); some more where both come together, because who is held where depends on the shares.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from engine.physics.traffic.class_shares import Agreement, contended
from engine.physics.traffic.filling import Filling, demand_weights, fill
from engine.physics.traffic.layout import Layout, lay_out
from engine.physics.traffic.port_shares import port_weights
from engine.physics.traffic.problem import Demand, Problem

T = TypeVar("T")

_TURNS = 4
_SAME = 1e-3
_HAIR = 1e-3


@dataclass(slots=True)
class Solution:
    """The steady state of a problem: where its queues are, what fills them, and bit/s of each demand on each step."""

    problem: Problem
    layout: Layout
    filling: Filling
    rates: list[list[int]]

    def sent(self, demand: int) -> int:
        """Bit/s that the demand sends."""
        return self.rates[demand][0] if self.rates[demand] else 0

    def delivered(self, demand: int) -> int:
        """Bit/s that arrive."""
        return 0 if not self.rates[demand] or self.problem.demands[demand].laps else self.rates[demand][-1]


def solve(problem: Problem) -> Solution:
    """The steady state. Demands are taken in an order of their own, so that the given one does not matter, not even
    where queues fill at the very same moment.
    """
    with _without_collection():
        order = sorted(range(len(problem.demands)), key=lambda number: _place(problem.demands[number]))
        if order == list(range(len(order))):
            return _solve(problem)
        solution = _solve(replace(problem, demands=tuple(problem.demands[number] for number in order)))
        return _in_given_order(problem, solution, order)


@contextmanager
def _without_collection() -> Iterator[None]:
    """A large solution makes many small lists and no cycles: looking for these meanwhile costs a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _place(demand: Demand) -> tuple[object, ...]:
    behaviour = (
        demand.dscp,
        demand.tcp,
        demand.reacts,
        demand.mtu,
        demand.group or "",
        demand.late,
        demand.loop,
        demand.laps,
        demand.capable,
    )
    return (demand.links, demand.rate, behaviour)


def _in_given_order(problem: Problem, solution: Solution, order: list[int]) -> Solution:
    """The same solution with what is kept per demand in the problem's order."""
    places = sorted(range(len(order)), key=order.__getitem__)

    def given(values: list[T]) -> list[T]:
        return [values[place] for place in places]

    layout, filling = solution.layout, solution.filling
    layout = replace(
        layout, problem=problem, steps=given(layout.steps), times=given(layout.times), holes=given(layout.holes)
    )
    filling = replace(
        filling,
        rates=given(filling.rates),
        kinds=given(filling.kinds),
        bottlenecks=given(filling.bottlenecks),
        roots=given(filling.roots),
        victims=given(filling.victims),
        lost_at=given(filling.lost_at),
    )
    return Solution(problem, layout, filling, given(solution.rates))


def _solve(problem: Problem) -> Solution:
    layout = lay_out(problem)
    filling = _settled(layout)
    return Solution(
        problem, layout, filling, [[int(rate + _HAIR) for rate in rates] for rates in _per_lap(layout, filling)]
    )


def _settled(layout: Layout) -> Filling:
    """Fillings until ports and classes have their shares."""
    shared = contended(layout)
    groups, kept, weights = list(shared.values()), dict[int, float](), None
    filling = fill(layout, shared=groups)
    for _ in range(_TURNS):
        ports = port_weights(layout, filling)
        if (ports is None or (weights and all(map(_same, ports, weights)))) and _as_kept(filling, groups, kept):
            break
        weights = ports or weights
        kept = Agreement(layout, filling, shared, demand_weights(layout, weights)).reached()
        filling = fill(layout, weights, groups, kept)
    return filling


def _as_kept(filling: Filling, groups: list[list[int]], kept: Mapping[int, float]) -> bool:
    """Whether no class of a link had to stop, or all use what the others left to them."""
    if not kept:
        return not any(filling.full[number] for channels in groups for number in channels)
    return all(_same(filling.loads[number], part) for number, part in kept.items())


def _same(one: float, other: float) -> bool:
    return abs(one - other) <= _SAME * other


def _per_lap(layout: Layout, filling: Filling) -> list[list[float]]:
    """What one lap of a loop carries: a step that is run through many times loads its link as often."""
    if not any(demand.laps for demand in layout.problem.demands):
        return filling.rates
    return [
        [rate / times for rate, times in zip(rates, laps, strict=True)]
        for rates, laps in zip(filling.rates, layout.times, strict=True)
    ]
