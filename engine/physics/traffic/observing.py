"""What a solution looks like from outside: time stopped, pause frames, queues, marks, losses, deadlocks.

Formulas: IEEE 802.1Qbb (a pause holds a class for 65535 x 512 bit times), the headroom rule of Ethernet switches (cable
both ways, a packet at each end, 3840 bytes until the sender reacts), and a cycle of stop and go between the two
thresholds of a buffer. Counts of pause frames are right within a factor of about three, fractions of time within 0.06,
against a simulation of packets.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.physics.traffic import headroom, marking
from engine.physics.traffic.layout import Channel, Step
from engine.physics.traffic.solving import Solution

_QUANTA_BITS = 65_535 * 512
_PACKET = 4096


@dataclass(frozen=True, slots=True)
class Pause:
    """Pause for a priority of a link, sent by its receiver: the share of time that it asks to stop, cycles of stop and
    go and frames (per second), bytes per second that overflow all the same for want of headroom, and whether the sender
    obeys.
    """

    fraction: float
    cycles: float
    frames: float
    overflow: float
    obeyed: bool


@dataclass(slots=True)
class Observation:
    """Per channel: the share of time in which its receiver stops it, bytes in its queue, and the share of packets that
    it marks. Pauses by (link, priority). Per demand: bit/s on each step and lost before each, and the share of its
    packets that arrive marked. `deadlocks`: channels that wait for each other in a circle.
    """

    stopped: list[float]
    queues: list[float]
    marks: list[float]
    pauses: dict[tuple[str, int], Pause]
    rates: list[list[int]]
    drops: list[list[int]]
    marked: list[float]
    deadlocks: list[tuple[int, ...]]


def observe(solution: Solution) -> Observation:
    """Everything that counters and benchmarks need, as rates."""
    room = _room(solution)
    stopped = [_stopped(solution, number, room[number]) for number in range(len(room))]
    pauses = {key: _pause(solution, key, stopped, room) for key in _asked(solution)}
    rates, drops = _losses(solution, pauses)
    queues = [_queue(solution, number, room[number]) for number in range(len(room))]
    marks = [_mark(solution, number, queues[number]) for number in range(len(room))]
    marked = [_marked(solution, flow, marks) for flow in range(len(rates))]
    return Observation(stopped, queues, marks, pauses, rates, drops, marked, circles(solution.filling.edges))


def _room(solution: Solution) -> list[float]:
    """Bit/s that each channel could have: what its link carries without the other classes."""
    totals: dict[str, float] = {}
    for channel, load in zip(solution.layout.channels, solution.filling.loads, strict=True):
        if not channel.drain:
            totals[channel.link] = totals.get(channel.link, 0.0) + load
    return [
        channel.capacity
        if channel.drain
        else solution.problem.links[channel.link].capacity - totals[channel.link] + load
        for channel, load in zip(solution.layout.channels, solution.filling.loads, strict=True)
    ]


def _stopped(solution: Solution, number: int, room: float) -> float:
    channel = solution.layout.channels[number]
    if (channel.link, channel.traffic_class) in solution.problem.stopped:
        return 1.0
    if not solution.filling.paused[number] or room <= 0:
        return 0.0
    return min(max(1.0 - solution.filling.loads[number] / room, 0.0), 1.0)


def _asked(solution: Solution) -> list[tuple[str, int]]:
    """(link, priority) for which pause goes out: full queues behind them, and links that are stopped for good."""
    storms = []
    for link, traffic_class in sorted(solution.problem.stopped):
        wire = solution.problem.links[link]
        storms += [
            (link, priority)
            for priority, mapped in enumerate(wire.sender.classes)
            if mapped == traffic_class and wire.receiver.pause_sent[priority] and wire.sender.pause_obeyed[priority]
        ]
    return sorted({*solution.filling.asks, *storms})


def headroom_needed(solution: Solution, link: str) -> float:
    """Bytes that still arrive after a pause was decided."""
    wire = solution.problem.links[link]
    return headroom.needed(wire.capacity, wire.length_m)


def _pause(solution: Solution, key: tuple[str, int], stopped: list[float], room: list[float]) -> Pause:
    link, priority = key
    wire = solution.problem.links[link]
    obeyed = wire.sender.pause_obeyed[priority]
    number = solution.layout.index.get((link, wire.sender.classes[priority]), -1)
    share = stopped[number] if obeyed and number >= 0 else 1.0
    capacity = (room[number] if number >= 0 else float(wire.capacity)) / 8
    used = min(solution.filling.loads[number] / 8 if number >= 0 else 0.0, capacity)
    needed = headroom_needed(solution, link)
    swing = wire.receiver.pause_at - wire.receiver.resume_at + needed
    moving = obeyed and share < 1 and capacity > 0
    cycles = used * (capacity - used) / (swing * capacity) if moving else 0.0
    quanta = _QUANTA_BITS / max(wire.capacity, 1)
    long = share >= 1 or used <= 0 or swing / used > quanta / 2
    missing = max(needed - wire.receiver.headroom, 0.0) if obeyed else 0.0
    return Pause(share, cycles, 2 * cycles + (share * 2 / quanta if long else 0.0), min(missing * cycles, used), obeyed)


def _losses(solution: Solution, pauses: dict[tuple[str, int], Pause]) -> tuple[list[list[int]], list[list[int]]]:
    """Bit/s on each step and lost before each: in full queues, and in buffers with too little headroom."""
    leaky = {key: pause.overflow * 8 for key, pause in pauses.items() if pause.overflow > 0}
    loads: dict[tuple[str, int], int] = {}
    for rates, steps in zip(solution.rates, solution.layout.steps, strict=True):
        for hop in range(1, len(steps)):
            if (key := steps[hop].asks) in leaky and key:
                loads[key] = loads.get(key, 0) + rates[hop - 1]
    kept = {key: 1.0 - min(lost / max(loads.get(key, 0), 1), 1.0) for key, lost in leaky.items()}
    after = [
        _after_leaks(rates, steps, kept) for rates, steps in zip(solution.rates, solution.layout.steps, strict=True)
    ]
    return after, [[max(a - b, 0) for a, b in zip([*rates[:1], *rates], rates, strict=False)] for rates in after]


def _after_leaks(rates: list[int], steps: list[Step], kept: dict[tuple[str, int], float]) -> list[int]:
    part, passed = 1.0, []
    for rate, step in zip(rates, steps, strict=True):
        part *= kept.get(step.asks, 1.0) if step.asks else 1.0
        passed.append(int(rate * part) if part < 1 else rate)
    return passed


def _queue(solution: Solution, number: int, room: float) -> float:
    """Bytes that stand in a channel."""
    filling, channel = solution.filling, solution.layout.channels[number]
    if channel.drain:
        return 0.0
    if not (filling.full[number] or filling.paused[number]):
        capacity = solution.problem.links[channel.link].capacity
        busy = min((capacity - room + filling.loads[number]) / capacity, 0.98) if capacity > 0 else 0.0
        return busy * busy / (2 * (1 - busy)) * _PACKET if filling.loads[number] else 0.0
    feeders = sum(number in channels for channels in filling.asks.values())
    if feeders:
        return feeders * (channel.profile.pause_at + channel.profile.resume_at) / 2
    if channel.marks:
        return min(_standing(channel, filling.levels[number]), float(solution.layout.limits[number]))
    return float(channel.profile.drop_at)


def _standing(channel: Channel, level: float) -> float:
    profile = channel.profile
    return marking.queue_for(marking.marked_share(level), profile.mark_from, profile.mark_top, profile.mark_most)


def _mark(solution: Solution, number: int, queue: float) -> float:
    channel = solution.layout.channels[number]
    profile = channel.profile
    if not channel.marks or queue <= profile.mark_from:
        return 0.0
    if queue >= profile.mark_top:
        return 1.0
    return (queue - profile.mark_from) / (profile.mark_top - profile.mark_from) * profile.mark_most / 1e6


def _marked(solution: Solution, flow: int, marks: list[float]) -> float:
    """The share of packets that arrive with a mark, of senders that can be told."""
    demand = solution.problem.demands[flow]
    if not (demand.reacts or demand.capable):
        return 0.0
    unmarked = 1.0
    for step in solution.layout.steps[flow]:
        unmarked *= 1.0 - marks[step.channel]
    return 1.0 - unmarked


def circles(edges: set[tuple[int, int]]) -> list[tuple[int, ...]]:
    """Sets of channels of which each waits, over others, for itself."""
    onward: dict[int, list[int]] = {}
    for waiting, full in sorted(edges):
        onward.setdefault(waiting, []).append(full)
    # Whoever waits only for channels that wait for nobody is in no circle.
    while ended := [channel for channel, ahead in onward.items() if not any(one in onward for one in ahead)]:
        for channel in ended:
            del onward[channel]
    reached = {channel: _reachable(onward, channel) for channel in onward}
    found = {
        tuple(sorted(one for one in reached[channel] if channel in reached.get(one, ())))
        for channel in onward
        if channel in reached[channel]
    }
    return sorted(found)


def _reachable(onward: dict[int, list[int]], start: int) -> set[int]:
    seen, todo = set[int](), list(onward.get(start, ()))
    while todo:
        one = todo.pop()
        if one not in seen:
            seen.add(one)
            todo += onward.get(one, ())
    return seen
