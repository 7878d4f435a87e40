"""The fabric manager's work: registration, stale groups and partitions, and what makes them fresh."""

from __future__ import annotations

import pytest

from engine.control import boot, driver, nvlink_fabric, service_state, systemd
from engine.control.nvlink_fabric import FABRIC_MANAGER
from engine.kernel.simulation import Simulation
from engine.kernel.units import MINUTE
from engine.physics.paths import nvlink
from engine.simulation import open_site
from engine.world.records import NvFabricState
from engine.world.world import World

NODE = "dgx-04"


@pytest.fixture
def simulation() -> Simulation[World]:
    return open_site("dgx-h100-4")


def reset(simulation: Simulation[World], *gpus: int) -> list[str | None]:
    unit = service_state.find(simulation.world, NODE, driver.HOST_ENGINE)
    assert unit is not None
    service_state.change(simulation.world, NODE, unit, active=False)
    for gpu in gpus:
        simulation.world.gpus.update(f"{NODE}/gpu{gpu}", persistence=False)
    return [simulation.apply(driver.ResetGpu(NODE, gpu, "root")) for gpu in gpus]


def test_a_fabric_manager_started_again_leaves_groups_stale_until_all_gpus_are_reset(
    simulation: Simulation[World],
) -> None:
    assert simulation.world.nvlink_fabric[NODE] == NvFabricState()
    simulation.apply(systemd.RestartUnit(NODE, FABRIC_MANAGER, "root"))
    assert not simulation.world.nvlink_fabric[NODE].multicast
    assert nvlink_fabric.registered(simulation.world, NODE)
    assert nvlink.joined(simulation.world, f"{NODE}/gpu0", f"{NODE}/gpu1") == 18
    assert reset(simulation, *range(7)) == [None] * 7
    assert not simulation.world.nvlink_fabric[NODE].multicast
    reset(simulation, 7)
    assert simulation.world.nvlink_fabric[NODE] == NvFabricState()


def test_a_restart_of_the_node_makes_all_fresh(simulation: Simulation[World]) -> None:
    nvlink_fabric.make_stale(simulation, NODE)
    simulation.apply(systemd.RestartUnit(NODE, FABRIC_MANAGER, "root"))
    simulation.apply(boot.Reboot(NODE, "root"))
    assert not simulation.world.nvlink_fabric[NODE].programmed
    simulation.advance(10 * MINUTE)
    assert simulation.world.nvlink_fabric[NODE] == NvFabricState()


def test_a_stale_partition_cuts_traffic_but_no_link(simulation: Simulation[World]) -> None:
    pair = f"{NODE}/gpu0", f"{NODE}/gpu1"
    fast = nvlink.peer_copy(simulation.world, *pair)
    nvlink_fabric.make_stale(simulation, NODE)
    assert nvlink.working(simulation.world, pair[0]) == 18
    assert nvlink.joined(simulation.world, *pair) == 0
    assert nvlink.peer_copy(simulation.world, *pair) < fast / 5
    reset(simulation, *range(8))
    assert nvlink.peer_copy(simulation.world, *pair) == fast


def test_resets_under_no_fabric_manager_help_nothing(simulation: Simulation[World]) -> None:
    nvlink_fabric.make_stale(simulation, NODE)
    unit = service_state.find(simulation.world, NODE, FABRIC_MANAGER)
    assert unit is not None
    service_state.change(simulation.world, NODE, unit, active=False, failed=True)
    reset(simulation, *range(8))
    assert not simulation.world.nvlink_fabric[NODE].peer_access
