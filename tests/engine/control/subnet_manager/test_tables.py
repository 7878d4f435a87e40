"""Forwarding tables in switches: what a sweep writes after losses and gains, and what stays without a manager."""

from __future__ import annotations

import pytest

from engine.control.subnet_manager import lids
from engine.control.subnet_manager.configuration import FABRIC
from engine.control.subnet_manager.routing.engines import route
from engine.control.subnet_manager.routing.sources import fabric_of_world
from engine.control.subnet_manager.tables import first_tables
from engine.control.systemd import StartUnit, StopUnit
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.physics.traffic import exchange, routes
from engine.simulation import open_site
from engine.world.records import WHOLE, Flow, ForwardingTable
from engine.world.world import World

SOURCE, FAR, UNIT = "dgx-01/mlx5_0/1", "dgx-02/mlx5_6/1", "opensm.service"
HEAD, LEAF = "head-01", "leaf-01"
GIGA = 1_000_000_000


@pytest.fixture(scope="module")
def site() -> Simulation[World]:
    return open_site("dgx-h100-4", 1)


@pytest.fixture
def simulation(site: Simulation[World]) -> Simulation[World]:
    return site.fork()


def way(simulation: Simulation[World], destination: str = FAR) -> tuple[str, ...] | None:
    return routes.path(simulation.world, SOURCE, destination)


def uplink(simulation: Simulation[World]) -> str:
    """The leaf's port on the way."""
    found = way(simulation)
    assert found
    return found[1]


def ends(simulation: Simulation[World]) -> list[str]:
    """Adapters' ports that have a LID."""
    return [end for end in lids.fresh_lids(simulation.world.inventory) if end.count("/") == 2]


def ways(simulation: Simulation[World]) -> dict[tuple[str, str], tuple[str, ...] | None]:
    """Between all adapters."""
    router, found = routes.Router(simulation.world), ends(simulation)
    return {(a, b): router.path(a, b) for a in found for b in found if a != b}


def texts(simulation: Simulation[World]) -> list[str]:
    return [line.text for line in simulation.world.logs[HEAD].entries if line.source == "OpenSM"]


def test_a_new_site_has_the_tables_of_a_first_sweep_and_they_cost_no_state(simulation: Simulation[World]) -> None:
    world = simulation.world
    fabric = fabric_of_world(world)
    assert fabric
    tables = route(fabric).tables
    for name, switch in world.inventory.switches.items():
        if switch.kind == "infiniband":
            assert world.forwarding[name].entries == tables[switch.guid] == first_tables(world.inventory)[name]
    assert world.forwarding.changed() == []


def test_every_adapter_reaches_every_other(simulation: Simulation[World]) -> None:
    for (_, destination), found in ways(simulation).items():
        assert found and links.peer(simulation.world.inventory, found[-1]) == destination


def test_a_lost_entry_cuts_off_exactly_those_who_use_it(simulation: Simulation[World]) -> None:
    world, before = simulation.world, ways(simulation)
    entries = bytearray(world.forwarding[LEAF].entries)
    entries[lids.lid(world, FAR)] = 255
    world.forwarding[LEAF] = ForwardingTable(bytes(entries))
    after = ways(simulation)
    users = {
        pair for pair, found in before.items() if pair[1] == FAR and any(p.startswith("leaf-01/") for p in found or ())
    }
    assert len(users) > 10
    assert {pair for pair, found in after.items() if found is None} == users
    assert all(after[pair] == before[pair] for pair in before if pair not in users)


def test_a_lost_link_stops_its_flows_until_the_sweep(simulation: Simulation[World]) -> None:
    port, before = uplink(simulation), ways(simulation)
    exchange.open_bundle(simulation, "job", [Flow(SOURCE, FAR, 100 * GIGA)])
    links.set_enabled(simulation, port, False)
    assert way(simulation) is None and exchange.share(simulation.world, "job") == 0
    simulation.advance(2 * SECOND)
    other = way(simulation)
    assert other and other[1] != port and exchange.share(simulation.world, "job") == WHOLE
    assert simulation.world.bundles["job"].flows[0].links == other
    cable = {port, links.peer(simulation.world.inventory, port)}
    others = [pair for pair, found in before.items() if cable.isdisjoint(found or ())]
    after = ways(simulation)
    assert others and all(after[pair] == before[pair] for pair in others)
    assert "osm_ucast_mgr_process: minhop tables configured on all switches" in texts(simulation)


