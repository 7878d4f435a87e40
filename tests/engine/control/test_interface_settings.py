"""MTU and addresses of interfaces: what else follows from them, refusals, restarts."""

from __future__ import annotations

import pytest

from engine.control import boot, interface_settings, network
from engine.control.interface_settings import AddAddress, RemoveAddress, SetMtu
from engine.kernel.units import MINUTE
from engine.physics import host_interfaces
from engine.physics.paths import network as paths
from tests.support.roce_pod import pod

HOST, NAME, PORT = "hgx-01", "enp24s0np0", "hgx-01/mlx5_0/1"


@pytest.mark.parametrize(("mtu", "payload"), [(9000, 4096), (4192, 4096), (4191, 2048), (1500, 1024), (576, 256)])
def test_rdma_takes_what_the_mtu_leaves(mtu: int, payload: int) -> None:
    simulation = pod()
    assert simulation.apply(SetMtu(HOST, NAME, mtu)) is None
    assert paths.packet_size(simulation.world, PORT) == payload == host_interfaces.roce_payload(mtu)


def test_refusals() -> None:
    simulation = pod()
    assert simulation.apply(SetMtu(HOST, "nosuch", 9000)) == 'Cannot find device "nosuch"'
    assert simulation.apply(SetMtu(HOST, NAME, 20_000)) == "Error: mtu greater than device maximum."
    assert simulation.apply(SetMtu(HOST, NAME, 60)) == "Error: mtu less than device minimum."
    cidr = "10.40.0.11/24"
    assert simulation.apply(AddAddress(HOST, NAME, cidr)) == "Error: ipv4: Address already assigned."
    assert simulation.apply(RemoveAddress(HOST, NAME, "10.9.9.9/24")) == "Error: ipv4: Address not found."
    assert not simulation.world.interfaces.changed()


def test_a_bond_hands_its_mtu_to_its_members() -> None:
    simulation = pod()
    simulation.apply(SetMtu(HOST, "bond0", 9000))
    found = {each.name: each.mtu for each in network.interfaces(simulation.world, HOST)}
    assert found["bond0"] == found["enp236s0f0np0"] == found["enp236s0f1np1"] == 9000


def test_who_took_an_address_away_is_not_reached_by_it() -> None:
    simulation = pod()
    assert network.reachable(simulation.world, "hgx-02", "10.40.0.11")
    simulation.apply(RemoveAddress(HOST, NAME, "10.40.0.11/24"))
    assert not network.reachable(simulation.world, "hgx-02", "10.40.0.11")
    simulation.apply(AddAddress(HOST, NAME, "10.40.0.99/24"))
    assert network.owner(simulation.world, "10.40.0.99") == ("node", HOST)


def test_a_restart_brings_the_configuration_back() -> None:
    simulation = pod()
    simulation.apply(SetMtu(HOST, NAME, 1500))
    simulation.apply(interface_settings.SetOnInterface(HOST, NAME, (("rings", (4096, 4096)),)))
    simulation.apply(boot.Reboot(HOST, "alex"))
    simulation.advance(15 * MINUTE)
    assert host_interfaces.mtu(simulation.world, HOST, NAME) == 9000 and not simulation.world.interfaces.changed()
