"""TCP: the wire's limit, the processor's, and how streams lie on the legs of a bond."""

from __future__ import annotations

import pytest

from engine.control import sockets
from engine.simulation import open_site
from engine.workloads import tcp
from engine.workloads.tcp import Route

GIGABIT = 1_000_000_000


def test_the_wire_gives_its_rate_less_headers() -> None:
    assert tcp.goodput(10 * GIGABIT, 1500) / GIGABIT == pytest.approx(9.41, abs=0.01)
    assert tcp.goodput(10 * GIGABIT, 9000) / GIGABIT == pytest.approx(9.90, abs=0.01)


def test_a_stream_is_limited_by_its_processor() -> None:
    assert tcp.stream_limit(1500) / GIGABIT == pytest.approx(24, rel=0.03)
    assert tcp.stream_limit(9000) / GIGABIT == pytest.approx(36, rel=0.03)
    assert tcp.demands(Route(1500, 10 * GIGABIT, 1), 1, 0) == [tcp.goodput(10 * GIGABIT, 1500)]
    assert tcp.demands(Route(1500, 400 * GIGABIT, 1), 1, 0) == [tcp.stream_limit(1500)]


def test_streams_share_a_leg_and_obey_a_limit() -> None:
    assert sum(tcp.demands(Route(1500, 10 * GIGABIT, 1), 4, 0)) <= tcp.goodput(10 * GIGABIT, 1500)
    assert tcp.demands(Route(1500, 10 * GIGABIT, 1), 2, GIGABIT) == [GIGABIT, GIGABIT]
    legs = {tcp.leg_of(Route(1500, GIGABIT, 2), stream, "a") for stream in range(16)}
    assert legs == {0, 1}


def test_a_window_grows_and_a_quiet_link_loses_nothing() -> None:
    assert tcp.window(0.5, "a") < tcp.window(3, "a") <= tcp.window(10, "a") == tcp.window(20, "a")
    assert tcp.retransmissions(False, 0, "a") == 0 < tcp.retransmissions(True, 0, "a")


def test_the_route_is_that_of_the_address() -> None:
    world = open_site("dgx-h100-4").world
    found = {address: sockets.way(world, "dgx-04", address) for address in ("10.20.0.13", "10.30.0.13")}
    management, inband = (tcp.route(world, way) for way in found.values() if way)
    assert (management.leg_rate, management.legs, management.ports) == (10 * GIGABIT, 1, ())
    assert inband.legs == 2 and inband.ports[0] == ("dgx-04/mlx5_2/1", "dgx-03/mlx5_2/1")
