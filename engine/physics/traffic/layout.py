"""From a problem to channels and steps: which queue each hop of each flow waits in, and whom its overflow stops.

A channel is a queue: one traffic class of one link, or the receiver behind a last link. A step is one hop of a flow.
The class of a packet inside a device follows from the port that it came in by; a pause goes out for the receiver's
priority and stops the class to which the sender maps that priority. Where the two differ, the wrong queue stops and
the flow itself is lost: wrong maps need no rule of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.physics.traffic.problem import Demand, Problem
from engine.physics.traffic.profiles import Profile

DRAIN = -1
"""The class of the channel that stands for the receiver behind a link."""

RETRANSMISSION = 100_000_000
"""Bit/s that a sender still offers when nothing passes: a window for each timeout. A guess."""

_HEADERS = 62


@dataclass(frozen=True, slots=True)
class Channel:
    """A queue: link and class, bit/s at most, the profile of the port that it belongs to, and whether it marks."""

    link: str
    traffic_class: int
    capacity: int
    profile: Profile
    marks: bool

    @property
    def drain(self) -> bool:
        """Whether it is a receiver rather than a queue of a port."""
        return self.traffic_class == DRAIN


class Step(NamedTuple):
    """A hop: its channel, the priority of the packet in the device that sends it on, the channel that a pause from here
    would stop (-1: none), whether that keeps this flow from overflowing, and the (link, priority) to which pause is
    sent.
    """

    channel: int
    priority: int
    stops: int
    holds: bool
    asks: tuple[str, int] | None


@dataclass(slots=True)
class Layout:
    """Channels, and for each demand its steps, how often each is run through, and the step at which all is lost (-1:
    none). `limits` are bytes in a channel beyond which it pauses its senders or drops.
    """

    problem: Problem
    channels: list[Channel] = field(default_factory=list)
    steps: list[list[Step]] = field(default_factory=list)
    times: list[list[int]] = field(default_factory=list)
    holes: list[int] = field(default_factory=list)
    limits: list[int] = field(default_factory=list)
    index: dict[tuple[str, int], int] = field(default_factory=dict)
    entries: dict[tuple[int, int], Step] = field(default_factory=dict)

    def channel(self, link: str, traffic_class: int) -> int:
        """The number of a channel, made when first asked for."""
        number = self.index.get((link, traffic_class))
        if number is None:
            number = self.index[link, traffic_class] = len(self.channels)
            self.channels.append(self._new_channel(link, traffic_class))
        return number

    def ignores_pause(self, link: str, traffic_class: int) -> bool:
        """Whether a watchdog has made the queue deaf to pause."""
        return (link, traffic_class) in self.problem.deaf or (link, traffic_class) in self.problem.sinks

    def _new_channel(self, link: str, traffic_class: int) -> Channel:
        problem = self.problem
        if traffic_class == DRAIN:
            return Channel(link, DRAIN, problem.drains[link], problem.links[link].receiver, False)
        wire = problem.links[link]
        capacity = 0 if (link, traffic_class) in problem.stopped else wire.capacity
        return Channel(link, traffic_class, capacity, wire.sender, wire.sender.marks[traffic_class])


def lay_out(problem: Problem) -> Layout:
    """The layout of a problem."""
    layout, known = Layout(problem), dict[tuple[int, str, int], Step]()
    narrowest = min((link.mtu for link in problem.links.values()), default=0)
    once: dict[int, list[int]] = {}
    for demand in problem.demands:
        way, times = _way(problem, demand, once)
        steps, came, dscp = list[Step](), -1, demand.dscp
        for link in way:
            step = known.get((came, link, dscp))
            if step is None:
                step = known[came, link, dscp] = _step(layout, came, link, dscp)
            steps.append(step)
            came = step.channel
        layout.steps.append(steps)
        layout.times.append(times)
        fits = demand.mtu + _HEADERS <= narrowest and not problem.sinks
        layout.holes.append(-1 if fits else _hole(layout, demand, steps))
    layout.limits = _limits(layout, known)
    return layout


def _way(problem: Problem, demand: Demand, once: dict[int, list[int]]) -> tuple[tuple[str, ...], list[int]]:
    """Links in order, "" for the receiver's memory, and how often each is run through. `once` keeps the lists of ways
    without a loop, by their length.
    """
    way = demand.links
    if demand.laps:
        return way + way[-demand.loop :], [1] * len(way) + [demand.laps] * demand.loop
    if way and way[-1] in problem.drains:
        way = (*way, "")
    return way, once.setdefault(len(way), [1] * len(way))


def _step(layout: Layout, came: int, link: str, dscp: int) -> Step:
    """The step from the channel `came` (-1: from the sender's memory) to `link` ("": to the receiver's memory)."""
    if came < 0:
        sender = layout.problem.links[link].sender
        priority = sender.priority(dscp)
        return Step(layout.channel(link, sender.classes[priority]), priority, -1, True, None)
    entry = layout.entries.get((came, dscp))
    if entry is None:
        entry = layout.entries[came, dscp] = _entry(layout, came, dscp)
    if not link:
        return entry._replace(channel=layout.channel(layout.channels[came].link, DRAIN))
    traffic_class = layout.problem.links[link].sender.classes[entry.priority]
    return Step(layout.channel(link, traffic_class), entry.priority, entry.stops, entry.holds, entry.asks)


def _entry(layout: Layout, came: int, dscp: int) -> Step:
    """What holds for every step out of the channel `came`, whichever channel it leads to."""
    before = layout.channels[came]
    wire = layout.problem.links[before.link]
    priority = wire.receiver.priority(dscp)
    hit = wire.sender.classes[priority]
    obeys = wire.sender.pause_obeyed[priority] and not layout.ignores_pause(before.link, hit)
    sends = wire.receiver.pause_sent[priority]
    stops = layout.channel(before.link, hit) if sends and obeys else -1
    return Step(-1, priority, stops, stops == came, (before.link, priority) if sends else None)


def _hole(layout: Layout, demand: Demand, steps: list[Step]) -> int:
    """The first step that nothing gets through: the packet is too large, or a watchdog throws it away."""
    problem = layout.problem
    for number, step in enumerate(steps):
        channel = layout.channels[step.channel]
        too_large = demand.mtu + _HEADERS > problem.links[channel.link].mtu
        if (too_large and not channel.drain) or (channel.link, channel.traffic_class) in problem.sinks:
            return number
    return -1


def _limits(layout: Layout, known: Mapping[tuple[int, str, int], Step]) -> list[int]:
    """Pause counts what came in by one port, a queue holds what came in by all: so it may hold that many times more."""
    feeders: list[set[int]] = [set() for _ in layout.channels]
    lossless = [False] * len(layout.channels)
    for (came, _, _), step in known.items():
        if came >= 0:
            feeders[step.channel].add(came)
            lossless[step.channel] |= step.holds
    return [
        channel.profile.pause_at * max(len(fed), 1) if held else channel.profile.drop_at
        for channel, fed, held in zip(layout.channels, feeders, lossless, strict=True)
    ]
