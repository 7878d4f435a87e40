"""Faults of the RoCE fabric: what each does to traffic, where it does nothing, and that its remedy ends it."""

from __future__ import annotations

import pytest

from engine.faults._ethernet import ports_of
from engine.faults.fault import parse_fault
from engine.kernel.errors import BreakfixError
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.physics.ethernet import settings
from engine.physics.paths import fabric
from engine.physics.traffic import counters, exchange, routes
from engine.world.records import WHOLE, RoceVolume
from engine.world.records.ethernet import EthernetPort, only
from engine.world.world import World
from tests.support.roce_fabric import GIGA, PRIORITY, incast, leaf_port, nic, paused, pod, send


def broken(line: str) -> Simulation[World]:
    """The pod with a fault."""
    simulation = pod()
    simulation.apply(parse_fault(line))
    return simulation


def seen(simulation: Simulation[World], senders: tuple[int, ...] = (2, 3), receiver: int = 1) -> tuple[int, RoceVolume]:
    """An incast for a second: how long (us) the last sender was paused, and what the receiver noticed in all."""
    incast(simulation, senders, receiver)
    simulation.advance(SECOND)
    book = simulation.world.roce_traffic[nic(receiver)]
    return paused(simulation, nic(senders[-1])), book.total.plus(book.now, simulation.now - book.since)


def test_a_healthy_incast_is_marked_and_hardly_paused() -> None:
    pause, noticed = seen(pod())
    assert pause < 100 and noticed.marked and noticed.told and not noticed.gaps


def test_without_ecn_pause_takes_its_place() -> None:
    for line in ("roce.switch_ecn_off target=leaf-01", "roce.ecn_thresholds target=leaf-01 kind=late"):
        pause, noticed = seen(broken(line))
        assert pause > 400_000 and not noticed.marked and not noticed.gaps
    other, _ = seen(broken("roce.switch_ecn_off target=leaf-05"))
    assert other < 100


def test_early_marks_leave_a_link_idle() -> None:
    sim = broken("roce.ecn_thresholds target=leaf-01")
    pause, noticed = seen(sim)
    rate = exchange.share(sim.world, "incast 1") * 2 * 390 * GIGA // WHOLE
    assert pause < 100 and noticed.marked and rate < 330 * GIGA


def test_late_notifications_are_told_and_paused() -> None:
    pause, noticed = seen(broken("roce.switch_cnp_class target=leaf-01"))
    assert pause > 400_000 and noticed.marked


def test_a_dscp_that_is_not_known_loses() -> None:
    sim = broken("roce.dscp_not_lossless target=leaf-01")
    _, noticed = seen(sim, (2, 3, 4))
    assert noticed.gaps and dict(sim.world.traffic[leaf_port(sim.world, nic(1))].now).keys() == {1}
    sim.apply(settings.SetPortQos(("leaf-01/1",), (("pause_sent", only(PRIORITY)),)))
    assert send(sim, "one to one", [(nic(5), nic(6))]) == WHOLE


def test_pfc_at_one_end_loses_at_the_onset() -> None:
    sim = pod()
    sender = leaf_port(sim.world, nic(3))
    sim.apply(parse_fault(f"roce.pfc_one_end target={sender}"))
    _, noticed = seen(sim)
    assert noticed.gaps and sim.world.roce_traffic[nic(3)].total.resent
    assert not sim.world.roce_traffic[nic(2)].total.resent


def test_small_headroom_loses_a_little() -> None:
    sim = pod()
    way = routes.path(sim.world, nic(9), nic(1)) or ()
    port = links.peer(sim.world.inventory, way[2]) or ""
    sim.apply(parse_fault(f"roce.headroom_small target={port}"))
    _, noticed = seen(sim, (9, 10, 11))
    assert 0 < noticed.gaps < 10_000 * SECOND


def test_a_small_mtu_and_a_wrong_correction_concern_one_port() -> None:
    sim = broken("roce.switch_port_mtu target=leaf-01/1")
    assert fabric.between(sim.world, nic(2), nic(1)) is None and fabric.between(sim.world, nic(2), nic(3)) is not None
    other = broken("roce.fec_mismatch target=leaf-01/1")
    assert not links.link_up(other.world, nic(1)) and links.link_up(other.world, nic(2))


def test_a_storm_and_a_slow_receiver_end_with_a_reset() -> None:
    for line, left in (("roce.pause_storm target=hgx-01/mlx5_0", 0), ("roce.receiver_slow target=hgx-01/mlx5_0", 307)):
        sim = broken(line)
        assert send(sim, "one", [(nic(2), nic(1))]) // 1000 == left
        sim.advance(SECOND)
        assert counters.pauses_sent(sim.world, nic(1), sim.now, PRIORITY) > 10_000
        assert send(sim, "back", [(nic(1), nic(3))]) == WHOLE
        settings.reset_port(sim, nic(1))
        assert exchange.share(sim.world, "one") == WHOLE


def test_a_loop_takes_one_address_and_locks_others_out() -> None:
    sim = broken("roce.routing_loop target=hgx-01/mlx5_0 leaf=leaf-03")
    assert fabric.between(sim.world, nic(9), nic(1)) is None and fabric.between(sim.world, nic(2), nic(1)) is not None
    send(sim, "lost", [(nic(9), nic(1))])
    sim.advance(10 * SECOND)
    assert any(sim.world.ethernet_ports[port].locked for port in sim.world.ethernet_ports.changed())
    with pytest.raises(BreakfixError, match="there is no other leaf"):
        pod().apply(parse_fault("roce.routing_loop target=hgx-01/mlx5_0 leaf=leaf-01"))


def test_hashes_and_bundles_gather_flows() -> None:
    across = [(nic(node, rail), nic(node + 8, rail)) for node in range(1, 9) for rail in (0, 1)]
    assert send(pod(), "all", across) == WHOLE
    assert send(broken("roce.ways_polarised target=leaf-01"), "all", across) < WHOLE * 9 // 10
    back = [(nic(node, 4), nic(node - 8, 4)) for node in range(9, 17)]
    usual, one = pod(), broken("roce.bundle_one_leg target=leaf-07")
    assert send(one, "all", back) < WHOLE // 3 < send(usual, "all", back)


def test_an_eager_watchdog_empties_queues_that_pause_alone_divides() -> None:
    senders, receiver = (13, 14, 15, 16), nic(1, 4)
    for line, marked in (("roce.watchdog_eager target=leaf-07", False), ("roce.watchdog_eager target=leaf-07", True)):
        sim = broken(line)
        sim.apply(settings.SetRoce((receiver,), (("notifies", (marked,) * 8),)))
        send(sim, "incast", [(nic(node, 4), receiver) for node in senders])
        sim.advance(SECOND // 10)
        stormed = [port for port in sim.world.ethernet_ports.changed() if sim.world.ethernet_ports[port].stormed]
        assert (0 in sim.world.bundles["incast"].shares) is not marked
        assert {port.partition("/")[0] for port in stormed} == (set() if marked else {"leaf-07"})
        sim.apply(settings.SetWatchdog(ports_of(sim.world.inventory, "leaf-07"), True))
        before = sum(state.storms[PRIORITY] for _, state in _ports(sim))
        sim.advance(200 * SECOND)
        assert 0 not in sim.world.bundles["incast"].shares
        assert sum(state.storms[PRIORITY] for _, state in _ports(sim)) == before


def _ports(sim: Simulation[World]) -> list[tuple[str, EthernetPort]]:
    return [(port, sim.world.ethernet_ports[port]) for port in sim.world.ethernet_ports.changed()]
