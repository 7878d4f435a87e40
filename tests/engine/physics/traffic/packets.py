"""A small simulation of packets, to check the fluid rules: FIFO queues at egress, one for each class, served by weight;
pause counted per ingress port and class; senders that take their flows in turn. All classes are lossless, a packet has
the same in every device, nobody slows down. Nothing of the solver is used.
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
class Lane:
    """A class of a wire: the queue before it, or the flows of the host that sends by it; `held` are bits that came by
    it and still are in the next device. `turn` says when it is served next (start-time fair queueing).
    """

    weight: float
    queue: deque[tuple[int, int]] = field(default_factory=deque)
    flows: list[int] = field(default_factory=list)
    stopped: bool = False
    asked: bool = False
    held: int = 0
    stopped_ns: float = 0.0
    since: float = 0.0
    turn: float = 0.0


@dataclass
class Wire:
    """One direction of a cable, with its lanes."""

    rate: float
    lanes: dict[int, Lane]
    busy: bool = False
    turn: float = 0.0


class Packets:
    """What `problem` does, packet by packet, for `until` ns; the first quarter is left out."""

    def __init__(self, problem: Problem, until: float = 3e6) -> None:
        self.problem, self.until, self.now, self.sequence = problem, until, 0.0, 0
        self.due: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self.wires = {}
        for name, link in problem.links.items():
            used = {link.sender.classes[link.sender.priority(demand.dscp)] for demand in problem.demands}
            self.wires[name] = Wire(link.capacity / 1e9, {one: Lane(link.sender.weights[one]) for one in sorted(used)})
        self.arrived = [0] * len(problem.demands)
        self.ready = [0.0] * len(problem.demands)
        self.taken = dict.fromkeys(problem.drains, 0.0)
        for number, demand in enumerate(problem.demands):
            self.lane(demand.links[0], number).flows.append(number)

    def lane(self, name: str, flow: int) -> Lane:
        sender = self.problem.links[name].sender
        return self.wires[name].lanes[sender.classes[sender.priority(self.problem.demands[flow].dscp)]]

    def run(self) -> tuple[list[float], dict[str, float]]:
        """Gb/s of each flow, and the share of time in which each link is stopped (its class that is most)."""
        for name, wire in self.wires.items():
            if any(lane.flows for lane in wire.lanes.values()):
                self.at(0.0, self.start, name)
        while self.due and self.due[0][0] <= self.until:
            self.now, _, act, about = heapq.heappop(self.due)
            act(*about)
        lanes = [lane for wire in self.wires.values() for lane in wire.lanes.values()]
        for lane in lanes:
            lane.stopped_ns += self.until - lane.since if lane.stopped else 0.0
        rates = [count * BITS / (self.until * 3 / 4) for count in self.arrived]
        return rates, {
            name: max(lane.stopped_ns for lane in wire.lanes.values()) / self.until for name, wire in self.wires.items()
        }

    def at(self, time: float, act: Callable[..., None], *about: Any) -> None:
        self.sequence += 1
        heapq.heappush(self.due, (time, self.sequence, act, about))

    def start(self, name: str) -> None:
        """Send the next packet if there is one and nobody forbids it: of the class whose turn it is."""
        wire = self.wires[name]
        if wire.busy:
            return
        ready = [lane for lane in wire.lanes.values() if not lane.stopped and (lane.queue or lane.flows)]
        for lane in sorted(ready, key=lambda lane: max(lane.turn, wire.turn)):
            item = self.from_host(name, lane) if lane.flows else self.from_queue(lane)
            if item is not None:
                wire.turn = max(lane.turn, wire.turn)
                lane.turn = wire.turn + 1 / lane.weight
                wire.busy = True
                end = self.now + BITS / wire.rate
                self.at(end, self.sent, name)
                self.at(end + LOOP_NS, self.arrive, name, item)
                return

    def from_host(self, name: str, lane: Lane) -> tuple[int, int] | None:
        """The sender's flows in turn, none faster than it wants."""
        for _ in lane.flows:
            flow = lane.flows.pop(0)
            lane.flows.append(flow)
            if self.ready[flow] <= self.now:
                pace = BITS / (self.problem.demands[flow].rate / 1e9)
                self.ready[flow] = max(self.ready[flow], self.now - 20_000) + pace
                return flow, 0
        self.at(min(self.ready[flow] for flow in lane.flows), self.start, name)
        return None

    def from_queue(self, lane: Lane) -> tuple[int, int]:
        flow, hop = lane.queue.popleft()
        self.release(self.problem.demands[flow].links[hop - 1], flow)
        return flow, hop

    def sent(self, name: str) -> None:
        self.wires[name].busy = False
        self.start(name)

    def arrive(self, name: str, item: tuple[int, int]) -> None:
        flow, hop = item
        way, lane = self.problem.demands[flow].links, self.lane(name, flow)
        lane.held += BITS
        if hop + 1 < len(way):
            self.lane(way[hop + 1], flow).queue.append((flow, hop + 1))
            self.start(way[hop + 1])
        elif name in self.taken:
            pace = BITS / (self.problem.drains[name] / 1e9)
            self.taken[name] = max(self.taken[name], self.now) + pace
            self.at(self.taken[name], self.take, name, flow)
        else:
            self.take(name, flow)
        if lane.held > PAUSE_AT and not lane.asked:
            lane.asked = True
            self.at(self.now + LOOP_NS, self.stop, lane)

    def take(self, name: str, flow: int) -> None:
        self.release(name, flow)
        if self.now > self.until / 4:
            self.arrived[flow] += 1

    def release(self, name: str, flow: int) -> None:
        """A packet that came by this link has left the device behind it."""
        lane = self.lane(name, flow)
        lane.held -= BITS
        if lane.asked and lane.held <= RESUME_AT:
            lane.asked = False
            self.at(self.now + LOOP_NS, self.resume, name, lane)

    def stop(self, lane: Lane) -> None:
        lane.stopped, lane.since = True, self.now

    def resume(self, name: str, lane: Lane) -> None:
        lane.stopped = False
        lane.stopped_ns += self.now - lane.since
        self.start(name)
