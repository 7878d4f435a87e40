"""The kernel modules that hosts have, read from tables/modules.txt: what they use, who builds them, where they lie."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from engine.control.tables import rows
from engine.kernel.quick_dataclass import dataclass
from engine.world.inventory import Node

NOUVEAU = "nouveau"
"""The kernel's own driver for NVIDIA GPUs."""


@dataclass(frozen=True, slots=True)
class ModuleSpec:
    """A module: `uses` others, lies below `place`, comes from `origin` (kernel, ofed, nvidia), exists `where`."""

    name: str
    size: int
    where: str
    origin: str
    place: str
    uses: tuple[str, ...] = ()
    pinned: int = 0
    at_boot: bool = True
    description: str = ""
    license: str = "GPL"
    author: str = ""

    def on(self, node: Node) -> bool:
        """Whether `node` has this module."""
        return {"all": True, "gpu": bool(node.gpus), "rdma": bool(node.hcas), "head": node.role == "head"}[self.where]


@cache
def module_specs() -> Mapping[str, ModuleSpec]:
    """All modules by name, in the order of loading."""
    specs = [_spec(*row) for row in rows("modules")]
    return MappingProxyType({spec.name: spec for spec in specs})


@cache
def nvidia_family() -> tuple[str, ...]:
    """Modules that carry the NVIDIA driver's version, in the order of loading."""
    return tuple(spec.name for spec in module_specs().values() if spec.origin == "nvidia")


def _spec(facts: str, description: str, license_: str, author: str) -> ModuleSpec:
    name, size, where, origin, place, uses, *marks = facts.split()
    pinned = [int(mark.removeprefix("pinned=")) for mark in marks if mark.startswith("pinned=")]
    return ModuleSpec(
        name=name,
        size=int(size),
        where=where,
        origin=origin,
        place=place,
        uses=() if uses == "-" else tuple(uses.split(",")),
        pinned=sum(pinned),
        at_boot="later" not in marks,
        description=description,
        license=license_,
        author=author,
    )
