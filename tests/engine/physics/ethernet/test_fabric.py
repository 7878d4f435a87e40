"""RoCE on the pod: what an incast does with and without ECN, PFC and headroom, what stops it; that all books agree."""

from __future__ import annotations

import pytest

from engine.kernel.actions import decode, encode
from engine.kernel.units import SECOND
from engine.physics import links
from engine.physics.ethernet import names, settings
from engine.physics.paths import fabric
from engine.physics.traffic import counters, exchange, ledger
from engine.world.records import WHOLE
from engine.world.records.ethernet import NONE, only
from tests.support.roce_fabric import GIGA, PRIORITY, WIRE, incast, leaf_port, nic, paused, pod, send


def test_an_incast_is_held_by_marks_alone() -> None:
    sim = pod()
    assert incast(sim, (2, 3, 4), 1) == WIRE // 3 * WHOLE // (390 * GIGA)
    sim.advance(SECOND)
    world = sim.world
    receiver, sender = world.roce_traffic[nic(1)].now, world.roce_traffic[nic(2)].now
    assert receiver.marked > receiver.told > 0 and receiver.told == 3 * sender.heard
    assert 0 < paused(sim, nic(2)) < 100 and counters.dropped(world, leaf_port(world, nic(1)), sim.now) == 0
    assert not any(volume.pauses for _, volume in world.traffic[nic(2)].now)


def test_without_marks_pause_holds_it_and_hurts_the_innocent() -> None:
    sim = pod()
    port = leaf_port(sim.world, nic(1))
    sim.apply(settings.SetPortQos((port,), (("marks", NONE),)))
    send(sim, "innocent", [(nic(2), nic(5))], 100)
    incast(sim, (2, 3, 4), 1)
    sim.advance(SECOND)
    assert paused(sim, nic(3)) > SECOND // 1000 // 2
    assert sim.world.roce_traffic[nic(1)].now.marked == 0
    send(sim, "innocent", [(nic(2), nic(5))], 390)
    assert exchange.share(sim.world, "innocent") < WHOLE * 4 // 10


def test_without_pause_and_marks_it_collapses() -> None:
    sim = pod()
    port, sources = leaf_port(sim.world, nic(1)), [leaf_port(sim.world, nic(node)) for node in (2, 3)]
    sim.apply(settings.SetPortQos((port,), (("marks", NONE),)))
    sim.apply(settings.SetPortQos(tuple(sources), (("pause_sent", NONE),)))
    assert incast(sim, (2, 3), 1) < WHOLE // 20
    sim.advance(SECOND)
    assert counters.dropped(sim.world, port, sim.now) > 0
    assert sim.world.roce_traffic[nic(2)].now.resent > 0 and sim.world.roce_traffic[nic(1)].now.gaps > 0


def test_settings_of_the_hosts_count() -> None:
    """DSCP that a leaf does not know, adapters that do not notify or do not listen."""
    for change in (
        (nic(2), (("traffic_class", 0),)),
        (nic(1), (("notifies", NONE),)),
        (nic(2), (("reacts", only(6)),)),
    ):
        sim = pod()
        incast(sim, (2, 3), 1)
        sim.apply(settings.SetRoce((change[0],), change[1]))
        plain = "traffic_class" in dict(change[1])
        assert (sim.world.roce_traffic[nic(2)].now.heard == 0) is not plain
        assert set(dict(sim.world.traffic[nic(2)].now)) == ({0} if plain else {PRIORITY})


def test_a_slow_receiver_pauses_its_leaf() -> None:
    sim = pod()
    settings.take(sim, nic(1), 100 * GIGA)
    send(sim, "one", [(nic(2), nic(1))])
    sim.advance(SECOND)
    assert exchange.share(sim.world, "one") == 100 * WHOLE // 390
    leaf = leaf_port(sim.world, nic(1))
    assert 700_000 < paused(sim, leaf) < 800_000 and paused(sim, nic(2)) < 100
    assert sim.world.roce_traffic[nic(2)].now.heard > 0
    settings.reset_port(sim, nic(1))
    assert exchange.share(sim.world, "one") == WHOLE


def test_small_headroom_loses_when_pause_goes_out() -> None:
    for metres, loses in ((40, False), (1, True)):
        sim = pod()
        ports = tuple(port for port in sim.world.inventory.cables if port.startswith("leaf-01/"))
        sim.apply(settings.SetPortQos(ports, (("cable_m", metres),)))
        incast(sim, (9, 10, 11), 1)
        sim.advance(SECOND)
        assert (sim.world.roce_traffic[nic(1)].total.gaps > 0) is loses
        assert (sum(counters.dropped(sim.world, port, sim.now) for port in sim.world.inventory.cables) > 0) is loses


def test_a_small_mtu_lets_small_packets_pass() -> None:
    sim = pod()
    port = leaf_port(sim.world, nic(1))
    sim.apply(settings.SetPortMtu((port,), 1500))
    assert fabric.between(sim.world, nic(2), nic(1)) is None
    assert fabric.between(sim.world, nic(2), nic(1), payload=1024) is not None
    assert send(sim, "one", [(nic(2), nic(1))]) == 0
    assert sim.world.roce_traffic[nic(2)].now.timeouts > 0
    sim.apply(settings.SetPortMtu((port,), None))
    assert exchange.share(sim.world, "one") == WHOLE


def test_a_bad_cable_is_noticed_at_both_ends_of_a_flow() -> None:
    sim = pod()
    links.change_cable(sim, sim.world.inventory.cables[nic(1)], error_exponent=9)
    send(sim, "one", [(nic(2), nic(1))])
    send(sim, "other", [(nic(3), nic(4))])
    sim.advance(SECOND)
    assert sim.world.roce_traffic[nic(2)].now.resent > 0 and sim.world.roce_traffic[nic(1)].now.gaps > 0
    assert not sim.world.roce_traffic[nic(3)].now.resent
    assert exchange.share(sim.world, "one") == WHOLE
    links.change_cable(sim, sim.world.inventory.cables[nic(1)], error_exponent=15)
    assert not sim.world.roce_traffic[nic(2)].now.resent


