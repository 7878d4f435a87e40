"""Counters of adapters: both ends of a link agree, pause and notifications follow from the traffic."""

from __future__ import annotations

from engine.control import ethernet_counters
from engine.control.ethernet_counters import Reading
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.physics.ethernet import past
from engine.physics.traffic import counters
from engine.world.world import World
from tests.support.roce_pod import incast, pod


def grown(simulation: Simulation[World], host: str) -> dict[str, int]:
    """What the counters of a node's first adapter grow by in ten seconds."""
    hca = simulation.world.inventory.hca(f"{host}/mlx5_0")
    before = ethernet_counters.hardware(simulation.world, hca, simulation.now)
    later = simulation.fork()
    later.advance(10 * SECOND)
    after = ethernet_counters.hardware(later.world, hca, later.now)
    return {name: after[name] - before[name] for name in after if after[name] != before[name]}


def reading(simulation: Simulation[World], host: str) -> Reading:
    return Reading(simulation.world, simulation.world.inventory.hca(f"{host}/mlx5_0"), simulation.now)


def test_receivers_notify_and_senders_hear_it() -> None:
    simulation = pod()
    incast(simulation)
    receiver, sender = grown(simulation, "hgx-03"), grown(simulation, "hgx-01")
    assert receiver["np_ecn_marked_roce_packets"] >= receiver["np_cnp_sent"] > 0
    heard = sum(grown(simulation, host)["rp_cnp_handled"] for host in ("hgx-01", "hgx-02", "hgx-04"))
    assert heard == receiver["np_cnp_sent"] and "np_cnp_sent" not in sender


def test_without_notifications_pause_does_the_work_and_both_ends_count_it() -> None:
    simulation = pod()
    simulation.apply(parse_fault("roce.host_ecn_off target=hgx-03"))
    incast(simulation)
    simulation.advance(10 * SECOND)
    assert "np_cnp_sent" not in grown(simulation, "hgx-03")
    port = "hgx-01/mlx5_0/1"
    far = links.peer(simulation.world.inventory, port)
    assert far is not None
    came = reading(simulation, "hgx-01").pauses(3, sent=False) - past.pauses(simulation.world, port, 3)
    assert came == counters.pauses_sent(simulation.world, far, simulation.now, 3) > 100_000
    assert reading(simulation, "hgx-01").paused(3, sent=False) > SECOND // 1000


def test_bytes_are_counted_in_the_priority_of_the_settings() -> None:
    usual, lost = pod(), pod()
    lost.apply(parse_fault("roce.host_settings_lost target=hgx-01"))
    for simulation, inside in ((usual, 3), (lost, 0)):
        incast(simulation)
        before = {number: reading(simulation, "hgx-01").bytes_of(number, sent=True) for number in (0, 3)}
        simulation.advance(10 * SECOND)
        more = {number: reading(simulation, "hgx-01").bytes_of(number, sent=True) - before[number] for number in (0, 3)}
        assert more[inside] > 100_000_000_000 and more[3 - inside] < 1_000_000


def test_a_port_has_a_past() -> None:
    found = reading(pod(), "hgx-01")
    assert found.bytes_of(3, sent=True) > 10**13 and found.noticed().told > 0 and found.pauses(3, sent=False) > 0
