"""A problem's solution: fillings repeated until ports and classes have their shares, then whole numbers.

Most problems need one filling. A second and a third where only pause divides a queue (`port_shares`), a few more where
classes contend for a link (`class_shares`), damped by half because a class that gives way and one that takes would
otherwise swap for ever.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from engine.physics.traffic.class_shares import contended, divided
from engine.physics.traffic.filling import Filling, fill
from engine.physics.traffic.layout import Layout, lay_out
from engine.physics.traffic.port_shares import port_weights
from engine.physics.traffic.problem import Demand, Problem

T = TypeVar("T")

_TURNS = 6
_SHRINKS = 6
_PORT_PASSES = 2
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
        victims=given(filling.victims),
        lost_at=given(filling.lost_at),
    )
    return Solution(problem, layout, filling, given(solution.rates))


def _solve(problem: Problem) -> Solution:
    layout = lay_out(problem)
    capacities: list[float] = [float(channel.capacity) for channel in layout.channels]
    fixed = [channel.capacity == 0 for channel in layout.channels]
    shared = contended(layout)
    filling = _with_port_shares(layout, capacities)
    # A link that once had to be divided stays divided: its classes may only give way to each other from then on.
    split: dict[str, list[int]] = {}
    for turn in range(_TURNS if shared else 0):
        split |= {link: channels for link, channels in shared.items() if _over(layout, filling, link, channels)}
        fresh: dict[int, float] = {}
        for link, channels in split.items():
            fresh |= divided(layout, filling, capacities, link, channels)
        step = 1.0 if turn == 0 else 0.5
        moved = {n: capacities[n] + step * (cap - capacities[n]) for n, cap in fresh.items() if not fixed[n]}
        if all(abs(cap - capacities[n]) <= _SAME * cap for n, cap in moved.items()):
            break
        for number, cap in moved.items():
            capacities[number] = cap
        filling = _with_port_shares(layout, capacities)
    filling = _shrunk(layout, filling, capacities, split)
    return Solution(
        problem, layout, filling, [[int(rate + _HAIR) for rate in rates] for rates in _per_lap(layout, filling)]
    )


def _over(layout: Layout, filling: Filling, link: str, channels: list[int]) -> bool:
    return sum(filling.loads[number] for number in channels) > layout.problem.links[link].capacity * 1.0001


def _with_port_shares(layout: Layout, capacities: list[float]) -> Filling:
    """A filling in which queues that only pause divides are shared by ports."""
    filling, before = fill(layout, capacities), None
    for _ in range(_PORT_PASSES):
        weights = port_weights(layout, filling)
        if weights is None or (before and all(abs(a - b) <= _SAME * b for a, b in zip(weights, before, strict=True))):
            break
        filling, before = fill(layout, capacities, weights), weights
    return filling


def _shrunk(layout: Layout, filling: Filling, capacities: list[float], split: dict[str, list[int]]) -> Filling:
    """Again with smaller classes while the shares of a link did not settle and carry more than the link."""
    for _ in range(_SHRINKS):
        over = {link: channels for link, channels in split.items() if _over(layout, filling, link, channels)}
        if not over:
            break
        for link, channels in over.items():
            total = sum(filling.loads[number] for number in channels)
            for number in channels:
                fitting = filling.loads[number] * layout.problem.links[link].capacity / total
                capacities[number] = min(capacities[number], fitting)
        filling = _with_port_shares(layout, capacities)
    return filling


def _per_lap(layout: Layout, filling: Filling) -> list[list[float]]:
    """What one lap of a loop carries: a step that is run through many times loads its link as often."""
    if not any(demand.laps for demand in layout.problem.demands):
        return filling.rates
    return [
        [rate / times for rate, times in zip(rates, laps, strict=True)]
        for rates, laps in zip(filling.rates, layout.times, strict=True)
    ]
