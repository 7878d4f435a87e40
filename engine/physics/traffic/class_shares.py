"""How a link that classes contend for is divided: strict ones first, the others by weight (IEEE 802.1Qaz, ETS).

A filling (`filling`) lets the classes of a link rise together until it is full, and keeps for each what it was told
that the class will use. That is worked out here, as routers would agree on it among themselves: every link tells those
who pass it the level at which they stop there, divides itself again when others tell them another one, and so on until
nobody has news. Who was held or lost in the filling before remains so.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from operator import itemgetter

from engine.physics.traffic.filling import Filling
from engine.physics.traffic.layout import Layout

_LEAST_WEIGHT = 1e-9
_CLOSE = 1e-9
_NEWS = 1e-4
_FIRST = itemgetter(0)
_MOST_VISITS = 40
"""Times that a link hears news on average before it is let be: thrice what the worst random fabric takes."""


def contended(layout: Layout) -> dict[str, list[int]]:
    """Channels by link, for links that more than one class uses."""
    by_link: dict[str, list[int]] = {}
    for number in sorted({step.channel for steps in layout.steps for step in steps}):
        if not layout.channels[number].drain:
            by_link.setdefault(layout.channels[number].link, []).append(number)
    return {link: channels for link, channels in by_link.items() if len(channels) > 1}


def divided(layout: Layout, channels: Sequence[int], wanted: Sequence[float]) -> list[float]:
    """Bit/s of each class of a link, when they want so much."""
    if len(channels) == 1:
        return [float(layout.channels[channels[0]].capacity)]
    queues = [layout.channels[channel] for channel in channels]
    left = float(layout.problem.links[queues[0].link].capacity)
    if sum(wanted) <= left and all(queue.capacity for queue in queues):
        return list(wanted)
    parts, rest = [0.0] * len(queues), list[int]()
    for place in sorted(range(len(queues)), key=lambda place: -queues[place].traffic_class):
        queue = queues[place]
        if queue.capacity and queue.profile.strict[queue.traffic_class]:
            parts[place] = min(wanted[place], left)
            left -= parts[place]
        elif queue.capacity:
            rest.append(place)
    weights = [max(float(queue.profile.weights[queue.traffic_class]), _LEAST_WEIGHT) for queue in queues]
    while rest:
        total = sum(weights[place] for place in rest)
        content = [place for place in rest if wanted[place] <= left * weights[place] / total + _CLOSE]
        if not content:
            for place in rest:
                parts[place] = left * weights[place] / total
            break
        for place in content:
            parts[place] = wanted[place]
        left -= sum(parts[place] for place in content)
        rest = [place for place in rest if place not in content]
    return parts


@dataclass(slots=True)
class _Rider:
    """What rises as one: a flow, the part of it before or after a queue that drops, or a group. It stops at the lowest
    level of the channels that it listens to, or at `most`; `loads` is what it loads channels with at level 1.
    """

    most: float
    listens: list[int] = field(default_factory=list)
    loads: dict[int, float] = field(default_factory=dict)


class Agreement:
    """Levels at which channels stop, until all links agree with each other."""

    def __init__(
        self, layout: Layout, filling: Filling, shared: Mapping[str, Sequence[int]], weights: Sequence[float]
    ) -> None:
        self.layout, self.shared = layout, shared
        self.levels = [level if full else inf for level, full in zip(filling.levels, filling.full, strict=True)]
        self.riders = _riders(layout, filling, weights)
        self.inside: list[list[tuple[_Rider, float]]] = [[] for _ in layout.channels]
        for rider in self.riders:
            for channel, load in rider.loads.items():
                self.inside[channel].append((rider, load))
        self.of_link = {number: tuple(channels) for channels in shared.values() for number in channels}

    def reached(self) -> dict[int, float]:
        """What each class of a shared link uses in the end."""
        waiting = deque(tuple(channels) for channels in self.shared.values())
        queued, left = set(waiting), _MOST_VISITS * len(self.layout.channels)
        while waiting and left:
            channels = waiting.popleft()
            queued.discard(channels)
            left -= 1
            for fresh in self._visit(channels):
                if fresh not in queued:
                    queued.add(fresh)
                    waiting.append(fresh)
        return {number: self._load(number) for number in self.of_link}

    def _load(self, channel: int) -> float:
        """Bit/s in a channel."""
        return sum(load * min(level, self.levels[channel]) for level, load, _ in self._asked(channel))

    def _asked(self, channel: int) -> list[tuple[float, float, _Rider]]:
        """How far its riders go as far as others are concerned, and what each loads the channel with."""
        levels = self.levels
        own, levels[channel] = levels[channel], inf
        found = []
        for rider, load in self.inside[channel]:
            level = min(rider.most, *[levels[one] for one in rider.listens])
            found.append((level, load, rider))
        levels[channel] = own
        return found

    def _visit(self, channels: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
        """Divide a link again; the links that have to hear of it."""
        asked = [self._asked(channel) for channel in channels]
        wants = [sum([level * load for level, load, _ in some]) for some in asked]
        news: dict[tuple[int, ...], None] = {}
        parts = divided(self.layout, channels, wants)
        for channel, some, want, part in zip(channels, asked, wants, parts, strict=True):
            before = self.levels[channel]
            after = inf if want <= part * (1 + _CLOSE) else _level(some, part)
            if after == before or abs(after - before) <= _NEWS * min(before, after):
                continue
            self.levels[channel] = after
            lower = min(before, after)
            for level, _, rider in some:
                if level > lower:
                    for one in rider.listens:
                        if one not in channels:
                            news[self.of_link.get(one) or (one,)] = None
        return news


def _level(asked: list[tuple[float, float, _Rider]], room: float) -> float:
    """The level at which riders that go as far as this fill the room."""
    asked = sorted(asked, key=_FIRST)
    grow = sum([load for _, load, _ in asked])
    for level, load, _ in asked:
        if level * grow > room * (1 + _CLOSE):
            return max(room, 0.0) / grow
        room -= level * load
        grow -= load
    return inf


def _riders(layout: Layout, filling: Filling, weights: Sequence[float]) -> list[_Rider]:
    """Who rises, in the order of demands."""
    riders, groups = list[_Rider](), dict[str, _Rider]()
    for flow, demand in enumerate(layout.problem.demands):
        steps, cut = layout.steps[flow], filling.lost_at[flow]
        first = len(steps) if cut < 0 else cut
        rider = _Rider(demand.rate / weights[flow])
        if demand.group is not None:
            rider = groups.setdefault(demand.group, rider)
        if not (demand.group and rider.loads):
            riders.append(rider)
        for hop in range(first):
            _ride(rider, steps[hop].channel, weights[flow] * layout.times[flow][hop])
        if filling.victims[flow]:
            rider.listens.append(filling.roots[flow])
        if filling.kinds[flow] == "dropped":
            rest = _Rider(rider.most, list(rider.listens))
            for hop in range(first, len(steps)):
                _ride(rest, steps[hop].channel, weights[flow] * layout.times[flow][hop])
            riders.append(rest)
    return riders


def _ride(rider: _Rider, channel: int, load: float) -> None:
    if channel not in rider.loads:
        rider.listens.append(channel)
    rider.loads[channel] = rider.loads.get(channel, 0.0) + load
