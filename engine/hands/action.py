"""What remote hands can be asked to do: each action is a file `engine/hands/<name with - as _>.py` that declares
`HANDS`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.physics import supplies
from engine.world.inventory import Inventory, Node
from engine.world.world import World

Work = Callable[[Simulation[World], str, int], str]
Start = Callable[[Simulation[World], str], None]


@dataclass(frozen=True, slots=True)
class Job:
    """What an action means for one kind of part: how long it takes (ns), whether the node must be off, and what is
    done.

    `work(simulation, target, number of the order)` does it and gives the words of the report; `start(simulation,
    target)` is what happens as soon as somebody is there.
    """

    duration: int
    power_off: bool
    work: Work
    start: Start | None = None


@dataclass(frozen=True, slots=True)
class HandsAction:
    """Physical work that one can order, by kind of part: gpu, hca, fan, psu, node, port for the cable in it, rack, and
    its pdu and strip.
    """

    name: str
    title: str
    jobs: Mapping[str, Job]
    doc: str = ""


_PARTS: Mapping[str, Callable[[Node], tuple[str, ...]]] = MappingProxyType(
    {
        "gpu": lambda node: tuple(gpu.id for gpu in node.gpus),
        "hca": lambda node: tuple(hca.id for hca in node.hcas),
        "fan": lambda node: tuple(fan.id for fan in node.fans),
        "psu": lambda node: tuple(psu.id for psu in node.psus),
        "node": lambda node: (node.name,),
    }
)


def parts(inventory: Inventory, place: str, kind: str) -> tuple[str, ...]:
    """Ids of the parts of a kind at a node, switch or rack; there is none at a place that the site does not have."""
    if kind in ("rack", "pdu", "strip"):
        return _rack_parts(inventory, place, kind)
    if kind == "switch":
        return (place,) if place in inventory.switches else ()
    if kind == "port":
        return tuple(port for port in _ports(inventory, place) if port in inventory.cables)
    return _PARTS[kind](inventory.node(place)) if place in inventory.node_index else ()


def places(inventory: Inventory) -> tuple[str, ...]:
    """Where somebody can work: nodes, switches and racks."""
    return (*inventory.node_names, *inventory.switches, *inventory.racks)


def _rack_parts(inventory: Inventory, place: str, kind: str) -> tuple[str, ...]:
    if place not in inventory.racks:
        return ()
    if kind == "rack":
        return (place,)
    names = supplies.pdus(inventory) if kind == "pdu" else tuple(supplies.strips(inventory))
    return tuple(name for name in names if name.startswith(f"{place}/"))


def _ports(inventory: Inventory, place: str) -> list[str]:
    if place in inventory.node_index:
        return [hca.port for hca in inventory.node(place).hcas]
    switch = inventory.switches.get(place)
    return [f"{place}/{number}" for number in range(1, switch.outer_ports + 1)] if switch else []


@cache
def _modules() -> tuple[str, ...]:
    stems = [entry.name.removesuffix(".py") for entry in files("engine.hands").iterdir() if entry.name.endswith(".py")]
    return tuple(sorted(stem for stem in stems if stem not in ("__init__", "action", "order")))


def catalogue() -> dict[str, HandsAction]:
    """All actions by name, sorted."""
    found = [importlib.import_module(f"engine.hands.{stem}").HANDS for stem in _modules()]
    return {each.name: each for each in sorted(found, key=lambda each: str(each.name))}
