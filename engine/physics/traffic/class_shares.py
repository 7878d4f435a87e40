"""How a link that classes contend for is divided: strict ones first, the others by weight (IEEE 802.1Qaz, ETS).

A class that wants less than its part leaves the rest to the others and keeps its right to the part. The shares are a
fixed point over whole fillings: exact where classes contend on one link, within some percent where they do on many.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

from engine.physics.traffic.filling import Filling
from engine.physics.traffic.layout import Layout

_CLOSE = 1e-9
_AT_THE_LIMIT = 0.999


def contended(layout: Layout) -> dict[str, list[int]]:
    """Channels by link, for links that more than one class uses."""
    by_link: dict[str, list[int]] = {}
    used = sorted({step.channel for steps in layout.steps for step in steps})
    for number in used:
        if not layout.channels[number].drain:
            by_link.setdefault(layout.channels[number].link, []).append(number)
    return {link: channels for link, channels in by_link.items() if len(channels) > 1}


def divided(
    layout: Layout, filling: Filling, capacities: Sequence[float], link: str, channels: list[int]
) -> dict[int, float]:
    """New capacities of the classes on a link, from what each carried and whether it wanted more."""
    full = {
        number: (filling.full[number] or filling.paused[number])
        and filling.loads[number] > _AT_THE_LIMIT * capacities[number]
        for number in channels
    }
    profile = layout.channels[channels[0]].profile
    caps, left = dict[int, float](), float(layout.problem.links[link].capacity)
    rank = {number: layout.channels[number].traffic_class for number in channels}
    for number in sorted(channels, key=lambda number: -rank[number]):
        if profile.strict[rank[number]]:
            caps[number] = left
            left -= min(filling.loads[number], left)
    shared = {number: float(max(profile.weights[rank[number]], _CLOSE)) for number in channels if number not in caps}
    wanted = {number: inf if full[number] else filling.loads[number] for number in shared}
    return caps | _by_weight(shared, wanted, left)


def _by_weight(shares: dict[int, float], wanted: dict[int, float], room: float) -> dict[int, float]:
    """Weighted fair parts of `room`; who wants less may grow back to his own part."""
    caps, rest, left = dict[int, float](), list(shares), room
    everything = sum(shares.values())
    while rest:
        total = sum(shares[number] for number in rest)
        content = [number for number in rest if wanted[number] <= left * shares[number] / total + _CLOSE]
        if not content:
            return caps | {number: left * shares[number] / total for number in rest}
        for number in content:
            caps[number] = room * shares[number] / everything
            left -= wanted[number]
            rest.remove(number)
    return caps
