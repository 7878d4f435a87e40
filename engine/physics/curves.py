"""Laws that have no closed form in integers: tables of points with straight lines between them."""

from __future__ import annotations

from collections.abc import Sequence

Curve = Sequence[tuple[int, int]]


def interpolate(curve: Curve, position: int) -> int:
    """The value of `curve` (points in ascending order) at `position`; the end points hold beyond the ends."""
    left = curve[0]
    if position <= left[0]:
        return left[1]
    for right in curve[1:]:
        if position <= right[0]:
            return left[1] + (right[1] - left[1]) * (position - left[0]) // (right[0] - left[0])
        left = right
    return left[1]


def inverse(curve: Curve) -> tuple[tuple[int, int], ...]:
    """The curve that leads back; both columns of `curve` must ascend."""
    return tuple((value, position) for position, value in curve)
