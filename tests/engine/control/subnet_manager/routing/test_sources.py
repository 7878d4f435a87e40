"""Fabrics of worlds: what is up and joined to the manager's port, with the LIDs that are latched."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from engine.control.subnet_manager import lids
from engine.control.subnet_manager.routing.engines import engine_order, route
from engine.control.subnet_manager.routing.fabric import NO_ROUTE, Fabric
from engine.control.subnet_manager.routing.sources import fabric_of_world, whole_fabric
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.inventory import Switch
from engine.world.records import Power
from engine.world.world import World
from tests.engine.control.subnet_manager.routing import scenes
from tests.support import large_site
from tests.support.worlds import bare_simulation


@pytest.fixture
def simulation() -> Simulation[World]:
    return bare_simulation()


def seen(simulation: Simulation[World]) -> Fabric:
    found = fabric_of_world(simulation.world)
    assert found
    return found


def guid(simulation: Simulation[World], port: str) -> int:
    return lids.port_guid(simulation.world.inventory, lids.end_port(port))


def test_a_new_site(simulation: Simulation[World]) -> None:
    known, inventory = seen(simulation), simulation.world.inventory
    assert scenes.lids(known) == {guid(simulation, end): lid for end, lid in lids.fresh_lids(inventory).items()}
    assert len(known.switch_guids) == 4 and len(known.end_guids) == 33
    leaf = known.switch_index[inventory.switches["leaf-01"].guid]
    spine = known.switch_index[inventory.switches["spine-02"].guid]
    assert [known.peers[leaf][port] for port in (17, 33, 41, 48)] == [
        -1,
        known.switch_index[inventory.switches["spine-01"].guid],
        spine,
        spine,
    ]
    assert (17, 1) in known.ends_of[leaf]


def test_it_costs_no_state_and_is_made_once(simulation: Simulation[World]) -> None:
    before = simulation.world.digest()
    assert seen(simulation) is seen(simulation)
    assert simulation.world.digest() == before


def test_a_disabled_port_takes_its_cable_away(simulation: Simulation[World]) -> None:
    links.set_enabled(simulation, "leaf-01/33", False)
    known = seen(simulation)
    leaf = known.switch_index[guid(simulation, "leaf-01/0")]
    assert known.peers[leaf][33] == -1 and known.peers[leaf][34] >= 0
    spine = known.switch_index[guid(simulation, "spine-01/0")]
    assert known.peers[spine].count(leaf) == 7


def test_a_pulled_cable_takes_an_adapter_away_and_its_lid_stays_taken(simulation: Simulation[World]) -> None:
    whole = seen(simulation)
    cable = links.cable(simulation.world.inventory, "dgx-02/mlx5_3/1")
    assert cable
    links.change_cable(simulation, cable, plugged=False)
    known = seen(simulation)
    assert guid(simulation, "dgx-02/mlx5_3/1") not in known.end_guids
    assert len(known.end_guids) == 32 and known.highest_lid == whole.highest_lid
    links.change_cable(simulation, cable, plugged=True)
    assert seen(simulation) == whole


def test_a_node_that_is_off_has_no_links(simulation: Simulation[World]) -> None:
    simulation.world.nodes.update("dgx-03", power=Power.OFF)
    known = seen(simulation)
    assert len(known.end_guids) == 25
    assert not {guid(simulation, hca.port) for hca in simulation.world.node("dgx-03").hcas} & set(known.end_guids)


def test_nothing_that_is_down_is_overlooked(simulation: Simulation[World]) -> None:
    """Whatever changed, a cable is in the fabric exactly when its link is up."""
    world, inventory = simulation.world, simulation.world.inventory
    links.set_enabled(simulation, "spine-02/3", False)
    world.systems.update("dgx-01", modules={"mlx5_core": None})
    cables = [cable for port in ("leaf-02/35", "leaf-01/2") if (cable := links.cable(inventory, port))]
    links.change_cable(simulation, cables[0], error_exponent=5)
    links.change_cable(simulation, cables[1], plugged=False)
    known = seen(simulation)
    for port, cable in inventory.cables.items():
        place = links.place(inventory, port)
        if place.ethernet or not isinstance(place.device, Switch):
            continue
        switch, far = known.switch_index[place.device.guid], links.place(inventory, cable.other(port)).device
        if isinstance(far, Switch):
            found = known.peers[switch][place.number] == known.switch_index[far.guid]
        else:
            found = far.port_guid in known.end_guids
        assert found == links.link_up(world, port), port


def test_a_spine_that_lost_all_its_cables_is_not_found(simulation: Simulation[World]) -> None:
    before = seen(simulation)
    tables = route(before).tables
    for port in range(1, 17):
        links.set_enabled(simulation, f"spine-01/{port}", False)
    after = seen(simulation)
    assert len(after.switch_guids) == 3
    kept = route(after, previous=tables).tables
    leaf = guid(simulation, "leaf-01/0")
    stays = [lid for lid in after.end_lids if tables[leaf][lid] >= 41 or tables[leaf][lid] < 33]
    assert stays and all(kept[leaf][lid] == tables[leaf][lid] for lid in stays)
    assert kept[leaf][scenes.lids(before)[guid(simulation, "spine-01/0")]] == NO_ROUTE
    assert all(kept[leaf][lid] != NO_ROUTE for lid in after.end_lids)


def test_a_lid_that_was_given_later_is_used(simulation: Simulation[World]) -> None:
    simulation.world.ports.update("dgx-01/mlx5_0/1", lid=77)
    known = seen(simulation)
    assert scenes.lids(known)[guid(simulation, "dgx-01/mlx5_0/1")] == 77 and known.highest_lid == 77


def test_every_adapter_reaches_every_other(simulation: Simulation[World]) -> None:
    known = seen(simulation)
    for engine in ("minhop", "updn", "ftree"):
        tables = route(known, engine_order(engine)).tables
        assert all(scenes.path(known, tables, leaf, lid) for leaf in known.leaves for lid in known.end_lids)


@pytest.mark.slow
def test_a_site_of_2048_nodes() -> None:
    inventory = large_site.shared_inventory()
    manager = inventory.node("dgx-0001").hcas[0].port_guid
    known = whole_fabric(inventory, manager)
    cabled = [hca for name in inventory.node_names for hca in inventory.node(name).hcas if hca.port in inventory.cables]
    assert len(known.switch_guids) == len({switch.guid for switch in inventory.switches.values()})
    assert len(known.end_guids) == len({hca.port_guid for hca in cabled}) > 16_000
    for engine in ("minhop", "updn", "ftree"):
        routing = route(known, engine_order(engine))
        assert routing.engine == engine
        for leaf, lid in zip(known.leaves[::37], known.end_lids[::1171], strict=False):
            way = scenes.path(known, routing.tables, leaf, lid)
            assert way is not None and len(way) in (1, 3, 5)


def test_the_subnet_manager_does_not_load_numpy(project: Path) -> None:
    modules = "engine.control.subnet_manager.sweep, engine.control.subnet_manager.routing.engines"
    sources = "engine.control.subnet_manager.routing.sources, engine.control.subnet_manager.routing.dump"
    body = f"import sys, {modules}, {sources}; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", body], cwd=project, check=False).returncode == 0
