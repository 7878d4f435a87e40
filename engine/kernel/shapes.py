"""The four shapes that a quantity follows between two events: constant, linear, exponential approach, gauge jitter.

A shape is a value of the state: frozen, integer, and a function of time. `value(t)` is what a gauge shows,
`integral(a, b)` what a counter gained (unit x nanoseconds), `next_crossing(level, after)` when an event is due. The
exponential comes from our own table with linear interpolation in integers, because libm differs between platforms.
"""

from __future__ import annotations

from typing import Protocol

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64

_SCALE = 1 << 30
_STEPS_PER_TIME_CONSTANT = 64
_TIME_CONSTANTS = 24


def _decay_table() -> tuple[int, ...]:
    """exp(-k/64) scaled by 2^30, built by integer multiplication from exp(-1/64) given to 30 digits."""
    step_numerator, step_denominator = 984496437005408405986988829697, 10**30
    precision = 1 << 120
    table, current = [], precision
    for _ in range(_STEPS_PER_TIME_CONSTANT * _TIME_CONSTANTS + 1):
        table.append((current * _SCALE + precision // 2) // precision)
        current = current * step_numerator // step_denominator
    return tuple(table)


_DECAY = _decay_table()


def decay(elapsed: int, time_constant: int) -> int:
    """exp(-elapsed/time_constant) scaled by 2^30, in integers; 0 beyond 24 time constants."""
    if elapsed <= 0:
        return _SCALE
    position, remainder = divmod(elapsed * _STEPS_PER_TIME_CONSTANT, time_constant)
    if position >= len(_DECAY) - 1:
        return 0
    here, there = _DECAY[position], _DECAY[position + 1]
    return here - (here - there) * remainder // time_constant


class Shape(Protocol):
    """A quantity as a function of time."""

    def value(self, time: int) -> int:
        """The quantity at `time` (ns), in its own integer unit."""

    def integral(self, start: int, end: int) -> int:
        """The area under the quantity from `start` to `end`, unit x ns."""

    def next_crossing(self, level: int, after: int) -> int | None:
        """The first time later than `after` at which the value reaches `level` from the other side, or None."""


@dataclass(frozen=True, slots=True)
class Constant:
    """The same value always."""

    level: int

    def value(self, time: int) -> int:
        return self.level

    def integral(self, start: int, end: int) -> int:
        return self.level * (end - start)

    def next_crossing(self, level: int, after: int) -> int | None:
        return None


@dataclass(frozen=True, slots=True)
class Linear:
    """`level` at `since`, changing by `change` units every `per` nanoseconds."""

    since: int
    level: int
    change: int
    per: int

    def value(self, time: int) -> int:
        return self.level + self.change * (time - self.since) // self.per

    def integral(self, start: int, end: int) -> int:
        first, last = start - self.since, end - self.since
        return self.level * (end - start) + self.change * (last * last - first * first) // (2 * self.per)

    def next_crossing(self, level: int, after: int) -> int | None:
        return _search(
            self, level, after, after + abs(level - self.value(after)) * self.per // max(abs(self.change), 1) + self.per
        )


@dataclass(frozen=True, slots=True)
class Approach:
    """From `level` at `since` towards `target`, closing 63 % of the gap every `time_constant` nanoseconds."""

    since: int
    level: int
    target: int
    time_constant: int

    def value(self, time: int) -> int:
        gap = self.level - self.target
        return self.target + _rounded(gap * decay(time - self.since, self.time_constant), _SCALE)

    def integral(self, start: int, end: int) -> int:
        gap = self.level - self.target
        fell = decay(start - self.since, self.time_constant) - decay(end - self.since, self.time_constant)
        return self.target * (end - start) + gap * self.time_constant * fell // _SCALE

    def next_crossing(self, level: int, after: int) -> int | None:
        return _search(self, level, after, self.since + _TIME_CONSTANTS * self.time_constant)


@dataclass(frozen=True, slots=True)
class Jitter:
    """Zero-mean noise of a gauge within +-`amplitude`, the same for everybody who looks in the same `bucket` of time.

    It is added to what is shown and never to what is integrated, so counters and events do not depend on who looks.
    """

    seed: int
    component: str
    amplitude: int
    bucket: int

    def value(self, time: int) -> int:
        if not self.amplitude:
            return 0
        return hash64(self.seed, self.component, time // self.bucket) % (2 * self.amplitude + 1) - self.amplitude

    def integral(self, start: int, end: int) -> int:
        return 0

    def next_crossing(self, level: int, after: int) -> int | None:
        return None


def _rounded(numerator: int, denominator: int) -> int:
    """The nearest integer to numerator/denominator, halves away from zero."""
    half = denominator // 2
    return (numerator + half) // denominator if numerator >= 0 else -((-numerator + half) // denominator)


def _search(shape: Shape, level: int, after: int, horizon: int) -> int | None:
    """Bisection for the first crossing of a monotone shape in (after, horizon]."""
    below_now = shape.value(after) < level
    if shape.value(after) == level or ((shape.value(horizon) < level) == below_now and shape.value(horizon) != level):
        return None
    low, high = after, horizon
    while high - low > 1:
        middle = (low + high) // 2
        value = shape.value(middle)
        reached = value >= level if below_now else value <= level
        low, high = (low, middle) if reached else (middle, high)
    return high
