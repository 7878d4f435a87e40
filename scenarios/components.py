"""Components and causes that a diagnosis may name. Neither list depends on what is wrong, so neither tells."""

from __future__ import annotations

from collections.abc import Mapping

from engine.facts.kinds import BY_NAME
from engine.kernel.names import unknown
from engine.world.world import World
from scenarios.model import Scenario
from scenarios.script import MoveError

NOTHING = "none"
"""The component of a diagnosis that says that nothing is broken."""

HEALTHY = "nothing-broken"
"""The cause of such a diagnosis."""

_PLACES = ("host", "switch", "rack")
_PARTS = ("gpu", "nvswitch", "hca", "port", "fan", "psu", "drive", "pdu", "strip")


def causes(scenario: Scenario | None = None) -> dict[str, str]:
    """Every cause that a diagnosis may name, with its title: the catalogue's faults, the scenario's own, and none."""
    from engine.faults.fault import catalogue

    known = {fault.id: fault.title for fault in catalogue().values()}
    return {**known, **(scenario.causes if scenario else {}), HEALTHY: "Nothing is broken"}


def require_component(world: World, component: str) -> str:
    """The component, if the site has it. Raises MoveError with the nearest ones."""
    known = _candidates(world, component)
    if component not in known:
        raise MoveError(unknown("component", component, known))
    return component


def require_cause(known: Mapping[str, str], cause: str) -> str:
    """The cause, if it is one of the vocabulary. Raises MoveError with the nearest ones."""
    if cause not in known:
        raise MoveError(unknown("cause", cause, known))
    return cause


def node_of(component: str) -> str:
    """The machine or switch that a component is part of, or is."""
    return component.partition("/")[0]


def places(world: World) -> list[str]:
    """Machines, switches and racks."""
    return [identifier for name in _PLACES for identifier in BY_NAME[name].ids(world, None)]


def parts(world: World, place: str) -> list[str]:
    """The parts of a machine or switch."""
    return [part for name in _PARTS for part in BY_NAME[name].ids(world, place)]


def _candidates(world: World, component: str) -> list[str]:
    """Machines and switches, and the parts of the one that is meant."""
    known, place = places(world), node_of(component)
    return [NOTHING, *known, *(parts(world, place) if place in known else ())]
