"""What ib_write_bw, ib_write_lat and their sisters measure between two RDMA devices: pure formulas on plain numbers.

A bandwidth is the smallest of three: how fast messages are issued, how many may be on their way at a time, and what the
path carries. A latency is half a round trip (a whole one for reads): the first small message, switches that cut
through, the fetch of a payload that is not inline, and the payload's time on the path.

Sources: 2.63 million messages per second from one queue pair (perftest issue 132, taken as ConnectX-6), 220 bytes
inline (perftest's default), 0.2 to 0.6 us per switch (published ranges). Guesses: the figures of ConnectX-7, 0.35 us
for a payload that is not inline, 0.55 us for GPU memory at each end, 0.75 us more for a read, 0.6 us for a translating
IOMMU, 0.35 us for the far socket, 40 us of queue in front of a port that others fill, a list of work requests
posted at once (-l) three times as fast, the spread of single messages around their typical time.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from engine.kernel.random import hash64
from engine.physics.paths.figures import CardFigures

WHOLE = 1_000_000
WRITE, READ, SEND = "write", "read", "send"

INLINE_BYTES = 220
OUTSTANDING_READS = 16
"""Reads that a queue pair may have on their way (max_qp_rd_atom of mlx5 devices)."""

_SWITCH_US, _ETHERNET_SWITCH_US = 0.20, 0.55
_NOT_INLINE_US = 0.35
_GPU_US = 0.55
_FAR_US = 0.35
_TRANSLATED_US = 0.6
_READ_US, _SEND_US = 0.75, 0.1
_QUEUE_US = 40.0
_READ_SHARE = 0.985
_QUEUE_PAIRS_AT_ONCE = 16
_LISTED = 3.0


@dataclass(frozen=True, slots=True)
class Route:
    """What lies between two devices: GB/s in one direction, switches, the slower card, bytes of payload in a packet,
    and GB/s between card and memory. `gpu_ends` of the two ends are GPU memory; `share` is what others leave (ppm).
    """

    rate: float
    switches: int
    ethernet: bool
    card: CardFigures
    packet: int
    memory_rate: float
    gpu_ends: int = 0
    far: bool = False
    translated: bool = False
    share: int = WHOLE


@dataclass(frozen=True, slots=True)
class Sending:
    """How messages are sent: verb, bytes of each, queue pairs, messages that one of them may have under way, and how
    many are posted at once.
    """

    verb: str
    size: int
    queue_pairs: int = 1
    depth: int = 128
    listed: int = 1


@dataclass(frozen=True, slots=True)
class Spread:
    """Latencies of many messages in us, as ib_write_lat prints them."""

    least: float
    most: float
    typical: float
    average: float
    deviation: float
    percentile_99: float
    percentile_99_9: float


def latency(route: Route, verb: str, size: int, inline: int = INLINE_BYTES) -> float:
    """us of half a round trip with one message of `size` bytes; for reads, of the whole."""
    hop = _ETHERNET_SWITCH_US if route.ethernet else _SWITCH_US
    fixed = route.card.first_us + hop * route.switches + _GPU_US * route.gpu_ends
    fixed += _NOT_INLINE_US if size > inline else 0.0
    fixed += (_FAR_US if route.far else 0.0) + (_TRANSLATED_US if route.translated else 0.0)
    fixed += {READ: _READ_US, SEND: _SEND_US}.get(verb, 0.0)
    queue = (WHOLE - route.share) / WHOLE * _QUEUE_US
    path = size / (1000 * route.rate) + min(size, route.packet) / (1000 * route.memory_rate)
    return fixed + path + queue


def message_rate(route: Route, sending: Sending) -> float:
    """Messages per us in one direction."""
    queue_pairs = sending.queue_pairs
    issue_us = route.card.message_ns / 1000 / min(queue_pairs, _QUEUE_PAIRS_AT_ONCE)
    if sending.listed > 1:
        issue_us /= _LISTED
    depth = min(sending.depth, OUTSTANDING_READS) if sending.verb == READ else sending.depth
    window_us = 2 * latency(route, sending.verb, sending.size) / (depth * queue_pairs)
    rate = route.rate * (_READ_SHARE if sending.verb == READ else 1.0)
    path_us = sending.size / (1000 * rate)
    return 1 / max(issue_us, 1 / route.card.most_messages, window_us, path_us)


def gigabits(messages_per_us: float, size: int) -> float:
    """Gb/s of so many messages of `size` bytes."""
    return messages_per_us * size * 8 / 1000


def noisy(value: float, *names: object) -> float:
    """A measured value: up to 0.15 % below the true one, the same for the same names."""
    return value * (1 - hash64("perftest", *names) % 1500 / 1_000_000)


def spread(typical: float, iterations: int, *names: object) -> Spread:
    """How single messages lie around their typical time: a narrow body, and a tail that grows with their number."""
    draws = [hash64("perftest", "latency", *names, index) % 1000 / 1000 for index in range(5)]
    least = typical * (0.97 + 0.02 * draws[0])
    average = typical * (1 + 0.004 + 0.012 * draws[1])
    nearly_all = typical * (1 + 0.03 + 0.08 * draws[2]) + 0.02
    almost_all = nearly_all + 0.2 + 1.1 * draws[3]
    most = almost_all + (1.5 + 4.5 * draws[4]) * min(iterations, 1000) / 1000
    # perftest cuts each difference to whole us before it squares: only the tail is left of the deviation.
    far = most - average
    deviation = sqrt(int(far) ** 2 / max(iterations, 1)) if far >= 1 else 0.0
    return Spread(least, most, typical, average, deviation, nearly_all, almost_all)
