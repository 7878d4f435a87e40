"""A small simulation of packets, to check the fluid rules: FIFO queues at egress, pause counted per ingress port, and
senders that take their flows in turn. One lossless class, nobody slows down. Nothing of the solver is used.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from engine.physics.traffic.problem import Problem

BITS = 4096 * 8
PAUSE_AT, RESUME_AT = 100_000 * 8, 90_000 * 8
LOOP_NS = 400.0


@dataclass
class Wire:
    """One direction of a cable and the queue before it; `held` are bits that came by it and still are in the next
    device.
    """

    rate: float
    queue: deque[tuple[int, int]] = field(default_factory=deque)
    flows: list[int] = field(default_factory=list)
    busy: bool = False
    stopped: bool = False
    asked: bool = False
    held: int = 0
    stopped_ns: float = 0.0
    since: float = 0.0


class Packets:
    """What `problem` does, packet by packet, for `until` ns; the first quarter is left out."""

    def __init__(self, problem: Problem, until: float = 3e6) -> None:
        self.problem, self.until, self.now, self.sequence = problem, until, 0.0, 0
        self.due: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self.wires = {name: Wire(link.capacity / 1e9) for name, link in problem.links.items()}
        self.arrived = [0] * len(problem.demands)
        self.ready = [0.0] * len(problem.demands)
        self.taken = dict.fromkeys(problem.drains, 0.0)
        for number, demand in enumerate(problem.demands):
            self.wires[demand.links[0]].flows.append(number)

    def run(self) -> tuple[list[float], dict[str, float]]:
        """Gb/s of each flow, and the share of time in which each link is stopped."""
        for name, wire in self.wires.items():
            if wire.flows:
                self.at(0.0, self.start, name)
        while self.due and self.due[0][0] <= self.until:
            self.now, _, act, about = heapq.heappop(self.due)
            act(*about)
        for wire in self.wires.values():
            if wire.stopped:
                wire.stopped_ns += self.until - wire.since
        rates = [count * BITS / (self.until * 3 / 4) for count in self.arrived]
        return rates, {name: wire.stopped_ns / self.until for name, wire in self.wires.items()}

    def at(self, time: float, act: Callable[..., None], *about: Any) -> None:
        self.sequence += 1
        heapq.heappush(self.due, (time, self.sequence, act, about))

    def start(self, name: str) -> None:
        """Send the next packet if there is one and nobody forbids it."""
        wire = self.wires[name]
        if wire.busy or wire.stopped:
            return
        item = self.from_host(name, wire) if wire.flows else self.from_queue(wire)
        if item is None:
            return
        wire.busy = True
        end = self.now + BITS / wire.rate
        self.at(end, self.sent, name)
        self.at(end + LOOP_NS, self.arrive, name, item)

    def from_host(self, name: str, wire: Wire) -> tuple[int, int] | None:
        """The sender's flows in turn, none faster than it wants."""
        for _ in wire.flows:
            flow = wire.flows.pop(0)
            wire.flows.append(flow)
            if self.ready[flow] <= self.now:
                pace = BITS / (self.problem.demands[flow].rate / 1e9)
                self.ready[flow] = max(self.ready[flow], self.now - 20_000) + pace
                return flow, 0
        self.at(min(self.ready[flow] for flow in wire.flows), self.start, name)
        return None

    def from_queue(self, wire: Wire) -> tuple[int, int] | None:
        if not wire.queue:
            return None
        flow, hop = wire.queue.popleft()
        self.release(self.problem.demands[flow].links[hop - 1])
        return flow, hop

    def sent(self, name: str) -> None:
        self.wires[name].busy = False
        self.start(name)

    def arrive(self, name: str, item: tuple[int, int]) -> None:
        flow, hop = item
        way, wire = self.problem.demands[flow].links, self.wires[name]
        wire.held += BITS
        if hop + 1 < len(way):
            self.wires[way[hop + 1]].queue.append((flow, hop + 1))
            self.start(way[hop + 1])
        elif name in self.taken:
            pace = BITS / (self.problem.drains[name] / 1e9)
            self.taken[name] = max(self.taken[name], self.now) + pace
            self.at(self.taken[name], self.take, name, flow)
        else:
            self.take(name, flow)
        if wire.held > PAUSE_AT and not wire.asked:
            wire.asked = True
            self.at(self.now + LOOP_NS, self.stop, name)

    def take(self, name: str, flow: int) -> None:
        self.release(name)
        if self.now > self.until / 4:
            self.arrived[flow] += 1

    def release(self, name: str) -> None:
        """A packet that came by this link has left the device behind it."""
        wire = self.wires[name]
        wire.held -= BITS
        if wire.asked and wire.held <= RESUME_AT:
            wire.asked = False
            self.at(self.now + LOOP_NS, self.resume, name)

    def stop(self, name: str) -> None:
        wire = self.wires[name]
        wire.stopped, wire.since = True, self.now

    def resume(self, name: str) -> None:
        wire = self.wires[name]
        wire.stopped = False
        wire.stopped_ns += self.now - wire.since
        self.start(name)
