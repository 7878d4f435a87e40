"""Incidents of RoCE that people have told of can be written as scenarios: each has its causes among the faults."""

from __future__ import annotations

import pytest

from engine.faults.fault import parse_fault
from tests.support.roce_pod import pod

INCIDENTS = {
    "a GID index that does not cross the router": ("nccl.wrong_gid_index target=hgx-03",),
    "GID indices that changed under a running fleet, and losses": (
        "roce.gid_order_changed target=hgx-03/mlx5_0",
        "roce.dscp_not_lossless target=leaf-01",
    ),
    "RDMA in priority 0, slower than TCP": (
        "roce.host_trust_pcp target=hgx-03",
        "roce.host_class_unset target=hgx-04",
        "roce.dscp_not_lossless target=leaf-01",
    ),
    "one adapter floods pause, racks stand still": ("roce.pause_storm target=hgx-03/mlx5_0",),
    "a watchdog that sees storms again and again": (
        "roce.pause_storm target=hgx-13/mlx5_4",
        "roce.watchdog_eager target=leaf-07",
    ),
    "an MTU that differs": ("roce.host_mtu_small target=hgx-03/mlx5_0", "roce.switch_port_mtu target=leaf-01/9"),
    "a bundle or equal ways of which one is used": (
        "roce.bundle_one_leg target=leaf-07",
        "roce.ways_polarised target=leaf-01",
    ),
    "a rail in the wrong switch": ("fabric.rail_miscabled target=hgx-03/mlx5_0",),
}


@pytest.mark.parametrize("incident", INCIDENTS)
def test_its_causes_can_stand_together(incident: str) -> None:
    simulation = pod()
    digests = [simulation.world.digest()]
    for line in INCIDENTS[incident]:
        simulation.apply(parse_fault(line))
        digests.append(simulation.world.digest())
    assert len(set(digests)) == len(digests)
