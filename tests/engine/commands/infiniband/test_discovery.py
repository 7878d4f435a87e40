"""What a scan finds of each port is what the port itself says, whatever was done to the fabric: it looks closer only at
ports of which something may be other than in the inventory.
"""

from __future__ import annotations

import pytest

from engine.commands.infiniband._diags.discovery import discover
from engine.control.subnet_manager.lids import host_of_manager
from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.simulation import open_site
from engine.world.world import World

FAULTS = (
    "fabric.cable_loose target=dgx-02/mlx5_3/1",
    "fabric.cable_wrong_kind target=dgx-02/mlx5_3/1",
    "fabric.width_degraded target=leaf-01/33",
    "fabric.module_dead target=leaf-01/33",
    "fabric.port_disabled target=leaf-01/5",
    "fabric.port_hung target=dgx-02/mlx5_3",
    "fabric.switch_failed target=spine-02",
    "fabric.rail_miscabled target=dgx-02/mlx5_3",
    "hca.ethernet_mode target=dgx-02/mlx5_3",
    "pcie.function_removed target=dgx-02/mlx5_3",
    "rdma.modules_missing target=dgx-02",
)


@pytest.fixture(scope="module")
def site() -> Simulation[World]:
    return open_site("dgx-h100-4", 1)


def differences(world: World) -> list[str]:
    """Ports of which a scan says something else than they do."""
    start = host_of_manager(world.inventory)
    assert start is not None
    return [
        port.id
        for node in discover(world, start)
        for port in node.ports
        if port.id in world.inventory.cables
        and (port.state, port.physical, port.rate, port.lanes)
        != (
            links.logical_state(world, port.id),
            links.physical_state(world, port.id),
            links.rate(world, port.id),
            links.lanes(world, port.id),
        )
    ]


def test_of_a_fabric_in_order(site: Simulation[World]) -> None:
    assert differences(site.world) == []


@pytest.mark.parametrize("fault", FAULTS)
def test_of_one_in_which_something_is_wrong(site: Simulation[World], fault: str) -> None:
    simulation = site.fork()
    simulation.apply(parse_fault(fault))
    assert differences(simulation.world) == []
    simulation.advance(5 * SECOND)
    assert differences(simulation.world) == []
