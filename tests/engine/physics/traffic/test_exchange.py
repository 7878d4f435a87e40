"""Owners on the first site: what each gets, who is told, what counters say, and what happens when links go."""

from __future__ import annotations

import pytest

from engine.control.network import SetInterface
from engine.kernel.events import Bus, Event
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links, pcie
from engine.physics.traffic import capacity, changes, counters, exchange
from engine.world.events import TrafficChanged
from engine.world.records import WHOLE, Flow, ServiceClass
from engine.world.world import World
from tests.support.worlds import inventory

GIGA = 1_000_000_000
NDR = 392_707_229_500
EIGHT_TO_ONE = [f"dgx-0{node}/mlx5_{hca}/1" for node in (1, 3) for hca in (0, 3, 4, 5)]


def simulation() -> tuple[Simulation[World], list[tuple[str, ...]]]:
    """The first site with traffic alone, and the list of owners told of other shares."""
    told: list[tuple[str, ...]] = []

    def hear(_: Simulation[World], event: Event) -> None:
        assert isinstance(event, TrafficChanged)
        told.append(event.owners)

    return Simulation(World(inventory(), 1), 1, Bus([*changes.HANDLERS, (TrafficChanged, hear)])), told


def port(node: int, hca: int) -> str:
    return f"dgx-0{node}/mlx5_{hca}/1"


def flow(source: str, destination: str, gbps: int, **service: bool) -> Flow:
    return Flow(source, destination, gbps * GIGA, service=ServiceClass(**service))


def through(world: World, owner: str) -> set[str]:
    return {link for one in world.bundles[owner].flows for link in one.links}


def test_everybody_gets_what_he_asks_for_where_there_is_room() -> None:
    sim, told = simulation()
    assert exchange.open_bundle(sim, "a", [flow(port(1, 0), port(2, 0), 200)]) == WHOLE
    assert exchange.open_bundle(sim, "b", [flow(port(3, 0), port(2, 0), 190)]) == WHOLE
    sim.advance(SECOND)
    assert exchange.moved(sim.world, "a", sim.now) == 200 * GIGA // 8
    assert not told


