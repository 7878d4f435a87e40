"""Ways that forwarding tables name: hop by hop, and where they end."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from engine.physics import links
from engine.physics.traffic import forwarding, routes
from engine.world.first_sweep import FirstSweep
from engine.world.records import ForwardingTable
from engine.world.world import World
from tests.support.worlds import inventory

SOURCE, FAR, BESIDE = "dgx-01/mlx5_0/1", "dgx-02/mlx5_6/1", "dgx-02/mlx5_0/1"
LIDS = {SOURCE: 1, FAR: 2, BESIDE: 3}
FIRST, SPINE, LAST = "leaf-01", "spine-01", "leaf-02"


@dataclass
class Tables:
    """Three switches of the site on one way, with tables of our own."""

    up: int = 33
    rows: dict[str, bytearray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        below = links.peer(inventory(), f"{FIRST}/{self.up}")
        home = links.peer(inventory(), FAR)
        down = next(
            number
            for number in range(1, 65)
            if (links.peer(inventory(), f"{SPINE}/{number}") or "").startswith(f"{LAST}/")
        )
        assert below and below.startswith(f"{SPINE}/") and home and home.startswith(f"{LAST}/")
        self.rows = {name: bytearray([255] * 4) for name in (FIRST, SPINE, LAST)}
        self.rows[FIRST][2], self.rows[SPINE][2], self.rows[LAST][2] = self.up, down, int(home.partition("/")[2])

    def world(self) -> World:
        tables = {name: bytes(row) for name, row in self.rows.items()}
        return World(inventory(), 1, FirstSweep(lambda _: LIDS, lambda _: tables))


def test_the_way_is_the_one_of_the_tables() -> None:
    tables = Tables()
    found = routes.path(tables.world(), SOURCE, FAR)
    assert found == tuple([SOURCE, *(f"{name}/{tables.rows[name][2]}" for name in (FIRST, SPINE, LAST))])
    tables.rows[FIRST][2] = 34
    assert (routes.path(tables.world(), SOURCE, FAR) or ())[1] == "leaf-01/34"


@pytest.mark.parametrize("switch", [FIRST, SPINE, LAST])
def test_it_ends_where_a_table_has_no_entry(switch: str) -> None:
    world = Tables().world()
    assert routes.path(world, SOURCE, FAR)
    world.forwarding[switch] = ForwardingTable(bytes([255] * 4))
    assert routes.path(world, SOURCE, FAR) is None
    world.forwarding[switch] = ForwardingTable(b"\xff\xff")
    assert routes.path(world, SOURCE, FAR) is None


def test_it_ends_at_an_adapter_with_another_lid() -> None:
    tables = Tables()
    tables.rows[LAST][2] -= 1
    assert links.peer(inventory(), f"{LAST}/{tables.rows[LAST][2]}")
    assert routes.path(tables.world(), SOURCE, FAR) is None


def test_a_circle_is_no_way() -> None:
    tables = Tables()
    back = links.peer(inventory(), f"{FIRST}/{tables.up}")
    assert back
    tables.rows[SPINE][2] = int(back.partition("/")[2])
    assert routes.path(tables.world(), SOURCE, FAR) is None


def test_a_port_that_waits_for_the_manager_passes_nothing() -> None:
    world = Tables().world()
    world.ports.update(f"{FIRST}/33", initialized=False)
    assert routes.path(world, SOURCE, FAR) is None and not forwarding.active(world, f"{FIRST}/33")
    far = links.peer(inventory(), f"{FIRST}/33")
    assert far and links.link_up(world, far) and not forwarding.active(world, far)


def test_a_port_without_a_lid_is_not_reached() -> None:
    world = Tables().world()
    world.ports.update(FAR, lid=0)
    assert forwarding.lid(world, FAR) == 0 and routes.path(world, SOURCE, FAR) is None


def test_switches_that_nobody_programs_find_shortest_ways() -> None:
    world = World(inventory(), 1)
    assert not forwarding.governs(world, FIRST) and forwarding.governs(Tables().world(), FIRST)
    assert routes.path(world, SOURCE, BESIDE) == (SOURCE, "leaf-01/5")
    assert routes.path(Tables().world(), SOURCE, BESIDE) is None
