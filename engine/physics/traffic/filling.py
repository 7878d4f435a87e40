"""Progressive filling in which a full queue decides who is stopped.

All flows rise together. When a channel is full, each flow in it is
  controlled  its sender reacts to marks, or is TCP, or waits in its own memory: it stays at this rate, nobody is hurt;
  held        nothing slows its sender, but the port before honours pause: that port's class stops, so that every flow
              in it stays at this level too (victims), and so on back to the senders;
  dropped     no working pause: what exceeds the level is lost here, and the way before goes on rising.
Classes that share a link rise until the link is full; then those stop that have more than what is kept for them
(`class_shares`), and the others rise on to that.
Channels are taken in the order of their levels from a heap whose entries are renewed when they come up: a level only
rises as flows are settled. Each hop is settled once, so the work grows with the hops (plus a logarithm). Plain
arithmetic on floats alone, hence the same result everywhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heapreplace
from math import inf

from engine.physics.traffic import marking
from engine.physics.traffic.layout import RETRANSMISSION, Layout, Step

_CLOSE = 1e-9
_BILLION = 1e9


@dataclass(slots=True)
class Filling:
    """What came out. Per demand: the rate on each step, why it stopped there and at which channel, and the full queue
    that was the reason of a stop (`roots`). Per channel: its load, level and state. Who waits for whom (`edges`: a
    stopped channel and the full one it waits for), and to which (link, priority) pauses go out because of which
    channels.
    """

    rates: list[list[float]]
    kinds: list[str]
    bottlenecks: list[int]
    roots: list[int]
    victims: list[bool]
    lost_at: list[int]
    loads: list[float]
    levels: list[float]
    full: list[bool]
    paused: list[bool]
    edges: set[tuple[int, int]] = field(default_factory=set)
    asks: dict[tuple[str, int], set[int]] = field(default_factory=dict)


def fill(
    layout: Layout,
    weights: Sequence[float] | None = None,
    shared: Iterable[Sequence[int]] = (),
    kept: Mapping[int, float] | None = None,
) -> Filling:
    """Divide the channels among the demands; a demand rises by its weight. `shared` are channels that have a link in
    common, `kept` is the part of it (bit/s) that the others leave to a channel.
    """
    return _Filler(layout, weights, shared, kept or {}).run()


class _Filler:
    """A filling under way. `rising[f]` is the number of steps of f that are not settled yet: always its first ones."""

    def __init__(
        self,
        layout: Layout,
        weights: Sequence[float] | None,
        shared: Iterable[Sequence[int]],
        kept: Mapping[int, float],
    ) -> None:
        self.layout, self.kept = layout, kept
        self.capacities = [float(channel.capacity) for channel in layout.channels]
        self.beside = {one: [other for other in channels if other != one] for channels in shared for one in channels}
        demands, count, channels = layout.problem.demands, len(layout.steps), len(layout.channels)
        self.weights = demand_weights(layout, weights)
        self.reacts = [demand.reacts and not demand.tcp for demand in demands]
        self.ceilings: list[float] = [demand.rate for demand in demands]
        self.rising = [len(steps) for steps in layout.steps]
        self.grow = [0.0] * channels
        self.open = [0] * channels
        self.marked = [0] * channels
        self.members: list[list[tuple[int, int]]] = [[] for _ in range(channels)]
        self.out = Filling(
            [[0.0] * len(steps) for steps in layout.steps], ["demand"] * count, [-1] * count, [-1] * count,
            [False] * count, [-1] * count, [0.0] * channels, [inf] * channels, [False] * channels, [False] * channels,
        )  # fmt: skip
        self.groups: dict[str, list[int]] = {}
        for flow, demand in enumerate(demands):
            self._enter(flow, layout.holes[flow])
            if demand.group is not None:
                self.groups.setdefault(demand.group, []).append(flow)
        self.shallow = [
            channel.marks and marking.shallow(channel.profile.mark_from, self.capacities[number])
            for number, channel in enumerate(layout.channels)
        ]

    def _enter(self, flow: int, hole: int) -> None:
        demand = self.layout.problem.demands[flow]
        if hole >= 0:
            self.rising[flow] = hole
            self.ceilings[flow] = min(demand.rate, RETRANSMISSION)
            self.out.lost_at[flow], self.out.kinds[flow] = hole, "lost"
        weight, times = self.weights[flow], self.layout.times[flow]
        reacts, grow, open_, marked, members = self.reacts[flow], self.grow, self.open, self.marked, self.members
        for hop, step in enumerate(self.layout.steps[flow][: self.rising[flow]]):
            channel = step.channel
            grow[channel] += weight * times[hop]
            open_[channel] += 1
            marked[channel] += reacts and hop > 0
            members[channel].append((flow, hop))

    def run(self) -> Filling:
        """Settle everything, channels and demands in the order of their levels."""
        heap = [(self._level(channel), channel) for channel, open_ in enumerate(self.open) if open_]
        heapify(heap)
        by_demand = sorted((self.ceilings[f] / self.weights[f], f) for f in range(len(self.ceilings)))
        turn, flows = 0, len(by_demand)
        while turn < flows:
            ceiling, flow = by_demand[turn]
            if not self.rising[flow]:
                turn += 1
                continue
            if heap and heap[0][0] < ceiling * (1 - _CLOSE):
                level, channel = heap[0]
                if not self.open[channel]:
                    heappop(heap)
                    continue
                fresh = self._level(channel)
                if fresh > level * (1 + _CLOSE) + _CLOSE:
                    heapreplace(heap, (fresh, channel))
                    continue
                heappop(heap)
                self._fill_up(channel, fresh)
                continue
            turn += 1
            self._settle(flow, 0, ceiling)
        return self.out

    def _level(self, channel: int) -> float:
        """The rate at which the channel is full if all that still rise in it rise on together."""
        grow = self.grow[channel]
        if grow <= 0:
            return inf
        level = max(self.capacities[channel] - self.out.loads[channel], 0.0) / grow
        if channel in self.beside and level > 0:
            level = self._level_beside(channel, level)
        if self.shallow[channel] and self.marked[channel]:
            profile = self.layout.channels[channel].profile
            queue = marking.queue_for(
                marking.marked_share(level), profile.mark_from, profile.mark_top, profile.mark_most
            )
            level *= marking.utilisation(queue, self.capacities[channel])
        return level

    def _level_beside(self, channel: int, alone: float) -> float:
        """The level at which the channel is full when it shares its link: it has what is kept for it, and the link is
        full. `alone` is its level on an empty link. What a class carries at a level grows with the level ever steeper,
        so that Newton's steps come down to the answer and end there.
        """
        loads, grows, kept, beside = self.out.loads, self.grow, self.kept, self.beside[channel]
        room, own = self.capacities[channel] - loads[channel], grows[channel]
        level = alone
        for _ in range(len(beside) + 2):
            used, steep = 0.0, own
            for other in beside:
                if loads[other] + grows[other] * level > kept.get(other, 0.0):
                    used += loads[other]
                    steep += grows[other]
                else:
                    used += kept.get(other, 0.0)
            fresh = max(room - used, 0.0) / steep
            if fresh >= level * (1 - _CLOSE):
                break
            level = fresh
        return min(alone, max(level, (kept.get(channel, 0.0) - loads[channel]) / own))

    def _works(self, channel: int, level: float, late: int = 0) -> bool:
        """Whether marking keeps the queue of a channel short of pause and drops at this level: one that hears of it
        `late` ns later has sent so much more.
        """
        profile = self.layout.channels[channel].profile
        if not self.layout.channels[channel].marks or level <= marking.SLOWEST:
            return False
        queue = marking.queue_for(marking.marked_share(level), profile.mark_from, profile.mark_top, profile.mark_most)
        more = self.capacities[channel] / 8 * late / _BILLION
        return queue + more < self.layout.limits[channel]

    def _calm(self, flow: int, hop: int, works: bool, channel: int, level: float) -> bool:
        """Whether the flow stops by itself at a full channel."""
        demand = self.layout.problem.demands[flow]
        if hop == 0 or demand.tcp or not (demand.reacts and works):
            return hop == 0 or demand.tcp
        return not demand.late or self._works(channel, level, demand.late)

    def _settle(self, flow: int, start: int, level: float) -> None:
        """The flow rises no further from step `start` on."""
        weight, rates, out = self.weights[flow], self.out.rates[flow], self.out
        steps, times = self.layout.steps[flow], self.layout.times[flow]
        reacts, loads, grow, open_, marked = self.reacts[flow], out.loads, self.grow, self.open, self.marked
        for hop in range(start, self.rising[flow]):
            channel = steps[hop].channel
            part = weight * times[hop]
            rates[hop] = level * part
            loads[channel] += level * part
            grow[channel] -= part
            open_[channel] -= 1
            marked[channel] -= reacts and hop > 0
        self.rising[flow] = start

    def _settle_all(self, flows: list[int], level: float) -> None:
        """Settle flows, and with each the rest of its group."""
        for flow in flows:
            group = self.layout.problem.demands[flow].group
            for one in self.groups[group] if group is not None else (flow,):
                if one != flow and self.rising[one] and self.out.kinds[one] == "demand":
                    self.out.kinds[one], self.out.bottlenecks[one] = "coupled", self.out.bottlenecks[flow]
                self._settle(one, 0, level)

    def _fill_up(self, channel: int, level: float) -> None:
        """The channel is full at this level."""
        out, works = self.out, self._works(channel, level)
        out.full[channel], out.levels[channel] = True, level
        inside = [(flow, hop) for flow, hop in self.members[channel] if hop < self.rising[flow]]
        if not all(self._calm(flow, hop, works, channel, level) for flow, hop in inside):
            self._block(channel, level)
            return
        for flow, hop in inside:
            if out.kinds[flow] == "demand":
                out.bottlenecks[flow], out.kinds[flow] = channel, "controlled" if hop else "source"
        self._settle_all([flow for flow, _ in inside], level)

    def _block(self, root: int, level: float) -> None:
        """A full queue with a sender that nothing slows: pause travels up, and what nobody holds is lost."""
        out = self.out
        stopped, fresh, first = {root}, [root], True
        flows: dict[int, int] = {}
        slowed: list[int] = []
        while fresh:
            upward: dict[int, None] = {}
            for channel in fresh:
                out.levels[channel] = min(out.levels[channel], level)
                works = self._works(channel, level)
                for flow, hop in self.members[channel]:
                    if hop >= self.rising[flow]:
                        continue
                    flows.setdefault(flow, len(self.layout.steps[flow]))
                    if out.kinds[flow] == "demand":
                        out.bottlenecks[flow], out.roots[flow] = channel, root
                        out.kinds[flow], out.victims[flow] = "held", not first
                    if self._calm(flow, hop, works, channel, level):
                        slowed += [flow] if hop else []
                    elif self._push(channel, self.layout.steps[flow][hop], upward):
                        flows[flow] = min(flows[flow], hop)
            fresh = [channel for channel in upward if channel not in stopped]
            stopped.update(fresh)
            first = False
        for flow in slowed:
            out.kinds[flow] = "slowed" if out.kinds[flow] == "held" else out.kinds[flow]
        self._settle_stopped(flows, level)

    def _push(self, channel: int, step: Step, upward: dict[int, None]) -> bool:
        """A flow goes on sending into a full channel: pause goes out. Returns whether it overflows all the same."""
        out = self.out
        if step.asks is not None:
            out.asks.setdefault(step.asks, set()).add(channel)
        if step.stops >= 0:
            out.edges.add((step.stops, channel))
            out.paused[step.stops] = True
            upward[step.stops] = None
        return not step.holds

    def _settle_stopped(self, flows: dict[int, int], level: float) -> None:
        """Settle what a full queue stopped: whole flows, or the part after the step at which they are cut."""
        whole = [flow for flow, cut in flows.items() if cut == len(self.layout.steps[flow])]
        for flow, cut in flows.items():
            if cut < len(self.layout.steps[flow]):
                self._settle(flow, cut, level)
                self.out.lost_at[flow], self.out.kinds[flow] = cut, "dropped"
                group = self.layout.problem.demands[flow].group
                whole += [one for one in self.groups.get(group or "", ()) if one not in flows]
        self._settle_all(whole, level)


def demand_weights(layout: Layout, weights: Sequence[float] | None) -> list[float]:
    """A demand of a group rises in proportion to its rate, so that all of them reach the same share together."""
    demands = layout.problem.demands
    most: dict[str, int] = {}
    for demand in demands:
        if demand.group is not None:
            most[demand.group] = max(most.get(demand.group, 1), demand.rate)
    given = weights or [1.0] * len(demands)
    return [
        weight * (max(demand.rate, 1) / most[demand.group] if demand.group is not None else 1.0)
        for demand, weight in zip(demands, given, strict=True)
    ]