def test_a_link_that_comes_back_is_used_as_before(simulation: Simulation[World]) -> None:
    port, before = uplink(simulation), ways(simulation)
    for on in (False, True):
        links.set_enabled(simulation, port, on)
        simulation.advance(2 * SECOND)
    assert ways(simulation) == before and simulation.world.forwarding.changed() == []


def test_what_passes_is_counted_on_the_new_way(simulation: Simulation[World]) -> None:
    port = uplink(simulation)
    exchange.open_bundle(simulation, "job", [Flow(SOURCE, FAR, 100 * GIGA)])
    links.set_enabled(simulation, port, False)
    simulation.advance(2 * SECOND)
    asked = [simulation.world.traffic[name].asked for name in (port, uplink(simulation))]
    assert asked[0] == 0 and asked[1] >= 100 * GIGA


def test_without_a_manager_nothing_is_gone_around(simulation: Simulation[World]) -> None:
    port = uplink(simulation)
    simulation.apply(StopUnit(HEAD, UNIT, "root"))
    assert way(simulation)
    links.set_enabled(simulation, port, False)
    simulation.advance(60 * SECOND)
    assert way(simulation) is None and way(simulation, "dgx-02/mlx5_0/1")
    links.set_enabled(simulation, port, True)
    simulation.advance(60 * SECOND)
    assert way(simulation) is None  # the link is there, and nobody makes it Active
    simulation.apply(StartUnit(HEAD, UNIT, "root"))
    simulation.advance(5 * SECOND)
    assert uplink(simulation) == port


def test_a_manager_that_starts_finds_other_ways(simulation: Simulation[World]) -> None:
    port = uplink(simulation)
    simulation.apply(StopUnit(HEAD, UNIT, "root"))
    links.set_enabled(simulation, port, False)
    simulation.advance(60 * SECOND)
    simulation.apply(StartUnit(HEAD, UNIT, "root"))
    simulation.advance(5 * SECOND)
    assert uplink(simulation) != port
    fabric = fabric_of_world(simulation.world)
    assert fabric
    fresh = route(fabric).tables
    known = simulation.world.inventory.switches
    assert all(simulation.world.forwarding[name].entries == fresh[switch.guid] for name, switch in known.items()
               if switch.guid in fresh)  # fmt: skip


def test_a_spine_that_is_lost_keeps_its_table_and_is_one_sweep(simulation: Simulation[World]) -> None:
    world = simulation.world
    kept = world.forwarding["spine-01"].entries
    for number in range(1, 17):
        links.set_enabled(simulation, f"spine-01/{number}", False)
    simulation.advance(2 * SECOND)
    assert all(found and not any(port.startswith("spine-01") for port in found) for found in ways(simulation).values())
    assert world.forwarding["spine-01"].entries == kept and world.forwarding[LEAF] != ForwardingTable(kept)
    assert texts(simulation).count("SUBNET UP") == 1
    guid = world.inventory.switches["spine-01"].guid
    assert any(
        text.startswith(f"drop_mgr_remove_port: Removed port with GUID:0x{guid:016x}") for text in texts(simulation)
    )
    for number in range(1, 17):
        links.set_enabled(simulation, f"spine-01/{number}", True)
    simulation.advance(2 * SECOND)
    assert world.forwarding.changed() == []
    assert any(f"Discovered new port with GUID:0x{guid:016x}" in text for text in texts(simulation))


def test_a_restarted_node_gets_its_lid_back(simulation: Simulation[World]) -> None:
    world = simulation.world
    number = lids.lid(world, SOURCE)
    world.ports.update(SOURCE, initialized=False, lid=0, sm_lid=0)
    assert way(simulation) is None and routes.path(world, FAR, SOURCE) is None
    links.set_enabled(simulation, "leaf-01/48", False)
    simulation.advance(2 * SECOND)
    assert lids.lid(world, SOURCE) == number and routes.path(world, FAR, SOURCE)


def test_the_same_losses_leave_the_same_state(site: Simulation[World]) -> None:
    digests = set()
    for _ in range(2):
        simulation = site.fork()
        for port in ("leaf-01/33", "leaf-02/40"):
            links.set_enabled(simulation, port, False)
            simulation.advance(2 * SECOND)
        digests.add(simulation.world.digest())
    assert len(digests) == 1
    assert simulation.world.subnet_manager[FABRIC].engine == "minhop"
    assert repr(simulation.world.forwarding[LEAF]).startswith("ForwardingTable(38 entries, ")