def test_two_share_what_a_port_carries() -> None:
    sim, told = simulation()
    exchange.open_bundle(sim, "a", [flow(port(1, 0), port(2, 0), 390)])
    part = exchange.open_bundle(sim, "b", [flow(port(3, 0), port(2, 0), 390)])
    assert abs(part - NDR // 2 * WHOLE // (390 * GIGA)) <= 1
    assert exchange.share(sim.world, "a") == part
    assert told == [("a",)]
    sim.advance(SECOND)
    exchange.close_bundle(sim, "a")
    assert exchange.share(sim.world, "b") == WHOLE and told == [("a",), ("b",)]


def test_two_bundles_share_a_cable_between_switches() -> None:
    sim, _ = simulation()
    exchange.open_bundle(sim, "a", [flow(port(1, 0), port(2, 6), 390)])
    cable = next(link for link in through(sim.world, "a") if link.startswith("leaf-01/"))
    spine = links.peer(sim.world.inventory, cable)
    for number in range(33, 49):
        if f"leaf-01/{number}" != cable:
            links.set_enabled(sim, f"leaf-01/{number}", False)
    exchange.open_bundle(sim, "b", [flow(port(3, 3), port(4, 9), 390)])
    assert cable in through(sim.world, "b") and spine
    assert abs(exchange.share(sim.world, "a") - exchange.share(sim.world, "b")) <= 1
    assert abs(exchange.share(sim.world, "b") - NDR // 2 * WHOLE // (390 * GIGA)) <= 1


def test_a_coupled_bundle_is_as_slow_as_its_slowest_flow() -> None:
    sim, _ = simulation()
    ring = [flow(port(1, 0), port(2, 0), 300), flow(port(2, 0), port(1, 0), 300)]
    exchange.open_bundle(sim, "job", ring, coupled=True)
    exchange.open_bundle(sim, "other", [flow(port(3, 0), port(2, 0), 390)])
    first, second = sim.world.bundles["job"].shares
    assert first == second < WHOLE
    sim.advance(SECOND)
    # The other direction has room, but what goes there waits for what comes.
    assert counters.sent(sim.world, port(1, 0), sim.now) == counters.sent(sim.world, port(2, 0), sim.now)


def test_a_link_that_goes_is_gone_around_and_comes_back() -> None:
    sim, told = simulation()
    exchange.open_bundle(sim, "a", [flow(port(1, 0), port(2, 6), 200)])
    home = through(sim.world, "a")
    cable = next(link for link in home if link.startswith("spine"))
    links.set_enabled(sim, cable, False)
    away = through(sim.world, "a")
    assert cable not in away and len(away) == 4
    assert exchange.share(sim.world, "a") == WHOLE and not told
    assert sim.world.traffic[cable].owners == () and sim.world.traffic[cable].asked == 0
    links.set_enabled(sim, cable, True)
    assert through(sim.world, "a") == home


def test_owners_that_go_around_together_are_not_told_of_what_they_keep() -> None:
    sim, told = simulation()
    for hca in (6, 9, 10, 11):
        exchange.open_bundle(sim, f"to {hca}", [flow(port(1, 0), port(2, hca), 50)])
    for number in range(33, 41):
        links.set_enabled(sim, f"leaf-01/{number}", False)
    assert not told
    assert all(exchange.share(sim.world, f"to {hca}") == WHOLE for hca in (6, 9, 10, 11))


def test_a_cable_that_runs_slower_is_divided_again() -> None:
    sim, told = simulation()
    exchange.open_bundle(sim, "a", [flow(port(1, 0), port(2, 0), 200)])
    cable = links.cable(sim.world.inventory, port(2, 0))
    assert cable
    links.change_cable(sim, cable, rate_limit=100)
    exchange.review(sim, cable.ends)
    assert told == [("a",)] and exchange.share(sim.world, "a") == pytest.approx(WHOLE * NDR / 800e9, rel=1e-4)


def test_nothing_flows_without_a_way_and_a_collective_stands_still() -> None:
    sim, told = simulation()
    ring = [flow(port(1, 0), port(2, 0), 100), flow(port(2, 0), port(1, 0), 100)]
    exchange.open_bundle(sim, "job", ring, coupled=True)
    exchange.open_bundle(sim, "other", [flow(port(1, 3), port(2, 3), 100)])
    sim.advance(SECOND)
    links.set_enabled(sim, port(2, 0), False)
    assert exchange.share(sim.world, "job") == 0 and told == [("job",)]
    assert exchange.share(sim.world, "other") == WHOLE
    before = counters.sent(sim.world, port(1, 0), sim.now)
    sim.advance(SECOND)
    assert counters.sent(sim.world, port(1, 0), sim.now) == before > 0
    links.set_enabled(sim, port(2, 0), True)
    assert exchange.share(sim.world, "job") == WHOLE and told[-1] == ("job",)


def test_both_ends_count_the_same_and_switches_lose_nothing() -> None:
    sim, _ = simulation()
    for number, source in enumerate(EIGHT_TO_ONE):
        exchange.open_bundle(sim, f"s{number}", [flow(source, port(2, 6), 50 + 37 * number)])
        sim.advance(SECOND // 7)
    world, now = sim.world, sim.now
    for switch in ("leaf-01", "leaf-02", "spine-01", "spine-02"):
        ports = [f"{switch}/{number}" for number in range(1, 65)]
        into = sum(counters.packets_received(world, one, now) for one in ports)
        out = sum(counters.packets_sent(world, one, now) for one in ports)
        assert abs(into - out) <= 64
    assert counters.sent(world, "leaf-02/5", now) == counters.received(world, port(2, 6), now) > 0
    assert counters.received(world, "leaf-01/1", now) == counters.sent(world, port(1, 0), now) > 0


def test_headers_are_counted() -> None:
    sim, _ = simulation()
    exchange.open_bundle(sim, "a", [flow(port(1, 0), port(2, 0), 200)])
    sim.advance(SECOND)
    packets = 200 * GIGA // 8 // 4096
    assert counters.packets_sent(sim.world, port(1, 0), sim.now) == packets
    assert counters.sent(sim.world, port(1, 0), sim.now) == 200 * GIGA // 8 + packets * 24


def test_a_slow_receiver_shows_as_waiting_at_its_switch() -> None:
    sim, _ = simulation()
    hca = sim.world.inventory.hca("dgx-02/mlx5_0")
    sim.world.pcie_links.update(f"dgx-02/{hca.address}", width=1)
    exchange.open_bundle(sim, "a", [flow(port(1, 0), port(2, 0), 390)])
    sim.advance(SECOND)
    drained = capacity.moves(sim.world, port(2, 0))
    assert abs(exchange.moved(sim.world, "a", sim.now) - drained // 8) < drained // 100_000
    stopped = 1 - drained / NDR
    ticks = counters.xmit_wait(sim.world, "leaf-01/5", sim.now)
    assert abs(ticks - stopped * 400 * GIGA / 64) < 10_000
    assert counters.xmit_wait(sim.world, port(1, 0), sim.now) > 0
    assert counters.xmit_wait(sim.world, port(3, 0), sim.now) == 0


def test_an_innocent_flow_behind_a_stopped_port_is_a_victim() -> None:
    sim, told = simulation()
    exchange.open_bundle(sim, "victim", [flow(port(1, 0), port(3, 0), 190)])
    for number, source in enumerate((port(1, 0), port(4, 0), port(4, 3), port(4, 4))):
        exchange.open_bundle(sim, f"s{number}", [flow(source, port(2, 0), 190)])
    assert exchange.share(sim.world, "victim") < WHOLE
    assert any("victim" in owners for owners in told)
    for number in range(4):
        exchange.close_bundle(sim, f"s{number}")
    assert exchange.share(sim.world, "victim") == WHOLE
    sim.advance(SECOND)
    ticks = counters.xmit_wait(sim.world, port(1, 0), sim.now)
    sim.advance(SECOND)
    assert counters.xmit_wait(sim.world, port(1, 0), sim.now) == ticks


def test_ethernet_without_switches_drops_what_its_receiver_does_not_take() -> None:
    sim, _ = simulation()
    for number, source in enumerate((1, 3)):
        exchange.open_bundle(sim, f"s{number}", [flow(port(source, 2), port(2, 2), 390)])
    sim.advance(SECOND)
    sent = sum(counters.packets_sent(sim.world, port(source, 2), sim.now) for source in (1, 3))
    arrived = counters.packets_received(sim.world, port(2, 2), sim.now)
    lost = counters.dropped(sim.world, f"network>{port(2, 2)}", sim.now)
    assert sent > arrived > 0 and abs((sent - arrived) * 1024 - lost) < 3 * 1024
    tcp, _ = simulation()
    for number, source in enumerate((1, 3)):
        exchange.open_bundle(tcp, f"s{number}", [flow(port(source, 2), port(2, 2), 390, tcp=True)])
    tcp.advance(SECOND)
    assert counters.dropped(tcp.world, f"network>{port(2, 2)}", tcp.now) == 0
    assert abs(counters.packets_received(tcp.world, port(2, 2), tcp.now) * 4 - arrived) < 8


def test_what_remains_for_a_newcomer() -> None:
    sim, _ = simulation()
    newcomer = flow(port(3, 0), port(2, 0), 390)
    assert exchange.offer(sim.world, newcomer) == 390 * GIGA
    exchange.open_bundle(sim, "a", [flow(port(1, 0), port(2, 0), 100)])
    assert exchange.offer(sim.world, newcomer) == NDR - 100 * GIGA
    digest = sim.state_digest()
    exchange.open_bundle(sim, "b", [flow(port(1, 3), port(2, 0), 390)])
    assert sim.state_digest() != digest
    assert abs(exchange.offer(sim.world, newcomer) - (NDR - 100 * GIGA) // 2) <= 1


def test_a_past_is_counted() -> None:
    sim, _ = simulation()
    exchange.open_bundle(sim, "job", [flow(port(1, 0), port(2, 0), 80)], since=-100 * SECOND)
    assert exchange.moved(sim.world, "job", 0) == 100 * 10 * GIGA
    packets = counters.packets_sent(sim.world, "leaf-01/5", 0)
    assert packets == 80 * GIGA // 8 // 4096 * 100
    exchange.open_bundle(sim, "job", [flow(port(1, 0), port(2, 0), 60)], since=-100 * SECOND)
    assert counters.packets_sent(sim.world, "leaf-01/5", 0) == packets


def test_a_node_that_goes_down_takes_its_flows_along() -> None:
    from engine.world.events import NodeStopping

    sim, told = simulation()
    exchange.open_bundle(sim, "a", [flow(port(1, 0), port(2, 0), 100)])
    exchange.open_bundle(sim, "b", [flow(port(3, 0), port(4, 0), 100)])
    sim.publish(NodeStopping("dgx-02", "crash", False))
    assert exchange.share(sim.world, "a") == 0 and exchange.share(sim.world, "b") == WHOLE
    assert told == [("a",)]


def test_forks_go_their_own_ways_and_reading_changes_nothing() -> None:
    sim, _ = simulation()
    exchange.open_bundle(sim, "a", [flow(port(1, 0), port(2, 0), 390)])
    exchange.open_bundle(sim, "b", [flow(port(3, 0), port(2, 0), 390)])
    twin = sim.fork()
    for one in (sim, twin):
        one.advance(SECOND)
        exchange.close_bundle(one, "a")
    digest = sim.state_digest()
    assert digest == twin.state_digest()
    counters.sent(sim.world, port(1, 0), sim.now)
    exchange.offer(sim.world, flow(port(4, 0), port(2, 0), 390))
    assert sim.state_digest() == digest
    exchange.close_bundle(twin, "b")
    assert twin.state_digest() != digest and exchange.share(sim.world, "b") == WHOLE


@pytest.mark.parametrize("end", ["sender", "receiver"])
def test_a_link_that_trains_slower_divides_anew(end: str) -> None:
    sim, told = simulation()
    ends = {"sender": port(1, 0), "receiver": port(2, 0)}
    exchange.open_bundle(sim, "a", [flow(ends["sender"], ends["receiver"], 390)])
    cable = sim.world.inventory.cables[ends[end]]
    links.change_cable(sim, cable, rate_limit=100)
    assert told == [("a",)]
    assert abs(exchange.share(sim.world, "a") - NDR // 4 * WHOLE // (390 * GIGA)) <= 2
    links.change_cable(sim, cable, rate_limit=None)
    assert exchange.share(sim.world, "a") == WHOLE


@pytest.mark.parametrize("end", ["sender", "receiver"])
def test_a_narrow_pcie_link_slows_what_its_card_moves(end: str) -> None:
    sim, told = simulation()
    ends = {"sender": port(1, 0), "receiver": port(2, 0)}
    exchange.open_bundle(sim, "a", [flow(ends["sender"], ends["receiver"], 390)])
    hca = sim.world.inventory.hca(ends[end].removesuffix("/1"))
    pcie.limit_link(sim, hca.node, hca.address, generation=None, width=8)
    assert told == [("a",)]
    assert 0.55 < exchange.share(sim.world, "a") / WHOLE < 0.61
    pcie.restore_link(sim, hca.node, hca.address)
    assert exchange.share(sim.world, "a") == WHOLE


def test_an_interface_that_is_set_down_stops_what_goes_over_it() -> None:
    sim, _ = simulation()
    ends = port(1, 2), port(2, 2)
    exchange.open_bundle(sim, "a", [flow(*ends, 50)])
    sim.apply(SetInterface("dgx-01", sim.world.inventory.hca("dgx-01/mlx5_2").netdev, up=False))
    assert exchange.share(sim.world, "a") == 0
    sim.apply(SetInterface("dgx-01", sim.world.inventory.hca("dgx-01/mlx5_2").netdev, up=True))
    assert exchange.share(sim.world, "a") == WHOLE
