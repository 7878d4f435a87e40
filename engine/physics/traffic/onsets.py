"""The first moment of congestion on Ethernet: until senders have heard of marks, they send on as fast as before.

What comes too much for about 50 us (a few round trips and the reaction of DCQCN; a guess) stands in the queue, divided
by the ports that it came in by. What goes beyond XOFF of a port is held back by a few cycles of pause; each loses what
its headroom has no room for. Where nothing is paused, what does not fit into the queue is lost. So every onset of an
incast leaves some pause frames even where marks hold it afterwards, and a port whose headroom is too small some losses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

from engine.kernel.units import SECOND
from engine.physics.traffic import headroom
from engine.physics.traffic.problem import Link
from engine.physics.traffic.solving import Solution
from engine.world.records import Volume

_UNHEARD_SECONDS = 5e-5
_BYTE = 8 * SECOND
_MILLION = 1_000_000

Ingress = tuple[str, int]
"""The link that packets came in by, and their priority."""


@dataclass(frozen=True, slots=True)
class Onset:
    """What the beginning of congestion leaves in the counters of a link (in total, times ns), and the flow that lost
    `packets` of it (-1: none).
    """

    link: str
    priority: int
    volume: Volume
    flow: int = -1
    packets: int = 0


def onsets(solution: Solution, calm: Mapping[str, bool]) -> list[Onset]:
    """For each queue that is full and marks, whose port had been calm until now."""
    channels, full = solution.layout.channels, solution.filling.full
    fresh = {
        number: _Arrivals()
        for number, channel in enumerate(channels)
        if channel.marks and full[number] and calm.get(channel.link, False)
    }
    if not fresh:
        return []
    for flow, steps in enumerate(solution.layout.steps):
        demand = solution.problem.demands[flow]
        if not demand.reacts or demand.loop:
            continue
        for before, step in pairwise(steps):
            if step.channel in fresh:
                link = channels[before.channel].link
                rate = min(demand.rate, solution.problem.links[link].capacity)
                fresh[step.channel].add((link, step.priority), rate, flow)
    return [onset for number, arrivals in fresh.items() for onset in _at(solution, number, arrivals)]


@dataclass(slots=True)
class _Arrivals:
    """What comes to a queue: bit/s by where it came in, and one flow of each."""

    offered: dict[Ingress, int] = field(default_factory=dict)
    flows: dict[Ingress, int] = field(default_factory=dict)

    def add(self, ingress: Ingress, rate: int, flow: int) -> None:
        self.offered[ingress] = self.offered.get(ingress, 0) + rate
        self.flows.setdefault(ingress, flow)


def _at(solution: Solution, number: int, arrivals: _Arrivals) -> list[Onset]:
    """What one queue does to the links before it."""
    asked, channel = sum(arrivals.offered.values()), solution.layout.channels[number]
    unheard = (asked - channel.capacity) / 8 * _UNHEARD_SECONDS
    if unheard <= 0:
        return []
    found = []
    for ingress, part in sorted(arrivals.offered.items()):
        (link, priority), flow = ingress, arrivals.flows[ingress]
        stands, fits = unheard * part / asked, channel.profile.drop_at * part / asked
        one = _before(solution.problem.links[link], priority, stands, fits)
        if one is not None:
            packets = one.dropped // _BYTE // solution.problem.demands[flow].mtu
            found.append(Onset(link, priority, one, flow if packets else -1, packets))
    return found


def _before(wire: Link, priority: int, stands: float, fits: float) -> Volume | None:
    """What a link sees of which `stands` bytes wait behind its receiver; `fits` is its part of a queue that drops."""
    if not (wire.receiver.pause_sent[priority] and wire.sender.pause_obeyed[priority]):
        return Volume(dropped=int(stands - fits) * _BYTE) if stands > fits else None
    over = stands - wire.receiver.pause_at
    if over <= 0 or wire.capacity <= 0:
        return None
    needed = headroom.needed(wire.capacity, wire.length_m)
    cycles = int(over / (wire.receiver.pause_at - wire.receiver.resume_at + needed)) + 1
    missing = max(int(needed - wire.receiver.headroom), 0)
    waiting = int(over * 8 * SECOND / wire.capacity) * _MILLION
    return Volume(waiting=waiting, pauses=2 * cycles * SECOND, dropped=missing * cycles * _BYTE)
