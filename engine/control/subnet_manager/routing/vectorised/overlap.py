"""The walk over destinations for switches whose candidate sets overlap, step by step for all of them together.

Consecutive leaves with the same set are one run. In a step, the ports of the run's set that carry least are filled in
whole rounds until they carry as much as the next ones, or the run has no adapters left.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.control.subnet_manager.routing.vectorised.classes import Classes
from engine.control.subnet_manager.routing.vectorised.columns import Bytes, Columns, Flags, Ints

_MANY = 1 << 40
_ROUNDS = _MANY // 128


@dataclass(frozen=True)
class _Step:
    """Adapters that got their ports by turns: of which of the switches, from which of its adapters on, how many, and
    the ports that took turns."""

    switches: Ints
    begin: Ints
    adapters: Ints
    ports: Flags


def walk_overlapping(columns: Columns, classes: Classes, switches: Ints, grid: Bytes, used: Ints) -> None:
    """Write the rows of these switches into `grid` [S, L, most] and `used` [S,P] anew."""
    runs, slots = _runs(columns, classes, switches, grid.shape[2])
    steps, level = _walk(classes, runs)
    flat = grid.reshape(len(grid), -1)
    for step in steps:
        rows = zip(step.switches.tolist(), step.begin.tolist(), step.adapters.tolist(), step.ports, strict=True)
        for switch, begin, adapters, chosen in rows:
            flat[switches[switch], slots[switch][begin : begin + adapters]] = np.resize(
                np.flatnonzero(chosen) + 1, adapters
            )
    used[switches] = 0
    used[switches, 1:] = level[:, : used.shape[1] - 1]


def _runs(columns: Columns, classes: Classes, switches: Ints, most: int) -> tuple[list[tuple[Ints, Ints]], list[Ints]]:
    """For each switch its runs (sets and how many adapters), and where its adapters stand in a row of the grid."""
    runs, slots = [], []
    for switch in switches.tolist():
        of = classes.of[switch]
        reached = np.flatnonzero(classes.sizes[of] > 0)
        begin = np.append(0, np.flatnonzero(np.diff(of[reached])) + 1)
        sizes = columns.counts[reached]
        runs.append((of[reached][begin], np.add.reduceat(sizes, begin)) if len(reached) else (reached, reached))
        inside = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        slots.append(np.repeat(reached * most, sizes) + inside)
    return runs, slots


def _walk(classes: Classes, runs: list[tuple[Ints, Ints]]) -> tuple[list[_Step], Ints]:
    """All steps, and how much each port carries in the end [switches, ports from 1]."""
    longest = max(len(sets) for sets, _ in runs)
    sets, left = np.zeros((2, len(runs), longest), np.int64)
    for place, (run_sets, adapters) in enumerate(runs):
        sets[place, : len(run_sets)], left[place, : len(adapters)] = run_sets, adapters
    level = np.zeros((len(runs), classes.members.shape[1]), np.int64)
    done = np.zeros(len(runs), np.int64)
    steps = []
    for run in range(longest):
        remaining = left[:, run].copy()
        member = classes.members[sets[:, run]].astype(bool)
        active = np.flatnonzero(remaining)
        while len(active):
            step = _fill(level, member, remaining, done, active)
            steps.append(step)
            done[active] += step.adapters
            remaining[active] -= step.adapters
            active = active[remaining[active] > 0]
    return steps, level


def _fill(level: Ints, member: Flags, remaining: Ints, done: Ints, active: Ints) -> _Step:
    """One step of these switches: raise the lowest ports of their sets."""
    height = np.where(member[active], level[active], _MANY)
    low = height.min(1, keepdims=True)
    lowest = height == low
    ports = lowest.sum(1)
    above = np.where(lowest, _MANY, height).min(1)
    adapters = np.minimum(remaining[active], np.minimum(above - low[:, 0], _ROUNDS) * ports)
    whole, rest = np.divmod(adapters, ports)
    turn = np.cumsum(lowest, axis=1)
    level[active] += np.where(lowest, whole[:, None] + (turn <= rest[:, None]), 0)
    return _Step(active, done[active], adapters, lowest)
