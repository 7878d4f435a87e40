"""Kinds of components and their ids, for quantifiers, arguments of facts, and what a scenario's seed may choose.

A parameter of a fact is annotated with one of the names below; its argument is then an id of that kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import NewType

from engine.facts.values import ValueType
from engine.kernel.errors import BreakfixError
from engine.kernel.names import unknown
from engine.physics import supplies
from engine.world.inventory import Node as NodeRecord
from engine.world.world import World

Host = NewType("Host", str)
Node = NewType("Node", str)
Gpu = NewType("Gpu", str)
NvSwitch = NewType("NvSwitch", str)
Hca = NewType("Hca", str)
Port = NewType("Port", str)
Fan = NewType("Fan", str)
Psu = NewType("Psu", str)
Drive = NewType("Drive", str)
Rack = NewType("Rack", str)
Pdu = NewType("Pdu", str)
Strip = NewType("Strip", str)
Switch = NewType("Switch", str)
User = NewType("User", str)
Job = NewType("Job", str)

Ids = Callable[[World, str | None], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of component; `ids(world, place)` lists those at a place (None: everywhere), in the site's order."""

    name: str
    ids: Ids
    doc: str

    @property
    def type(self) -> ValueType:
        """The type of values that name such a component."""
        return ValueType(f"a {self.name}", component=True)

    def require(self, world: World, identifier: str) -> str:
        """The id, if there is such a component. Raises BreakfixError with the nearest ids."""
        place = identifier.partition("/")[0] if "/" in identifier else None
        known = world.inventory.node_index if place else {}
        ids = list(self.ids(world, place if place in known else None))
        if identifier not in ids:
            raise BreakfixError(unknown(self.name, identifier, ids))
        return identifier


def _parts(of: Callable[[NodeRecord], Iterable[str]]) -> Ids:
    """Ids of parts of nodes; a place that is no node has none."""

    def ids(world: World, place: str | None) -> Iterator[str]:
        inventory = world.inventory
        for name in inventory.node_names if place is None else [place]:
            if name in inventory.node_index:
                yield from of(inventory.node(name))

    return ids


def _hosts(world: World, place: str | None) -> list[str]:
    return [name for name in world.inventory.host_names if place in (None, name)]


def _nodes(world: World, place: str | None) -> list[str]:
    return [name for name in _hosts(world, place) if world.inventory.node(name).gpus]


def _switches(world: World, place: str | None) -> list[str]:
    return [name for name in world.inventory.switches if place in (None, name)]


def _racks(world: World, place: str | None) -> list[str]:
    return [name for name in world.inventory.racks if place in (None, name)]


def _strips(world: World, place: str | None) -> list[str]:
    """Strips of PDUs; at a rack, those that stand there. No other place has any."""
    if place is not None and place not in world.inventory.racks:
        return []
    return [name for name, strip in supplies.strips(world.inventory).items() if place in (None, strip.rack)]


def _pdus(world: World, place: str | None) -> list[str]:
    return list(dict.fromkeys(strip.rpartition("/")[0] for strip in _strips(world, place)))


def _ports(world: World, place: str | None) -> Iterator[str]:
    for name in _hosts(world, place):
        yield from (hca.port for hca in world.inventory.node(name).hcas)
    for switch in world.inventory.switches.values():
        if place in (None, switch.name):
            yield from (f"{switch.name}/{number}" for number in range(1, switch.outer_ports + 1))


def _jobs(world: World, place: str | None) -> list[str]:
    """Jobs that are not over, oldest first; at a node, those that run there."""
    known = [(number, world.jobs[str(number)]) for number in sorted(world.slurm[""].active_jobs)]
    return [str(number) for number, job in known if place is None or place in job.nodes]


def _users(world: World, place: str | None) -> list[str]:
    return [user.name for user in world.inventory.users]


KINDS = MappingProxyType({
    Host: Kind("host", _hosts, "a machine that one can log in to"),
    Node: Kind("node", _nodes, "a machine with GPUs"),
    Gpu: Kind("gpu", _parts(lambda node: (gpu.id for gpu in node.gpus)), "a GPU slot, such as dgx-02/gpu5"),
    NvSwitch: Kind("nvswitch", _parts(lambda node: (chip.id for chip in node.nvswitches)), "an NVSwitch"),
    Hca: Kind("hca", _parts(lambda node: (hca.id for hca in node.hcas)), "an RDMA device, dgx-02/mlx5_3"),
    Port: Kind("port", _ports, "a network port, dgx-02/mlx5_3/1 or leaf-01/17"),
    Fan: Kind("fan", _parts(lambda node: (fan.id for fan in node.fans)), "a fan module, dgx-02/fan3"),
    Psu: Kind("psu", _parts(lambda node: (psu.id for psu in node.psus)), "a power supply, dgx-02/psu0"),
    Drive: Kind("drive", _parts(lambda node: (drive.id for drive in node.drives)), "an NVMe drive, dgx-02/nvme0"),
    Rack: Kind("rack", _racks, "a rack, R01"),
    Pdu: Kind("pdu", _pdus, "a rack PDU, R01/pdu-b"),
    Strip: Kind("strip", _strips, "a fused strip of a rack PDU, R01/pdu-b/1"),
    Switch: Kind("switch", _switches, "a network switch, leaf-01"),
    User: Kind("user", _users, "a person with an account"),
    Job: Kind("job", _jobs, "the number of a Slurm job that is not over"),
})  # fmt: skip
"""Kinds by the annotation that marks a parameter."""

BY_NAME = MappingProxyType({kind.name: kind for kind in KINDS.values()})
TYPES = MappingProxyType({kind.name: kind.type for kind in KINDS.values()})
"""One type per kind, so that equal kinds have equal types."""


def kind_named(name: str) -> Kind:
    """The kind `name`. Raises BreakfixError with the nearest names."""
    if name not in BY_NAME:
        raise BreakfixError(unknown("kind of component", name, BY_NAME))
    return BY_NAME[name]
