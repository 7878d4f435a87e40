"""Who answers for an address, and tables that are too small."""

from __future__ import annotations

from engine.control import interface_settings, journald, neighbours, network, sysctl
from tests.support.roce_pod import pod

RAIL = "10.40.0.{}"


def test_one_holder_answers_to_everybody() -> None:
    world = pod().world
    assert [host for host, _ in neighbours.holders(world, RAIL.format(12))] == ["hgx-02"]
    hca = world.inventory.hca("hgx-05/mlx5_0")
    assert neighbours.resolves(world, hca, RAIL.format(12))


def test_of_two_holders_some_believe_the_wrong_one() -> None:
    simulation = pod()
    simulation.apply(interface_settings.AddAddress("hgx-03", "enp24s0np0", "10.40.0.12/24"))
    world = simulation.world
    assert [host for host, _ in neighbours.holders(world, RAIL.format(12))] == ["hgx-02", "hgx-03"]
    askers = [f"hgx-{number:02d}" for number in range(4, 17)]
    answers = {neighbours.answering(world, world.inventory.hca(f"{asker}/mlx5_0"), RAIL.format(12)) for asker in askers}
    assert answers == {"hgx-02/mlx5_0/1", "hgx-03/mlx5_0/1"}


def test_a_small_table_refuses_most_rails_and_the_kernel_says_so() -> None:
    simulation = pod()
    wanted = neighbours.needed(simulation.world, "hgx-01")
    assert len(wanted) > 120 and not neighbours.overflows(simulation.world, "hgx-01")
    simulation.apply(sysctl.SetSysctl("hgx-01", neighbours.LIMIT, "64"))
    assert neighbours.overflows(simulation.world, "hgx-01")
    refused = [address for address in wanted if neighbours.refused(simulation.world, "hgx-01", address)]
    assert len(refused) == len(wanted) - 64
    assert not network.reachable(simulation.world, "hgx-01", refused[0])
    assert network.reachable(simulation.world, "hgx-01", wanted[0])
    said = journald.kernel_entries(simulation.world, "hgx-01", start=0)
    assert any("neighbor table overflow!" in entry.text for entry in said)
    simulation.apply(sysctl.SetSysctl("hgx-01", neighbours.LIMIT, "1024"))
    assert network.reachable(simulation.world, "hgx-01", refused[0])
