"""Configuration spaces and the resources that firmware hands out."""

from __future__ import annotations

from itertools import pairwise

import pytest

from engine.physics.config_space.registers import Register
from engine.physics.config_space.resources import resources
from engine.physics.config_space.space import class_code, config_space, revision, subsystem
from engine.world.inventory import Node, PcieDevice
from engine.world.records import BusState
from engine.world.world import World
from tests.support.worlds import bare_simulation

HOST = "dgx-02"


@pytest.fixture
def world() -> World:
    return bare_simulation().world


def gpu(node: Node, index: int) -> PcieDevice:
    return node.devices[node.gpus[index].address]


def test_every_function_has_4096_bytes_and_its_numbers(world: World) -> None:
    node = world.node(HOST)
    for device in node.pcie:
        space = config_space(world, HOST, device.address)
        assert space is not None and len(space) == 4096
        vendor, _, number = device.ids.partition(":")
        assert space[0:4] == bytes.fromhex(number + vendor)[::-1]
        assert int.from_bytes(space[8:12], "little") == class_code(node, device) << 8 | revision(device)


def test_a_lost_function_reads_ones_and_an_absent_one_nothing(world: World) -> None:
    device = gpu(world.node(HOST), 1)
    world.gpus.update(f"{HOST}/gpu1", bus=BusState.LOST)
    assert config_space(world, HOST, device.address) == b"\xff" * 4096
    world.gpus.update(f"{HOST}/gpu1", bus=BusState.ABSENT)
    assert config_space(world, HOST, device.address) is None


def test_regions_lie_in_the_windows_of_all_bridges_above_and_do_not_overlap(world: World) -> None:
    node = world.node(HOST)
    given = resources(world.inventory, node)
    spans = []
    for device in node.pcie:
        for placed in given.bars.get(device.address, ()):
            end = placed.base + placed.bar.total
            assert placed.base % placed.bar.size == 0
            spans.append((placed.base, end))
            for bridge in node.path_to_root(device.address)[1:]:
                windows = [window for window in given.windows[bridge.address] if window]
                assert any(base <= placed.base and end <= base + size for base, size in windows), bridge.address
    spans.sort()
    assert all(first[1] <= second[0] for first, second in pairwise(spans))


def test_bus_numbers_nest(world: World) -> None:
    node = world.node(HOST)
    given = resources(world.inventory, node)
    for device in node.pcie:
        for bridge in node.path_to_root(device.address)[1:]:
            low, high = given.buses[bridge.address]
            assert low <= int(device.address.split(":")[1], 16) <= high


def test_an_absent_gpu_moves_nobody_s_address(world: World) -> None:
    before = resources(world.inventory, world.node(HOST))
    world.gpus.update(f"{HOST}/gpu1", bus=BusState.ABSENT)
    assert resources(world.inventory, world.node(HOST)) == before


def test_subsystems(world: World) -> None:
    node = world.node(HOST)
    assert subsystem(gpu(node, 0)) == "10de:16c1"


def test_a_register_packs_fields() -> None:
    register = Register(0, 2, {"Speed": (0, 4), "Width": (4, 6), "Training": (11, 1)})
    value = register.encode("Speed=5 Width=16 Training")
    assert value == 5 | 16 << 4 | 1 << 11
