"""GID tables: what stands where, and what changes of addresses do to it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.control import interface_settings, network, roce_gids
from engine.kernel.simulation import Simulation
from engine.world.world import World
from tests.support.roce_pod import pod

HOST, NAME = "hgx-01", "enp24s0np0"


def entries(simulation: Simulation[World]) -> dict[int, tuple[str, str]]:
    hca = simulation.world.inventory.hca(f"{HOST}/mlx5_0")
    return {each.index: (each.version, each.address) for each in roce_gids.table(simulation.world, hca)}


def own(simulation: Simulation[World]) -> str:
    found = network.interface(simulation.world, HOST, NAME)
    assert found is not None
    return found.addresses[0]


def test_the_link_local_address_comes_first_then_the_configured_one() -> None:
    simulation = pod()
    address = own(simulation).partition("/")[0]
    expected = {0: ("IB/RoCE v1", ""), 1: ("RoCE v2", ""), 2: ("IB/RoCE v1", address), 3: ("RoCE v2", address)}
    assert entries(simulation) == expected


def test_an_address_that_comes_again_takes_the_first_free_places() -> None:
    simulation = pod()
    cidr = own(simulation)
    simulation.apply(interface_settings.RemoveAddress(HOST, NAME, cidr))
    assert sorted(entries(simulation)) == [0, 1]
    simulation.apply(interface_settings.AddAddress(HOST, NAME, "fd00::1/64"))
    simulation.apply(interface_settings.AddAddress(HOST, NAME, cidr))
    assert entries(simulation)[3][1] == "fd00::1" and entries(simulation)[5][1] == cidr.partition("/")[0]
    simulation.apply(interface_settings.RemoveAddress(HOST, NAME, "fd00::1/64"))
    assert sorted(entries(simulation)) == [0, 1, 4, 5]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(1, 5))))
def test_places_hold_each_address_once_and_end_with_one(changes: list[tuple[bool, int]]) -> None:
    places: tuple[str, ...] = ()
    held: set[str] = set()
    for adds, number in changes:
        address = f"10.0.0.{number}"
        places = (roce_gids.with_address if adds else roce_gids.without_address)(places, f"{address}/24")
        held = held | {address} if adds else held - {address}
        assert sorted(filter(None, places)) == sorted(held)
        assert not places or places[-1]
