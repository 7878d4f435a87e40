"""How switches spread flows: by hash, by load, over bundles; one seed for two stages; ways around what is broken."""

from __future__ import annotations

from collections import Counter

from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.physics.ethernet import connections, settings
from engine.physics.traffic import exchange, routes
from engine.world.records import WHOLE, Flow
from engine.world.world import World
from tests.support.roce_fabric import GIGA, nic, pod, send

ACROSS = [(nic(node, rail), nic(node + 8, other)) for node in range(1, 9) for rail in (0, 1) for other in (0, 1)]


def used(sim: Simulation[World], stage: int) -> Counter[str]:
    """How many ways across go over each link of a stage (1: leaf to spine, 2: spine to leaf)."""
    return Counter((routes.path(sim.world, *pair) or ())[stage] for pair in ACROSS)


def hashing(seed_of_spines: int | None) -> Simulation[World]:
    """The pod without adaptive routing; leaves with seed 0."""
    sim = pod()
    for leaf in ("leaf-01", "leaf-05"):
        sim.apply(settings.SetSwitch(leaf, (("adaptive", False), ("hash_seed", 0))))
    for spine in ("spine-01", "spine-02"):
        changes: settings.Changes = (("adaptive", False),)
        sim.apply(settings.SetSwitch(spine, changes if seed_of_spines is None else (*changes, ("hash_seed", 0))))
    return sim


def test_one_seed_for_both_stages_uses_half_of_the_second() -> None:
    own, same = hashing(None), hashing(0)
    assert len(used(own, 2)) > 12 and len(used(same, 2)) <= 8
    assert used(own, 1) == used(same, 1)


def test_flows_of_one_pair_keep_their_way_and_queue_pairs_spread() -> None:
    sim = hashing(None)
    assert routes.path(sim.world, *ACROSS[0]) == routes.path(sim.world, *ACROSS[0])
    parts = connections.queue_pairs(sim.world, Flow(*ACROSS[0], 390 * GIGA))
    assert sum(part.rate for part in parts) == 390 * GIGA and len({part.entropy for part in parts}) == len(parts) == 4
    exchange.open_bundle(sim, "job", parts)
    assert len({flow.links[1] for flow in sim.world.bundles["job"].flows}) > 1
    assert connections.queue_pairs(pod().world, Flow(*ACROSS[0], 390 * GIGA)) == [Flow(*ACROSS[0], 390 * GIGA)]


def test_adaptive_routing_fills_every_link_before_any_twice() -> None:
    sim = pod()
    pairs = [(nic(node, rail), nic(node + 8, rail)) for node in range(1, 9) for rail in (0, 1)]
    assert send(sim, "all", pairs) == WHOLE
    assert len({flow.links[1] for flow in sim.world.bundles["all"].flows}) == 16
    hashed = hashing(0)
    assert send(hashed, "all", pairs) < WHOLE


def test_a_bundle_is_spread_by_its_hash() -> None:
    sim = pod()
    pairs = [(nic(node, 4), nic(node - 8, 4)) for node in range(9, 17)]
    legs = {(routes.path(sim.world, *pair) or ())[1] for pair in pairs}
    sim.apply(settings.SetSwitch("leaf-07", (("lag_hash", "layer2"),)))
    fewer = {(routes.path(sim.world, *pair) or ())[1] for pair in pairs}
    assert len(legs) > 4 and len(fewer) <= 2


def test_flows_go_round_a_dead_link_and_come_back() -> None:
    sim = pod()
    send(sim, "one", [ACROSS[0]])
    link = sim.world.bundles["one"].flows[0].links[1]
    links.set_enabled(sim, link, False)
    assert link not in sim.world.bundles["one"].flows[0].links and exchange.share(sim.world, "one") == WHOLE
    assert sim.world.bundles["one"].detoured
    links.set_enabled(sim, link, True)
    assert not sim.world.bundles["one"].detoured


def test_a_route_by_hand_goes_first() -> None:
    sim = pod()
    sim.apply(settings.SetSwitch("leaf-01", (("routes", ((ACROSS[0][1], "leaf-01/80"),)),)))
    assert (routes.path(sim.world, *ACROSS[0]) or ())[1] == "leaf-01/80"
