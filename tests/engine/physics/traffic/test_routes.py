"""Ways through a fabric: shortest, spread by destination, around what is broken."""

from __future__ import annotations

from collections import Counter

import pytest

from engine.physics import links
from engine.physics.traffic import capacity, routes
from engine.world.records import Power
from engine.world.world import World
from tests.support.large_site import shared_inventory
from tests.support.worlds import bare_simulation

LEAF_02 = [f"dgx-0{node}/mlx5_{hca}/1" for node in range(1, 5) for hca in (6, 9, 10, 11)]
SOURCE, FAR = "dgx-01/mlx5_0/1", "dgx-02/mlx5_6/1"


@pytest.fixture
def world() -> World:
    return bare_simulation().world


def joined(world: World, way: tuple[str, ...] | None, destination: str) -> bool:
    """Whether each port's cable leads to the device of the next, and the last one's to the destination."""
    assert way
    ends = [links.peer(world.inventory, port) for port in way]
    devices = [(end or "").rpartition("/")[0] for end in ends[:-1]]
    return ends[-1] == destination and devices == [port.rpartition("/")[0] for port in way[1:]]


def test_on_one_leaf_and_across(world: World) -> None:
    assert routes.path(world, SOURCE, "dgx-02/mlx5_0/1") == (SOURCE, "leaf-01/5")
    way = routes.path(world, SOURCE, FAR)
    assert way and len(way) == 4 and joined(world, way, FAR)


def test_destinations_are_spread_over_all_cables(world: World) -> None:
    ways = [routes.path(world, SOURCE, port) or () for port in LEAF_02]
    assert len({way[1] for way in ways}) == len({way[2] for way in ways}) == 16


def test_whoever_sends_to_a_destination_goes_the_same_way(world: World) -> None:
    assert (routes.path(world, SOURCE, FAR) or ())[1:] == (routes.path(world, "dgx-03/mlx5_4/1", FAR) or ())[1:]


def test_a_broken_cable_is_gone_around_and_nothing_else_moves(world: World) -> None:
    before = {port: routes.path(world, SOURCE, port) or () for port in LEAF_02}
    world.ports.update(before[FAR][1], enabled=False)
    after = {port: routes.path(world, SOURCE, port) or () for port in LEAF_02}
    assert [port for port in LEAF_02 if after[port] != before[port]] == [FAR]
    assert len(after[FAR]) == 4 and joined(world, after[FAR], FAR)


def test_a_spine_without_cables_to_the_leaf_is_no_way(world: World) -> None:
    router = routes.Router(world)
    assert router.path(SOURCE, FAR) and router.detours == 0
    for number in range(1, 17):
        far = links.peer(world.inventory, f"spine-01/{number}")
        if far and far.startswith("leaf-02"):
            world.ports.update(f"spine-01/{number}", enabled=False)
    router = routes.Router(world)
    for port in LEAF_02:
        way = router.path(SOURCE, port)
        assert way and joined(world, way, port) and way[2].startswith("spine-02")
    assert router.detours


def test_no_way(world: World) -> None:
    assert routes.path(world, SOURCE, "dgx-02/mlx5_1/1") is None
    world.nodes.update("dgx-02", power=Power.OFF)
    assert routes.path(world, SOURCE, "dgx-02/mlx5_0/1") is None
    assert routes.path(world, "dgx-01/mlx5_2/1", "dgx-02/mlx5_2/1") is None
    assert routes.Router(bare_simulation().world, down=[SOURCE]).path(SOURCE, FAR) is None


def test_a_network_that_is_left_out(world: World) -> None:
    way = routes.path(world, "dgx-01/mlx5_2/1", "dgx-02/mlx5_2/1")
    assert way == ("dgx-01/mlx5_2/1", routes.unseen("dgx-02/mlx5_2/1"))
    assert routes.end_of_unseen(way[1]) == "dgx-02/mlx5_2/1" and routes.end_of_unseen(way[0]) is None
    assert routes.path(world, "dgx-01/mlx5_2/1", SOURCE) is None


def test_three_tiers_are_spread_on_every_level() -> None:
    world = World(shared_inventory(), 1)
    router = routes.Router(world)
    busy: list[Counter[str]] = [Counter() for _ in range(6)]
    for node in range(1, 33):
        destination = f"dgx-{node * 64:04d}/mlx5_3/1"
        way = router.path(f"dgx-{node:04d}/mlx5_0/1", destination) or ()
        assert joined(world, way, destination)
        if len(way) == 6:
            for level, port in enumerate(way):
                busy[level][port] += 1
    # Thirty-two senders below one leaf, one destination in each of thirty-two units.
    assert sum(busy[1].values()) > 25 and all(max(level.values()) <= 5 for level in busy)


def test_what_links_carry(world: World) -> None:
    assert capacity.carries(world, SOURCE) == pytest.approx(392.7e9, rel=1e-4)
    assert capacity.carries(world, "dgx-01/mlx5_2/1") == pytest.approx(392.15e9, rel=1e-4)
    assert capacity.carries(world, SOURCE, 2048) < capacity.carries(world, SOURCE)
    assert capacity.moves(world, SOURCE) > capacity.sends(world, SOURCE) == capacity.carries(world, SOURCE)
    hca = world.inventory.hca("dgx-01/mlx5_0")
    world.pcie_links.update(f"dgx-01/{hca.address}", width=8)
    assert capacity.sends(world, SOURCE) == capacity.moves(world, SOURCE) == pytest.approx(228.8e9, rel=1e-3)
    world.ports.update(SOURCE, enabled=False)
    assert capacity.sends(world, SOURCE) == 0
