"""What must hold of any tables, whatever rule made them."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.control.subnet_manager.routing.engines import Routing, engine_order, route
from engine.control.subnet_manager.routing.fabric import NO_ROUTE, Fabric
from tests.engine.control.subnet_manager.routing import scenes
from tests.engine.control.subnet_manager.routing.drawings import Drawing, irregular, three_tier, two_tier

GRAPHS = st.builds(
    irregular,
    switches=st.integers(2, 15),
    degree=st.integers(2, 5),
    adapters=st.integers(2, 50),
    seed=st.integers(0, 10_000),
)
TREES = st.one_of(
    st.builds(two_tier, st.integers(2, 6), st.integers(1, 4), st.integers(1, 8), cables=st.integers(1, 3)),
    st.builds(three_tier, st.sampled_from([16, 32, 64]), st.just(8)),
)


def hops(known: Fabric, start: int) -> dict[int, int]:
    """Switches that cables join to one, with their distance."""
    found, waiting = {start: 0}, deque([start])
    while waiting:
        switch = waiting.popleft()
        for far in known.peers[switch]:
            if far >= 0 and far not in found:
                found[far] = found[switch] + 1
                waiting.append(far)
    return found


def homes(known: Fabric) -> dict[int, int]:
    """The switch at which each LID ends."""
    switches = {lid: switch for switch, lid in enumerate(known.switch_lids)}
    return switches | dict(zip(known.end_lids, known.end_switches, strict=True))


@given(GRAPHS)
def test_minhop_takes_shortest_paths_to_everything(drawing: Drawing) -> None:
    known = scenes.fabric(drawing.text())
    tables = route(known).tables
    for switch in range(len(known.switch_guids)):
        distance = hops(known, switch)
        for lid, home in homes(known).items():
            way = scenes.path(known, tables, switch, lid)
            assert way is not None and way[-1] == home
            assert len(way) - 1 == distance[home]


@given(TREES, st.integers(0, 8), st.integers(0, 1000))
def test_updn_never_goes_up_after_down(drawing: Drawing, lost: int, seed: int) -> None:
    """On trees, whatever is broken; where cables join switches of one rank, opensm's own rule does not hold it."""
    cables = min(lost, len(drawing.switch_sockets()) // 2)
    known = scenes.fabric(drawing.damaged(cables=cables, seed=seed).text())
    top = "core" if any(device.name.startswith("core") for device in drawing.devices) else "spine"
    roots = [device.guid for device in drawing.devices if device.name.startswith(top)]
    routing = route(known, engine_order("updn,no_fallback"), roots=roots)
    assert_legal(known, routing, roots)
    assert not credit_loop(known, routing)


@given(GRAPHS)
def test_with_one_root_updn_reaches_everything(drawing: Drawing) -> None:
    known = scenes.fabric(drawing.text())
    routing = route(known, engine_order("updn"), roots=known.switch_guids[:1])
    for switch in range(len(known.switch_guids)):
        assert all(scenes.path(known, routing.tables, switch, lid) for lid in homes(known))


@given(TREES, st.sampled_from(["minhop", "updn", "ftree"]))
def test_all_pairs_of_adapters_meet_in_fat_trees(drawing: Drawing, engine: str) -> None:
    known = scenes.fabric(drawing.text())
    routing = route(known, engine_order(engine))
    for leaf in known.leaves:
        for lid, home in zip(known.end_lids, known.end_switches, strict=True):
            way = scenes.path(known, routing.tables, leaf, lid)
            assert way is not None and way[-1] == home
    assert not credit_loop(known, routing)


@pytest.mark.parametrize("engine", ["minhop", "updn", "ftree"])
def test_uplinks_carry_the_same(engine: str) -> None:
    """Each leaf sends to 40 adapters elsewhere through 8 cables."""
    known = scenes.fabric(two_tier(6, 4, 8, cables=2).text())
    tables = route(known, engine_order(engine)).tables
    for leaf in known.leaves:
        own = {lid for _, lid in known.ends_of[leaf]}
        used = Counter(tables[known.switch_guids[leaf]][lid] for lid in known.end_lids if lid not in own)
        assert sorted(used.values()) == [5] * 8


def test_minhop_balances_damage_within_one_route() -> None:
    known = scenes.fabric(two_tier(6, 4, 8, cables=2).damaged(cables=4).text())
    tables = route(known).tables
    for leaf in known.leaves:
        ports = tables[known.switch_guids[leaf]]
        ways = {lid: tuple(port for port in range(9, 17) if known.peers[leaf][port] >= 0) for lid in known.end_lids}
        used = Counter(ports[lid] for lid in known.end_lids if ports[lid] in ways[lid])
        assert max(used.values()) - min(used.values()) <= max(1, len(known.end_lids) // 8)
        assert set(used) <= set(ways[known.end_lids[0]])


def test_minhop_has_a_credit_loop_in_a_ring_and_updn_none() -> None:
    drawing = ring(5)
    known = scenes.fabric(drawing.text())
    assert credit_loop(known, route(known))
    roots = known.switch_guids[:1]
    assert not credit_loop(known, route(known, engine_order("updn"), roots=roots))


def ring(count: int) -> Drawing:
    drawing = Drawing()
    ends = [drawing.adapter(f"host{n}", 0x100 + n * 0x10) for n in range(count)]
    switches = [drawing.switch(8, f"sw{n}", 0x10000 + n * 0x100) for n in range(count)]
    for n, end in enumerate(ends):
        drawing.cable((end, 1), (switches[n], 1))
        drawing.cable((switches[n], 2), (switches[(n + 1) % count], 3))
    return drawing


def ranks(known: Fabric, roots: Sequence[int]) -> list[int]:
    from_roots = [hops(known, known.switch_index[root]) for root in roots if root in known.switch_index]
    return [min(distance[switch] for distance in from_roots) for switch in range(len(known.switch_guids))]


def assert_legal(known: Fabric, routing: Routing, roots: Sequence[int]) -> None:
    """No way goes up again after it went down."""
    rank = ranks(known, roots) if routing.engine else []
    for switch in range(len(rank)):
        for lid in homes(known):
            way = scenes.path(known, routing.tables, switch, lid) or []
            ups = [rank[near] > rank[far] for near, far in pairwise(way)]
            assert ups == sorted(ups, reverse=True), (way, rank)


def credit_loop(known: Fabric, routing: Routing) -> bool:
    """Whether packets between adapters can wait for each other in a circle: a circle among cables (in one direction) of
    which each one's packets go on over the next.
    """
    if routing.engine is None:
        return False
    waits: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for leaf in known.leaves:
        for lid in known.end_lids:
            way = [leaf]
            links = []
            while (port := routing.tables[known.switch_guids[way[-1]]][lid]) != NO_ROUTE:
                far = known.peers[way[-1]][port]
                if far < 0:
                    break
                links.append((way[-1], port))
                way.append(far)
            for first, second in pairwise(links):
                waits.setdefault(first, set()).add(second)
    return _has_circle(waits)


def _has_circle(waits: dict[tuple[int, int], set[tuple[int, int]]]) -> bool:
    incoming = Counter(second for seconds in waits.values() for second in seconds)
    free = [link for link in waits if not incoming[link]]
    left = set(waits)
    while free:
        link = free.pop()
        left.discard(link)
        for second in waits.get(link, ()):
            incoming[second] -= 1
            if not incoming[second]:
                free.append(second)
    return bool(left)
