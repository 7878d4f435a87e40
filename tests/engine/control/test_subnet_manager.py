"""The subnet manager: LIDs of a fresh start, and what happens to ports that come and go with and without it."""

from __future__ import annotations

import pytest

from engine.control.subnet_manager import lids, managers
from engine.control.systemd import StartUnit, StopUnit
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.simulation import open_site
from engine.world.inventory import Cable
from engine.world.records import LogicalState
from engine.world.world import World
from tests.support.worlds import bare_simulation

PORT, FAR, MANAGER = "dgx-01/mlx5_0/1", "leaf-01/1", "head-01/mlx5_0/1"


@pytest.fixture(scope="module")
def site() -> Simulation[World]:
    return open_site("dgx-h100-4", 1)


@pytest.fixture
def simulation(site: Simulation[World]) -> Simulation[World]:
    return site.fork()


def cable(simulation: Simulation[World], port: str = PORT) -> Cable:
    found = links.cable(simulation.world.inventory, port)
    assert found
    return found


def state(simulation: Simulation[World], port: str = PORT) -> LogicalState:
    return links.logical_state(simulation.world, port)


def test_fresh_lids_follow_the_rule_of_opensm() -> None:
    world = bare_simulation().world
    given = lids.fresh_lids(world.inventory)
    assert given[MANAGER] == 1
    others = sorted((number, end) for end, number in given.items() if end != MANAGER)
    assert [number for number, _ in others] == list(range(2, 2 + 4 + 32))
    keys = [lids.port_guid(world.inventory, end).to_bytes(8, "big")[::-1] for _, end in others]
    assert keys == sorted(keys)
    assert {"leaf-01/0", "spine-02/0"} <= set(given) and "dgx-01/mlx5_1/1" not in given


def test_lids_cost_no_state() -> None:
    world = bare_simulation().world
    assert lids.lid(world, PORT) > 1 and lids.manager_lid(world, PORT) == 1
    assert list(world.ports.changed()) == []


def test_a_switch_s_ports_are_reached_by_its_port_0() -> None:
    world = bare_simulation().world
    assert lids.lid(world, "leaf-01/17") == lids.lid(world, "leaf-01/0") > 1
    assert lids.lid(world, "dgx-01/mlx5_1/1") == 0


def test_a_link_comes_back_while_the_manager_works(simulation: Simulation[World]) -> None:
    number = lids.lid(simulation.world, PORT)
    links.change_cable(simulation, cable(simulation), plugged=False)
    assert state(simulation) is LogicalState.DOWN
    assert lids.lid(simulation.world, PORT) == number
    simulation.advance(60 * SECOND)
    links.change_cable(simulation, cable(simulation), plugged=True)
    assert (state(simulation), state(simulation, FAR)) == (LogicalState.INITIALIZING, LogicalState.INITIALIZING)
    simulation.advance(10 * SECOND)
    assert (state(simulation), state(simulation, FAR)) == (LogicalState.ACTIVE, LogicalState.ACTIVE)
    assert lids.lid(simulation.world, PORT) == number


def test_a_link_that_comes_back_without_a_manager_waits_for_one(simulation: Simulation[World]) -> None:
    simulation.apply(StopUnit("head-01", "opensm.service", "root"))
    assert managers.master(simulation.world) is None
    assert state(simulation, "dgx-02/mlx5_0/1") is LogicalState.ACTIVE
    for plugged in (False, True):
        links.change_cable(simulation, cable(simulation), plugged=plugged)
        simulation.advance(60 * SECOND)
    assert state(simulation) is LogicalState.INITIALIZING
    simulation.apply(StartUnit("head-01", "opensm.service", "root"))
    simulation.advance(60 * SECOND)
    assert state(simulation) is LogicalState.ACTIVE
    found = managers.master(simulation.world)
    assert found and found.place == "head-01"


def test_without_its_own_link_there_is_no_manager(simulation: Simulation[World]) -> None:
    links.change_cable(simulation, cable(simulation, MANAGER), plugged=False)
    assert managers.managers(simulation.world) == []


def test_the_priority_is_what_the_configuration_says(simulation: Simulation[World]) -> None:
    found = managers.master(simulation.world)
    assert found and found.priority == 14


def test_activity_counts_sweeps(simulation: Simulation[World]) -> None:
    found = managers.master(simulation.world)
    assert found
    before = managers.activity(simulation.world, found, 0)
    later = managers.activity(simulation.world, found, 100 * SECOND)
    assert later - before == 10 * 4


def test_opensm_tells_its_log(simulation: Simulation[World]) -> None:
    links.change_cable(simulation, cable(simulation), plugged=False)
    simulation.advance(10 * SECOND)
    texts = [line.text for line in simulation.world.logs["head-01"].entries if line.source == "OpenSM"]
    guid = lids.port_guid(simulation.world.inventory, PORT)
    assert any("Received Generic Notice type:1 num:128 (Link state change)" in text for text in texts)
    assert any(f"Removed port with GUID:0x{guid:016x}" in text and "dgx-01 mlx5_0" in text for text in texts)
