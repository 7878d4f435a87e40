"""Cables that are plugged in elsewhere than the plan has them, cards that tell another GUID, and switches without
power.

A cable's ends and a card's GUID are state; the inventory of a world in which some were changed is the plan with those
changes, so that everything that asks where a cable leads, or who somebody is, sees what there is. LIDs and tables of
the site's first sweep stay those of the plan: the sweep was before. Both ends of every cable that is moved hear that
their link goes, and those that get one that it comes.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.adapters import card, function_number
from engine.world.inventory import Cable, Inventory, Node
from engine.world.world import World

_OF_THE_PLAN: tuple[tuple[object, ...], ...] = (("fresh lids",), ("first tables",))


def move(simulation: Simulation[World], moves: Mapping[str, tuple[str, str]]) -> None:
    """Plug cables (by id) in between other ports. Whoever calls sees to it that a port gets one cable only."""
    world = simulation.world
    before = {cable.id: cable for cable in world.inventory.cables.values() if cable.id in moves}
    plugged = [identifier for identifier in before if world.cables[identifier].plugged]
    for identifier in plugged:
        links.change_cable(simulation, before[identifier], plugged=False)
    planned = _by_id(world.plan)
    for identifier, ends in moves.items():
        if set(ends) == set(planned[identifier].ends):
            world.cabling.forget(identifier)
        else:
            world.cabling.update(identifier, ends=ends)
    world.inventory = as_it_is(world)
    after = _by_id(world.inventory)
    for identifier in plugged:
        links.change_cable(simulation, after[identifier], plugged=True)


def exchange(simulation: Simulation[World], port: str, other: str) -> None:
    """The plugs in two ports change places; one of them may be empty."""
    cables = simulation.world.inventory.cables
    here, there = cables.get(port), cables.get(other)
    moves = {}
    if here is not None and here is there:
        return
    if here is not None:
        moves[here.id] = _with_end(here, port, other)
    if there is not None:
        moves[there.id] = _with_end(there, other, port)
    move(simulation, moves)


def planned(world: World, identifier: str) -> tuple[str, str]:
    """The ports between which the plan has a cable."""
    return _by_id(world.plan)[identifier].ends


def as_planned(world: World, port: str) -> bool:
    """Whether a port has the cable of the plan, which leads where the plan has it; or none, as in the plan."""
    found, labelled = world.inventory.cables.get(port), world.plan.cables.get(port)
    if found is None or labelled is None:
        return found is labelled
    return found.id == labelled.id and found.ends == labelled.ends


def set_power(simulation: Simulation[World], switch: str, powered: bool) -> None:
    """A switch loses its power, or gets it back: all of its links with it."""
    ports = (f"{switch}/{number}" for number in range(1, simulation.world.inventory.switches[switch].ports + 1))
    with ExitStack() as stack:
        for port in ports:
            if port in simulation.world.inventory.cables:
                stack.enter_context(links.telling(simulation, port))
        simulation.world.switches.update(switch, powered=powered)


def _with_end(cable: Cable, old: str, new: str) -> tuple[str, str]:
    first, second = (new if end == old else end for end in cable.ends)
    return first, second


def _by_id(inventory: Inventory) -> Mapping[str, Cable]:
    return inventory.once(("cables by id",), lambda: {cable.id: cable for cable in inventory.cables.values()})


def as_it_is(world: World) -> Inventory:
    """The plan with the cables that were moved, and with cards that tell another GUID."""
    moved = tuple((identifier, world.cabling[identifier].ends) for identifier in world.cabling.changed())
    cards = tuple((card, told) for card in world.adapters.changed() if (told := world.adapters[card].running_guid))
    if not moved and not cards:
        return world.plan
    return world.plan.once(("as it is", moved, cards), lambda: _changed(world, dict(moved), dict(cards)))


def _changed(world: World, moved: Mapping[str, tuple[str, ...]], cards: Mapping[str, int]) -> Inventory:
    plan = world.plan
    world.first_sweep.lids(plan), world.first_sweep.tables(plan)
    kept: dict[tuple[object, ...], object] = {key: plan.once(key, _nothing) for key in _OF_THE_PLAN}
    cables = _by_id(plan).values()
    as_plugged = tuple(
        replace(cable, ends=(moved[cable.id][0], moved[cable.id][1])) if cable.id in moved else cable
        for cable in cables
    )
    found = replace(plan, make_cables=lambda: as_plugged, _once=kept)
    return replace(found, **_identities(plan, cards)) if cards else found


def _identities(plan: Inventory, cards: Mapping[str, int]) -> dict[str, Any]:
    """What an inventory has to hold for cards (by their first device) to tell these base GUIDs."""
    hosts = {found.partition("/")[0] for found in cards}
    nodes = {host: _told(plan.node(host), cards) for host in hosts}
    guids = {host: {hca.port: hca.port_guid for hca in node.hcas} for host, node in nodes.items()}
    return {
        "make_node": lambda name: nodes[name] if name in nodes else plan.node(name),
        "port_guids": lambda name: guids[name] if name in guids else plan.port_guids(name),
        "_nodes": {},
        "_port_guids": {},
    }


def _told(node: Node, cards: Mapping[str, int]) -> Node:
    """A node with the GUIDs that its cards tell: a card's functions count on from its base."""
    bases = {hca.id: cards.get(card(node, hca), 0) for hca in node.hcas}
    told = {hca.id: bases[hca.id] + function_number(hca) for hca in node.hcas if bases[hca.id]}
    hcas = (replace(hca, guid=told[hca.id], port_guid=told[hca.id]) if hca.id in told else hca for hca in node.hcas)
    return replace(node, hcas=tuple(hcas))


def _nothing() -> object:
    return {}
