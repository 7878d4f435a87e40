"""What remote hands can be asked to do: each action is a file `engine/hands/<name with - as _>.py` that declares
`HANDS`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from engine.kernel.simulation import Simulation
from engine.world.inventory import Node
from engine.world.world import World

Work = Callable[[Simulation[World], str, int], str]


@dataclass(frozen=True, slots=True)
class Job:
    """What an action means for one kind of part: how long it takes (ns), whether the node must be off, and what is
    done.

    `work(simulation, target, number of the order)` does it and gives the words of the report.
    """

    duration: int
    power_off: bool
    work: Work


@dataclass(frozen=True, slots=True)
class HandsAction:
    """Physical work that one can order, by kind of part: gpu, fan, psu, node."""

    name: str
    title: str
    jobs: Mapping[str, Job]
    doc: str = ""


_PARTS: Mapping[str, Callable[[Node], tuple[str, ...]]] = MappingProxyType(
    {
        "gpu": lambda node: tuple(gpu.id for gpu in node.gpus),
        "fan": lambda node: tuple(fan.id for fan in node.fans),
        "psu": lambda node: tuple(psu.id for psu in node.psus),
        "node": lambda node: (node.name,),
    }
)


def parts(node: Node, kind: str) -> tuple[str, ...]:
    """Ids of the parts of a kind in a node."""
    return _PARTS[kind](node)


@cache
def _modules() -> tuple[str, ...]:
    stems = [entry.name.removesuffix(".py") for entry in files("engine.hands").iterdir() if entry.name.endswith(".py")]
    return tuple(sorted(stem for stem in stems if stem not in ("__init__", "action", "order")))


def catalogue() -> dict[str, HandsAction]:
    """All actions by name, sorted."""
    found = [importlib.import_module(f"engine.hands.{stem}").HANDS for stem in _modules()]
    return {each.name: each for each in sorted(found, key=lambda each: str(each.name))}
