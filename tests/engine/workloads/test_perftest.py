"""perftest's formulas: figures of published runs and of the model's table, and what each cause does to them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.physics.paths.figures import CONNECTX_6, CONNECTX_7
from engine.workloads.perftest import READ, SEND, WRITE, Route, Sending, gigabits, latency, message_rate, spread

NDR = Route(49.05, 1, False, CONNECTX_7, 4096, 57.0)
HDR = Route(24.5, 1, False, CONNECTX_6, 4096, 26.0)
ROCE = Route(49.0, 1, True, CONNECTX_7, 4096, 57.0)


def rate(route: Route, size: int, queue_pairs: int = 1, **changes: int) -> float:
    return gigabits(message_rate(route, Sending(WRITE, size, queue_pairs, **changes)), size)


@pytest.mark.parametrize(
    ("route", "size", "queue_pairs", "expected"),
    [
        (NDR, 65536, 1, 392.4),
        (NDR, 4096, 1, 172.0),
        (NDR, 4096, 4, 392.4),
        (NDR, 64, 1, 2.69),
        (NDR, 2, 4, 0.337),
        (HDR, 65536, 1, 196.0),
        (HDR, 4096, 1, 86.2),
        (HDR, 2, 1, 0.0421),
    ],
)
def test_bandwidths(route: Route, size: int, queue_pairs: int, expected: float) -> None:
    assert rate(route, size, queue_pairs) == pytest.approx(expected, rel=0.01)


@pytest.mark.parametrize(
    ("route", "size", "expected"),
    [(NDR, 2, 0.95), (NDR, 4096, 1.46), (NDR, 1 << 20, 22.7), (HDR, 2, 1.02), (HDR, 512, 1.41), (ROCE, 2, 1.3)],
)
def test_latencies(route: Route, size: int, expected: float) -> None:
    assert latency(route, WRITE, size) == pytest.approx(expected, rel=0.02)


def test_what_makes_a_latency_longer() -> None:
    plain = latency(NDR, WRITE, 2)
    assert latency(replace(NDR, switches=3), WRITE, 2) == pytest.approx(plain + 0.4)
    assert latency(NDR, READ, 2) == pytest.approx(plain + 0.75)
    assert latency(replace(NDR, gpu_ends=2), WRITE, 2) == pytest.approx(plain + 1.1)
    assert latency(replace(NDR, translated=True), WRITE, 2) == pytest.approx(plain + 0.6)
    assert latency(replace(NDR, share=500_000), WRITE, 2) == pytest.approx(plain + 20)
    assert latency(NDR, WRITE, 64, inline=0) > latency(NDR, WRITE, 64) + 0.3


def test_few_messages_under_way_do_not_fill_a_long_path() -> None:
    assert rate(NDR, 65536, depth=1) < 0.3 * rate(NDR, 65536)
    assert message_rate(NDR, Sending(READ, 64, depth=128)) == message_rate(NDR, Sending(READ, 64, depth=16))


def test_reads_are_a_little_slower_and_lists_issue_faster() -> None:
    assert gigabits(message_rate(NDR, Sending(READ, 65536)), 65536) == pytest.approx(392.4 * 0.985, rel=0.01)
    assert rate(NDR, 64, listed=16) == pytest.approx(3 * rate(NDR, 64), rel=0.01)
    assert rate(NDR, 2, queue_pairs=1000) == pytest.approx(gigabits(3 * 16 / 3 / 0.19, 2), rel=0.01)


def test_a_spread_is_in_order_and_the_same_each_time() -> None:
    found = spread(1.5, 1000, "a", 1)
    values = [found.least, found.typical, found.average, found.percentile_99, found.percentile_99_9, found.most]
    assert values == sorted(values)
    assert found == spread(1.5, 1000, "a", 1) != spread(1.5, 1000, "a", 2)
    assert latency(NDR, SEND, 2) > latency(NDR, WRITE, 2)
