"""Links between ports: both ends, the cable and the hosts decide."""

from __future__ import annotations

import pytest

from engine.kernel.events import Bus, Event
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.events import LinkChanged
from engine.world.records import BootPhase, LogicalState, PhysicalState, Power
from engine.world.world import World
from tests.support.worlds import bare_simulation, inventory

PORT, FAR = "dgx-01/mlx5_0/1", "leaf-01/1"
LOOSE, ROCE = "dgx-01/mlx5_1/1", "dgx-01/mlx5_2/1"


@pytest.fixture
def world() -> World:
    return bare_simulation().world


def states(world: World) -> list[PhysicalState]:
    return [links.physical_state(world, port) for port in (PORT, FAR)]


def test_a_sound_link(world: World) -> None:
    assert links.peer(world.inventory, PORT) == FAR and links.peer(world.inventory, FAR) == PORT
    assert states(world) == [PhysicalState.LINK_UP, PhysicalState.LINK_UP]
    assert links.logical_state(world, PORT) is LogicalState.ACTIVE
    assert links.rate(world, PORT) == links.rate(world, FAR) == 400


def test_a_port_without_a_cable_polls(world: World) -> None:
    assert links.physical_state(world, LOOSE) is PhysicalState.POLLING
    assert links.logical_state(world, LOOSE) is LogicalState.DOWN
    assert links.rate(world, LOOSE) == links.LOWEST_RATE


@pytest.mark.parametrize("changes", [{"plugged": False}, {"error_exponent": 5}])
def test_a_cable_that_is_out_or_too_bad(world: World, changes: dict[str, object]) -> None:
    cable = links.cable(world.inventory, PORT)
    assert cable
    world.cables.update(cable.id, **changes)
    assert states(world) == [PhysicalState.POLLING, PhysicalState.POLLING]
    assert links.rate(world, PORT) == 10


def test_a_cable_with_some_errors_carries_a_link(world: World) -> None:
    cable = links.cable(world.inventory, PORT)
    assert cable
    world.cables.update(cable.id, error_exponent=8)
    assert links.link_up(world, PORT)


@pytest.mark.parametrize("disabled", [PORT, FAR])
def test_one_end_is_switched_off(world: World, disabled: str) -> None:
    world.ports.update(disabled, enabled=False)
    expected = {disabled: PhysicalState.DISABLED, ({PORT, FAR} - {disabled}).pop(): PhysicalState.POLLING}
    assert states(world) == [expected[PORT], expected[FAR]]


@pytest.mark.parametrize(
    "changes", [{"power": Power.OFF, "phase": BootPhase.OFF}, {"phase": BootPhase.FIRMWARE}], ids=["off", "firmware"]
)
def test_a_node_that_does_not_run_has_no_links(world: World, changes: dict[str, object]) -> None:
    world.nodes.update("dgx-01", **changes)
    assert states(world)[1] is PhysicalState.POLLING
    assert links.link_up(world, "leaf-01/5")


def test_a_port_waits_for_the_subnet_manager(world: World) -> None:
    world.ports.update(PORT, initialized=False)
    assert links.logical_state(world, PORT) is LogicalState.INITIALIZING
    assert links.link_up(world, PORT)


def test_ethernet_waits_for_nobody(world: World) -> None:
    world.ports.update(ROCE, initialized=False)
    assert links.logical_state(world, ROCE) is LogicalState.ACTIVE


def test_an_interface_that_was_set_down(world: World) -> None:
    netdev = world.inventory.hca("dgx-01/mlx5_2").netdev
    world.systems.update("dgx-01", interfaces_down=(netdev,))
    assert links.physical_state(world, ROCE) is PhysicalState.DISABLED


def told(simulation: Simulation[World]) -> list[tuple[str, bool]]:
    """What a listener hears."""
    return [(event.port, event.up) for event in HEARD.pop(id(simulation), []) if isinstance(event, LinkChanged)]


HEARD: dict[int, list[Event]] = {}


@pytest.fixture
def simulation() -> Simulation[World]:
    def hear(simulation: Simulation[World], event: Event) -> None:
        HEARD.setdefault(id(simulation), []).append(event)

    return Simulation(World(inventory(), 1), 1, Bus([(LinkChanged, hear)]))


def test_both_ends_hear_of_a_change_once(simulation: Simulation[World]) -> None:
    cable = links.cable(simulation.world.inventory, PORT)
    assert cable
    links.change_cable(simulation, cable, plugged=False)
    assert sorted(told(simulation)) == [(PORT, False), (FAR, False)]
    links.set_enabled(simulation, FAR, False)
    assert told(simulation) == []
    links.change_cable(simulation, cable, plugged=True)
    assert told(simulation) == []
    links.set_enabled(simulation, FAR, True)
    assert sorted(told(simulation)) == [(PORT, True), (FAR, True)]


def test_names_in_the_fabric(world: World) -> None:
    site = world.inventory
    assert links.description(site, site.hca("dgx-03/mlx5_9")) == "dgx-03 mlx5_9"
    assert links.description(site, site.switches["spine-02"]) == "MF0;spine-02:MQM9700/U1"


@pytest.mark.parametrize(("rate", "name"), [(400, "NDR"), (200, "HDR"), (100, "EDR"), (10, "SDR"), (399, "HDR")])
def test_speeds(rate: int, name: str) -> None:
    assert links.speed(rate).name == name