def test_ends_that_differ_in_correction_have_no_link() -> None:
    sim = pod()
    port = leaf_port(sim.world, nic(1))
    sim.apply(settings.SetPortFec(port, "baser"))
    assert not links.link_up(sim.world, port) and not links.link_up(sim.world, nic(1))
    sim.apply(settings.SetPortFec(port, ""))
    assert links.link_up(sim.world, nic(1))


def test_notifications_are_packets_of_their_own_priority_at_both_ends() -> None:
    sim = pod()
    world, leaf = sim.world, leaf_port(sim.world, nic(1))
    incast(sim, (2, 3), 1)
    sim.advance(SECOND)
    told = counters.packets_sent(world, nic(1), sim.now, 6)
    assert told == world.roce_traffic[nic(1)].now.told == counters.packets_received(world, leaf, sim.now, 6)
    heard = [counters.packets_sent(world, leaf_port(world, nic(node)), sim.now, 6) for node in (2, 3)]
    assert sum(heard) == told and counters.packets_received(world, nic(2), sim.now, 6) == heard[0]
    sim.apply(settings.SetRoce((nic(1),), (("cnp_priority", PRIORITY),)))
    sim.advance(SECOND)
    assert counters.packets_sent(world, nic(1), sim.now, 6) == told < counters.packets_sent(world, nic(1), sim.now, 3)


def test_what_a_port_notices_as_receiver_is_not_lost_when_it_sends() -> None:
    sim = pod()
    incast(sim, (2, 3), 1)
    before = sim.world.roce_traffic[nic(1)].now
    send(sim, "out", [(nic(1), nic(5))])
    send(sim, "more", [(nic(6), nic(5))])
    both = sim.world.roce_traffic[nic(1)].now
    assert both.told == before.told > 0 and both.heard > 0
    exchange.close_bundle(sim, "out")
    assert sim.world.roce_traffic[nic(1)].now == before


def test_both_ends_of_every_link_agree_after_ten_incasts() -> None:
    sim = pod()
    for turn in range(10):
        receiver, rail = 1 + turn * 7 % 16, turn % 8
        incast(sim, [1 + (receiver + step) % 16 for step in (1, 4, 9)], receiver, rail)
        sim.advance(SECOND * (turn + 1) // 3)
    world = sim.world
    for port, cable in world.inventory.cables.items():
        far = cable.other(port)
        for priority in (None, PRIORITY):
            assert counters.sent(world, port, sim.now, priority) == counters.received(world, far, sim.now, priority)
            packets = counters.packets_sent(world, port, sim.now, priority)
            assert packets == counters.packets_received(world, far, sim.now, priority)
        sent = counters.pauses_sent(world, far, sim.now, PRIORITY)
        assert sent == counters.pauses_received(world, port, sim.now, PRIORITY)
    assert sum(counters.sent(world, nic(node, rail), sim.now) for node in range(1, 17) for rail in range(8)) > 0


def test_changes_leave_the_books_as_if_nothing_had_been() -> None:
    sim = pod()
    incast(sim, (2, 3, 4), 1)
    before = {link: sim.world.traffic[link].now for link in sim.world.traffic.changed()}
    port = leaf_port(sim.world, nic(1))
    for changes in ((("marks", NONE),), (("marks", only(0, 3)),)):
        sim.apply(settings.SetPortQos((port,), changes))
    assert {link: sim.world.traffic[link].now for link in sim.world.traffic.changed()} == before
    exchange.close_bundle(sim, "incast 1")
    assert not any(sim.world.traffic[link].asked or sim.world.traffic[link].now for link in before)


@pytest.mark.parametrize(
    ("port", "name"),
    [("leaf-01/1", "swp1s0"), ("spine-02/18", "swp9s1"), ("leaf-07/1", "Ethernet0"), ("leaf-08/66", "Ethernet260")],
)
def test_names_of_ports(port: str, name: str) -> None:
    inventory = pod().world.inventory
    assert names.port_name(inventory, port) == name
    switch, _, number = port.partition("/")
    assert names.number_of(inventory.switches[switch], name) == int(number)
    assert names.number_of(inventory.switches[switch], "swp999") is None


def test_defaults_differ_by_operating_system() -> None:
    world = pod().world
    cumulus, sonic = world.port_qos["leaf-01/1"], world.port_qos["leaf-07/1"]
    assert (cumulus.classified(26), cumulus.classified(48), cumulus.classes[4]) == (3, 6, 0)
    assert (sonic.classified(26), sonic.classified(48), sonic.classified(24), sonic.classes[4]) == (3, 6, 1, 4)
    assert sonic.watchdog.on and not cumulus.watchdog.on
    assert ledger.profile(world, "leaf-01/65").headroom > ledger.profile(world, "leaf-07/65").headroom


def test_actions_survive_a_journal() -> None:
    for action in (
        settings.SetPortQos(("leaf-01/1",), (("marks", NONE), ("cable_m", 5))),
        settings.SetWatchdog(("leaf-07/1",), False),
        settings.SetRoce((nic(1),), (("traffic_class", None),)),
        settings.SetSwitch("leaf-01", (("routes", ((nic(1), "leaf-01/65"),)),)),
        settings.SetPortMtu(("leaf-01/1",), 1500),
        settings.SetPortFec("leaf-01/1", "baser"),
    ):
        assert decode(encode(action)) == action
