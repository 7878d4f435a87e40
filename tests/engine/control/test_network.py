"""Names, interfaces, links and who reaches whom."""

from __future__ import annotations

import pytest

from engine.control import boot, network
from engine.kernel.units import HOUR
from tests.engine.control.os_scene import HEAD, NODE, OTHER, site, texts


def test_every_name_of_the_hosts_file_resolves_to_its_address() -> None:
    world = site().world
    entries = network.host_entries(world)
    assert len({entry.address for entry in entries}) == len(entries)
    for entry in entries:
        for name in entry.names:
            assert network.resolve(world, name) == entry.address
            assert network.resolve(world, entry.address) in (
                entry.address,
                None if entry.address == "127.0.0.1" else "",
            )


@pytest.mark.parametrize(
    ("name", "behind"),
    [
        ("dgx-02", ("node", "dgx-02")),
        ("DGX-02.aurora.example", ("node", "dgx-02")),
        ("dgx-02-inband", ("node", "dgx-02")),
        ("dgx-02-bmc", ("bmc", "dgx-02")),
        ("10.20.0.12", ("node", "dgx-02")),
        ("10.20.1.12", ("bmc", "dgx-02")),
        ("leaf-01", ("switch", "leaf-01")),
        ("dgx-09", None),
    ],
)
def test_what_stands_behind_a_name(name: str, behind: tuple[str, str] | None) -> None:
    assert network.owner(site().world, name) == behind


def test_every_netdev_of_the_inventory_is_an_interface() -> None:
    world = site().world
    for host in (HEAD, NODE):
        node, found = world.node(host), {each.name: each for each in network.interfaces(world, host)}
        assert set(found) == {"lo", *(a.interface for a in node.addresses), *(hca.netdev for hca in node.hcas)}
        for address in node.addresses:
            assert address.cidr in found[address.interface].addresses
        assert [each.index for each in found.values()] == list(range(1, len(found) + 1))
    bond = network.interface(world, NODE, "bond0")
    assert bond is not None
    assert [network.interface(world, NODE, name).master for name in bond.members] == ["bond0"] * 2  # type: ignore[union-attr]


def test_a_link_needs_a_cable_and_both_ends() -> None:
    simulation = site()
    world, port = simulation.world, f"{OTHER}/mlx5_0/1"
    cable = world.inventory.cables[port]
    assert network.port_has_link(world, port)
    assert not network.port_has_link(world, f"{OTHER}/mlx5_1/1"), "not cabled at this site"
    world.cables.update(cable.id, plugged=False)
    assert not network.port_has_link(world, port)
    assert not network.port_has_link(world, cable.other(port))
    world.cables.update(cable.id, plugged=True)
    world.ports.update(cable.other(port), enabled=False)
    assert not network.port_has_link(world, port)
    world.ports.update(cable.other(port), enabled=True)
    simulation.apply(boot.ChassisPower(OTHER, "off", "alex"))
    assert not network.port_has_link(world, cable.other(port))


def test_counters_grow_while_an_interface_is_up() -> None:
    simulation = site()
    before, later = (network.counters(simulation.world, NODE, "bond0", now) for now in (0, HOUR))
    assert 0 < before.rx_bytes < later.rx_bytes
    assert 0 < before.tx_packets < later.tx_packets
    assert network.counters(simulation.world, NODE, "ibp41s0f0", HOUR).rx_bytes == 0


def test_setting_an_interface_down() -> None:
    simulation = site()
    assert simulation.apply(network.SetInterface(NODE, "nosuch", False)) == 'Cannot find device "nosuch"'
    assert simulation.apply(network.SetInterface(NODE, "eno3", False)) is None
    assert not network.interface(simulation.world, NODE, "eno3").up  # type: ignore[union-attr]
    assert texts(simulation, NODE, "kernel") == ["ixgbe 0000:0b:00.0 eno3: Link down"]
    simulation.apply(network.SetInterface(NODE, "eno3", True))
    assert network.interface(simulation.world, NODE, "eno3").up  # type: ignore[union-attr]


def test_who_answers() -> None:
    simulation = site()
    world = simulation.world
    for target in (NODE, f"{NODE}-bmc", "spine-01", "localhost"):
        assert network.reachable(world, HEAD, target)
    assert not network.reachable(world, HEAD, "nowhere")
    simulation.apply(boot.ChassisPower(NODE, "off", "alex"))
    assert not network.reachable(world, HEAD, NODE)
    assert network.reachable(world, HEAD, f"{NODE}-bmc")
    assert not network.reachable(world, NODE, HEAD)
