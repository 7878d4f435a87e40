"""Pause without end, watchdogs and deadlock on the pod: who suffers, who finds it, and how it ends."""

from __future__ import annotations

from engine.kernel.events import Event
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND, SECOND
from engine.physics import links
from engine.physics.ethernet import settings
from engine.physics.traffic import counters, exchange
from engine.world.records import WHOLE
from engine.world.world import World
from tests.support.roce_fabric import PRIORITY, incast, leaf_port, nic, paused, pod, send


def storm(node: int) -> Simulation[World]:
    """A node's adapter floods pause while others send to it, and one of those to somebody else."""
    sim = pod()
    send(sim, "to it", [(nic(9), nic(node)), (nic(10), nic(node))])
    send(sim, "innocent", [(nic(9), nic(11))])
    settings.flood(sim, nic(node), (PRIORITY,))
    return sim


def test_a_storm_is_found_four_ways() -> None:
    """By pause that comes from a host, by that host's silence, by the victims' pause, and by where data ends."""
    sim = storm(1)
    sim.advance(SECOND)
    world, leaf = sim.world, leaf_port(sim.world, nic(1))
    frames = counters.pauses_sent(world, nic(1), sim.now, PRIORITY)
    assert 20_000 < frames < 30_000 and frames == counters.pauses_received(world, leaf, sim.now, PRIORITY)
    assert counters.received(world, nic(1), sim.now) == 0
    assert paused(sim, nic(9)) >= 999_000 and exchange.share(world, "to it") == 0
    assert exchange.share(world, "innocent") == 0
    others = [port for port in world.inventory.cables if port.count("/") == 2 and port != nic(1)]
    assert all(counters.pauses_sent(world, port, sim.now, PRIORITY) == 0 for port in others)


def test_a_flood_is_counted_without_traffic_too() -> None:
    sim = pod()
    settings.flood(sim, nic(1), (PRIORITY,))
    sim.advance(SECOND)
    leaf = leaf_port(sim.world, nic(1))
    assert counters.pauses_received(sim.world, leaf, sim.now, PRIORITY) > 20_000
    settings.reset_port(sim, nic(1))
    before = counters.pauses_received(sim.world, leaf, sim.now, PRIORITY)
    sim.advance(SECOND)
    assert counters.pauses_received(sim.world, leaf, sim.now, PRIORITY) == before


def test_a_watchdog_confines_it_and_lets_go() -> None:
    sim = storm(1)
    leaf = leaf_port(sim.world, nic(1))
    sim.apply(settings.SetWatchdog((leaf,), True))
    sim.advance(500 * MILLISECOND)
    state = sim.world.ethernet_ports[leaf]
    assert [queue.traffic_class for queue in state.stormed] == [PRIORITY] and state.storms[PRIORITY] == 1
    assert exchange.share(sim.world, "innocent") > WHOLE * 9 // 10 and exchange.share(sim.world, "to it") == 0
    sim.advance(5 * SECOND)
    assert sim.world.ethernet_ports[leaf].stormed
    settings.flood(sim, nic(1), ())
    sim.advance(SECOND)
    state = sim.world.ethernet_ports[leaf]
    assert not state.stormed and state.restored[PRIORITY] == 1
    assert exchange.share(sim.world, "to it") > 0


def test_alert_counts_alone() -> None:
    sim = storm(1)
    leaf = leaf_port(sim.world, nic(1))
    sim.apply(settings.SetWatchdog((leaf,), True, action="alert"))
    sim.advance(SECOND)
    assert sim.world.ethernet_ports[leaf].storms[PRIORITY] == 1 and exchange.share(sim.world, "innocent") == 0


def test_an_eager_watchdog_fires_at_ordinary_pause() -> None:
    for detection, storms in ((10, True), (200, False)):
        sim = pod()
        leaf = leaf_port(sim.world, nic(2))
        far = links.peer(sim.world.inventory, leaf)
        assert far == nic(2)
        settings.take(sim, nic(2), 100_000_000_000)
        sim.apply(settings.SetWatchdog((leaf,), True, detection, 200, 10))
        incast(sim, (3,), 2)
        sim.advance(3 * SECOND)
        state = sim.world.ethernet_ports[leaf]
        assert bool(state.storms[PRIORITY]) is storms and bool(state.restored[PRIORITY]) is storms
        sim.advance(200 * SECOND)
        assert (2 <= sim.world.ethernet_ports[leaf].storms[PRIORITY] <= 40) is storms


def looped() -> Simulation[World]:
    """Spines send what is for node 1 to leaf-02; nodes 3 and 11 use the same links on rail 2 meanwhile."""
    sim = pod()
    cables = sim.world.inventory.cables
    send(sim, "victims", [(nic(11, 2), nic(3, 2)), (nic(3, 2), nic(11, 2))], 200)
    for spine in ("spine-01", "spine-02"):
        sim.apply(settings.SetSwitch(spine, (("adaptive", False),)))
        down = next(
            port for port in cables if port.startswith(f"{spine}/") and cables[port].other(port)[:7] == "leaf-02"
        )
        sim.apply(settings.SetSwitch(spine, (("routes", ((nic(1), down),)),)))
    send(sim, "lost", [(nic(9), nic(1))])
    return sim


def test_packets_that_go_round_lock_the_queues_of_their_circle() -> None:
    sim = looped()
    flow = sim.world.bundles["lost"].flows[0]
    assert flow.loop == 2 and exchange.share(sim.world, "lost") == 0
    sim.advance(10 * SECOND)
    locked = [port for port in sim.world.ethernet_ports.changed() if sim.world.ethernet_ports[port].locked]
    assert set(locked) == set(flow.links[-2:])
    exchange.close_bundle(sim, "lost")
    for spine in ("spine-01", "spine-02"):
        sim.apply(settings.SetSwitch(spine, (("routes", ()),)))
    sim.advance(SECOND)
    assert [port for port in sim.world.ethernet_ports.changed() if sim.world.ethernet_ports[port].locked] == locked
    assert send(sim, "after", [(nic(9), nic(1))]) == WHOLE
    links.set_enabled(sim, locked[0], False)
    links.set_enabled(sim, locked[0], True)
    assert not any(sim.world.ethernet_ports[port].locked for port in sim.world.ethernet_ports.changed())


def test_a_watchdog_lets_locked_queues_go() -> None:
    sim = looped()
    ports = tuple(port for port in sim.world.inventory.cables if port.count("/") == 1)
    sim.apply(settings.SetWatchdog(ports, True))
    heard: list[Event] = []
    sim.advance(10 * SECOND)
    storms = [port for port in ports if any(sim.world.ethernet_ports[port].storms)]
    assert storms and set(storms) <= set(sim.world.bundles["lost"].flows[0].links) and not heard
