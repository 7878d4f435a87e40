"""NCCL over RoCE: the class that is asked for, indices of GIDs, neighbours that cannot be found."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.workloads.nccl import CollectiveFailed, Communicator, Rank, communicator
from engine.world.world import World
from tests.support.roce_pod import pod

HOSTS = ("hgx-02", "hgx-03")


def between(simulation: Simulation[World], **environment: str) -> Communicator:
    variables: Mapping[str, str] = {"NCCL_DEBUG": "WARN", **environment}
    ranks = [
        Rank(host, gpu.id, 1000 + number, "alex", variables)
        for host in HOSTS
        for number, gpu in enumerate(simulation.world.node(host).gpus)
    ]
    return communicator(simulation.world, ranks, time=0)


def failure(simulation: Simulation[World], **environment: str) -> CollectiveFailed:
    found = between(simulation, **environment).failure
    assert found is not None
    return found


def test_flows_ask_for_the_class_that_was_set() -> None:
    asked = {each.dscp for each in between(pod(), NCCL_IB_TC="106").demands("all_reduce")}
    assert asked == {26}
    assert {each.dscp for each in between(pod()).demands("all_reduce")} == {0}


def test_a_fixed_index_finds_another_address_and_nobody_answers() -> None:
    simulation = pod()
    simulation.apply(parse_fault("roce.gid_order_changed target=hgx-03/mlx5_0"))
    assert between(simulation).failure is None
    found = failure(simulation, NCCL_IB_GID_INDEX="3")
    assert found.after > 0
    assert any("localGid fd00:40::1" in line for lines in found.lines.values() for line in lines)


def test_an_address_that_another_answers_for() -> None:
    simulation = pod()
    simulation.apply(parse_fault("roce.address_duplicate target=hgx-02/mlx5_0"))  # takes that of hgx-03
    found = failure(simulation)
    assert any("IBV_WC_RETRY_EXC_ERR(12)" in line for lines in found.lines.values() for line in lines)


def test_a_full_neighbour_table_keeps_queue_pairs_from_connecting() -> None:
    simulation = pod()
    simulation.apply(parse_fault("host.neighbour_table_small target=hgx-03"))
    found = failure(simulation)
    assert found.after == 0
    assert any("failed with 110 Connection timed out" in line for lines in found.lines.values() for line in lines)


@pytest.mark.parametrize(("mtu", "slower"), [("1500", True), ("4000", False)])
def test_a_small_mtu_slows_the_ring(mtu: str, slower: bool) -> None:
    simulation = pod()
    simulation.apply(parse_fault(f"roce.host_mtu_small target=hgx-03/mlx5_0 mtu={mtu}"))
    usual = between(pod(), NCCL_ALGO="Ring").bus_bandwidth("all_reduce", 1 << 30)
    assert (between(simulation, NCCL_ALGO="Ring").bus_bandwidth("all_reduce", 1 << 30) < usual) is slower
