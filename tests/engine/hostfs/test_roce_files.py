"""/sys/class/net/*/ecn and qos, traffic_class, configfs, /proc/net/bonding: read, written, refused."""

from __future__ import annotations

import pytest

from engine.control.accounts import identity
from engine.hostfs.host_tree import HostTree
from engine.hostfs.tree import FileError
from engine.kernel.simulation import Simulation
from engine.world.world import World
from tests.support.roce_pod import pod

HOST, PORT = "hgx-01", "hgx-01/mlx5_0/1"
NET, RDMA = "/sys/class/net/enp24s0np0", "/sys/class/infiniband/mlx5_0"


@pytest.fixture
def simulation() -> Simulation[World]:
    return pod()


def tree(simulation: Simulation[World], user: str = "root") -> HostTree:
    return HostTree(simulation, HOST, identity(simulation.world.inventory, user))


def test_points_of_congestion_control(simulation: Simulation[World]) -> None:
    root = tree(simulation)
    assert root.read(f"{NET}/ecn/roce_np/enable/3") == b"1\n" and root.read(f"{NET}/ecn/roce_rp/rpg_ai_rate") == b"5\n"
    root.write(f"{NET}/ecn/roce_rp/enable/3", b"0\n")
    root.write(f"{NET}/ecn/roce_np/cnp_dscp", b"26\n")
    settings = simulation.world.roce[PORT]
    assert not settings.reacts[3] and settings.reacts[2] and settings.cnp_dscp == 26
    for path, text in (("ecn/roce_np/enable/3", b"2"), ("ecn/roce_np/cnp_dscp", b"64"), ("qos/trust", b"both")):
        with pytest.raises(FileError):
            root.write(f"{NET}/{path}", text)
    with pytest.raises(FileError):
        tree(simulation, "alex").write(f"{NET}/ecn/roce_np/enable/3", b"1")


def test_the_class_of_all_packets(simulation: Simulation[World]) -> None:
    root = tree(simulation)
    assert root.read(f"{RDMA}/tc/1/traffic_class") == b"Global tclass=106\n"
    root.write(f"{RDMA}/tc/1/traffic_class", b"96\n")
    assert simulation.world.roce[PORT].traffic_class == 96
    root.write("/sys/kernel/config/rdma_cm/mlx5_0/ports/1/default_roce_tos", b"104\n")
    assert simulation.world.roce[PORT].connection_tos == 104


def test_a_bond_and_its_members(simulation: Simulation[World]) -> None:
    text = tree(simulation).read("/proc/net/bonding/bond0").decode()
    assert text.count("Slave Interface: ") == 2 and text.count("MII Status: up") == 3
    from engine.control.network import SetInterface

    simulation.apply(SetInterface(HOST, "enp236s0f1np1", False))
    text = tree(simulation).read("/proc/net/bonding/bond0").decode()
    assert text.count("MII Status: up") == 2 and "Link Failure Count: 1" in text and "Speed: Unknown" in text
