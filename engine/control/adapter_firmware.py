"""The firmware of network cards: settings, images and GUIDs wait in non-volatile memory until the card is reset.

mlxconfig writes the first, mlxfwmanager and flint the others; a restart of the node or mlxfwreset loads them. A reset
takes the card's links down for a moment. The kernel's lines about plugs: drivers/net/ethernet/mellanox/mlx5/core/lib's
port_module.c of Linux 6.8.
"""

from __future__ import annotations

from dataclasses import replace

from engine.control import journald
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.physics import cabling, links
from engine.physics.ethernet import settings
from engine.world.adapters import card, function_number, functions
from engine.world.events import NodeStopping, PlugChanged
from engine.world.inventory import Hca, Inventory
from engine.world.records import AdapterState
from engine.world.world import World

_DRIVER = "mlx5_core"
_PLUG_WORDS = {
    "plugged": "Port module event: module {number}, Cable plugged",
    "unplugged": "Port module event: module {number}, Cable unplugged",
    "hot": "Port module event[error]: module {number}, Cable error, High Temperature",
}


def state(world: World, hca: Hca) -> AdapterState:
    """Of the card that a device belongs to."""
    return world.adapters[card(world.inventory.node(hca.node), hca)]


def running_version(world: World, hca: Hca) -> str:
    """The version of the firmware that runs."""
    return state(world, hca).firmware or world.inventory.hca(hca.id).firmware


def flash_version(world: World, hca: Hca) -> str:
    """The version that the next reset loads."""
    return state(world, hca).image or running_version(world, hca)


def own_guid(world: World, hca: Hca) -> int:
    """The base GUID with which a card was made."""
    plan = world.plan
    return plan.hca(card(plan.node(hca.node), plan.hca(hca.id))).guid


def flash_guid(world: World, hca: Hca) -> int:
    """The base GUID that the next reset loads."""
    return state(world, hca).guid or own_guid(world, hca)


def image_of(inventory: Inventory, hca: Hca) -> str:
    """The version of the firmware image that the site has for a card: what it was delivered with."""
    return inventory.hca(hca.id).firmware


def image_name(inventory: Inventory, hca: Hca) -> str:
    """The name of that image's file: `fw-ConnectX7-rel-28_43_2026-MT_0000000838.bin`."""
    return f"fw-ConnectX7-rel-{image_of(inventory, hca).replace('.', '_')}-{hca.board_id}.bin"


@dataclass(frozen=True, slots=True)
class StoreSettings(Action):
    """Write settings to a card's memory (mlxconfig set); `clear` forgets all others first (mlxconfig reset)."""

    hca: str
    changes: tuple[tuple[str, int], ...]
    clear: bool = False

    def perform(self, simulation: Simulation[World]) -> None:
        from engine.control.adapter_settings import values

        world = simulation.world
        hca = world.inventory.hca(self.hca)
        found = card(world.inventory.node(hca.node), hca)
        factory = values(world, hca, ())
        kept = {} if self.clear else dict(world.adapters[found].stored)
        wanted = {name: value for name, value in (kept | dict(self.changes)).items() if factory.get(name) != value}
        world.adapters.update(found, stored=tuple(sorted(wanted.items())))


@dataclass(frozen=True, slots=True)
class BurnImage(Action):
    """Write a firmware image of `version` to a card's flash."""

    hca: str
    version: str

    def perform(self, simulation: Simulation[World]) -> None:
        world = simulation.world
        hca = world.inventory.hca(self.hca)
        world.adapters.update(card(world.inventory.node(hca.node), hca), image=self.version)


@dataclass(frozen=True, slots=True)
class WriteGuid(Action):
    """Write a base GUID to a card's flash (flint sg)."""

    hca: str
    guid: int

    def perform(self, simulation: Simulation[World]) -> None:
        world = simulation.world
        hca = world.inventory.hca(self.hca)
        found = card(world.inventory.node(hca.node), hca)
        world.adapters.update(found, guid=0 if self.guid == own_guid(world, hca) else self.guid)


@dataclass(frozen=True, slots=True)
class ResetAdapter(Action):
    """Reset a card: its links go down, settings and image are loaded, its ports start afresh."""

    hca: str

    def perform(self, simulation: Simulation[World]) -> None:
        world = simulation.world
        hca = world.inventory.hca(self.hca)
        ports = [each.port for each in functions(world.inventory.node(hca.node), hca)]
        for port in ports:
            links.set_enabled(simulation, port, False)
        found = card(world.inventory.node(hca.node), hca)
        other = _load(world, found)
        for port in ports:
            world.ports.update(port, hung=False, silent=False)
            settings.reset_port(simulation, port)
            if other and links.peer(world.inventory, port):
                world.ports.update(port, lid=0, sm_lid=0)
            links.set_enabled(simulation, port, True)
        from engine.control.adapter_qos import lose_settings

        lose_settings(simulation, functions(world.node(hca.node), hca), dict(world.adapters[found].running))
        for each in functions(world.node(hca.node), hca):
            text = f"{_DRIVER} {each.address}: firmware version: {each.firmware}"
            journald.kernel(simulation, hca.node, text)


def _load(world: World, found: str) -> bool:
    """Let a card run as its memory has it. Returns whether it tells another GUID by that."""
    before = world.adapters[found]
    firmware = before.image or before.firmware
    after = replace(before, running=before.stored, firmware=firmware, running_guid=before.guid)
    if after != before:
        world.adapters[found] = after
    if after.running_guid == before.running_guid:
        return False
    world.inventory = cabling.as_it_is(world)
    return True


def _node_stopping(simulation: Simulation[World], event: NodeStopping) -> None:
    """The next start finds settings and images loaded, and ports with a new beginning."""
    world = simulation.world
    for hca in world.inventory.node(event.node).hcas:
        _load(world, hca.id)
        settings.reset_port(simulation, hca.port)
        if world.ports[hca.port].hung or world.ports[hca.port].silent:
            world.ports.update(hca.port, hung=False, silent=False)


def _plug_changed(simulation: Simulation[World], event: PlugChanged) -> None:
    """The kernel of a host tells of the plugs in its adapters."""
    world = simulation.world
    host = event.port.partition("/")[0]
    if host not in world.inventory.node_index or not links.served(world, event.port):
        return
    hca = world.inventory.hca(event.port.rpartition("/")[0])
    text = _PLUG_WORDS[event.what].format(number=function_number(hca))
    journald.kernel(simulation, host, f"{_DRIVER} {hca.address}: {text}")


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((NodeStopping, _node_stopping), (PlugChanged, _plug_changed))
