"""Whatever fails and is mended, in whatever order: the diagnostics show the links that are there, ways between adapters
end where they should as soon as a manager has swept, and no counter falls.
"""

from __future__ import annotations

import re
from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import cabling, links, port_counters
from engine.simulation import open_document
from engine.world.world import World
from tests.engine.control.subnet_manager.routing.drawings import two_tier
from tests.support.run import run_command

Link = frozenset[tuple[int, int]]
"""GUID and port number of both ends."""

KINDS = ("pull", "plug", "off", "on", "exchange", "home", "dark", "lit", "restart")
STEPS = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 99)), min_size=1, max_size=8)


@cache
def untouched() -> Simulation[World]:
    """Three leaves with three adapters each, two spines."""
    return open_document(two_tier(3, 2, 3, ports=8).text().encode(), "drawn.net", 1, {})


def take(simulation: Simulation[World], step: str, number: int) -> None:
    """One failure or repair of the numbered cable, port or switch."""
    world = simulation.world
    cables = sorted(world.inventory.cables.values(), key=lambda each: each.id)
    cable, other = cables[number % len(cables)], cables[number * 7 % len(cables)]
    spine = sorted(name for name in world.inventory.switches if "spine" in name)[number % 2]
    if step in ("pull", "plug"):
        links.change_cable(simulation, cable, plugged=step == "plug")
    elif step in ("off", "on"):
        links.set_enabled(simulation, cable.ends[0], step == "on")
    elif step == "exchange":
        cabling.exchange(simulation, cable.ends[1], other.ends[1])
    elif step == "home":
        here, there = next(each for each in cables if each.id == cable.id).ends, cabling.planned(world, cable.id)
        for near, far in zip(here, there, strict=True):
            if near != far:
                cabling.exchange(simulation, near, far)
    elif step == "restart":
        run_command(simulation, world.inventory.login_host, "root", "systemctl restart opensm")
    else:
        cabling.set_power(simulation, spine, step == "lit")


def graph(world: World) -> set[Link]:
    """The links that are up, in the part of the fabric that cables join to the login host."""
    inventory = world.inventory
    up = [cable.ends for cable in inventory.cables.values() if links.link_up(world, cable.ends[0])]
    reached = {inventory.login_host}
    while (
        new := {
            far for ends in up for near, far in (map(_device, ends), map(_device, reversed(ends))) if near in reached
        }
        - reached
    ):
        reached |= new
    return {frozenset(_named(world, end) for end in ends) for ends in up if _device(ends[0]) in reached}


def _device(port: str) -> str:
    return port.partition("/")[0]


def _named(world: World, port: str) -> tuple[int, int]:
    device, _, number = port.rpartition("/")
    switch = world.inventory.switches.get(device)
    return (switch.guid if switch else world.inventory.port_guid(port)), int(number)


def on(simulation: Simulation[World], line: str) -> str:
    return run_command(simulation, simulation.world.inventory.login_host, "root", line).stdout


_SWITCH_PORT = re.compile(r'\[(\d+)\]\s+"[SH]-([0-9a-f]+)"\[(\d+)\](?:\(([0-9a-f]+)\))?')
_LINE = re.compile(r'^(0x\w+) ".*?"\s+\d+\s+(\d+)\[.*LinkUp\)==>\s+(0x\w+)\s+\d+\s+(\d+)\[')


def discovered(text: str) -> set[Link]:
    """Links that ibnetdiscover lists below its switches."""
    found = set[Link]()
    for block in text.split("\n\n"):
        if head := re.search(r"^switchguid=0x\w+\((\w+)\)", block, re.MULTILINE):
            for port, far, far_port, guid in _SWITCH_PORT.findall(block):
                found.add(frozenset([(int(head[1], 16), int(port)), (int(guid or far, 16), int(far_port))]))
    return found


def listed(text: str) -> set[Link]:
    """Links that iblinkinfo -l calls up."""
    matches = [match.groups() for line in text.splitlines() if (match := _LINE.match(line))]
    return {frozenset([(int(near, 16), int(port)), (int(far, 16), int(there))]) for near, port, far, there in matches}


def counted(simulation: Simulation[World]) -> dict[tuple[str, str], int]:
    world, now = simulation.world, simulation.now
    return {
        (port, name): value
        for port in world.plan.cables
        for name, value in {**port_counters.errors(world, port, now), **port_counters.traffic(world, port, now)}.items()
    }


def ways_end(simulation: Simulation[World]) -> None:
    """From the login host a way leads to every adapter that it is joined to, over links that are there."""
    world = simulation.world
    joined = graph(world)
    ends = {guid for link in joined for guid, _ in link}
    own = next((port for port in world.inventory.cables if port.startswith(f"{world.inventory.login_host}/")), None)
    if own is None or _named(world, own)[0] not in ends:
        return
    for port in (each for each in world.plan.cables if each.count("/") > 1):
        guid = _named(world, port)[0]
        if guid in ends and port != own:
            told = on(simulation, f"ibtracert -G {_named(world, own)[0]:#x} {guid:#x}")
            hops = re.findall(r"^\[(\d+)\] -> \w+ port \{(0x\w+)\}\[(\d+)\]", told, re.MULTILINE)
            assert told.splitlines()[-1].startswith("To ca ") and int(hops[-1][1], 16) == guid, told
            places = [_named(world, own)[0], *(int(hop[1], 16) for hop in hops)]
            for near, (out, far, there) in zip(places, hops, strict=False):
                assert frozenset([(near, int(out)), (int(far, 16), int(there))]) in joined
            assert len(set(places)) == len(places), "a loop"


@settings(max_examples=15)
@given(STEPS)
def test_tools_and_graph_agree_after_any_failures_and_repairs(steps: list[tuple[str, int]]) -> None:
    simulation = untouched().fork()
    before = counted(simulation)
    for step, number in steps:
        take(simulation, step, number)
        simulation.advance(20 * SECOND)
        joined = graph(simulation.world)
        if joined:
            assert discovered(on(simulation, "ibnetdiscover")) == joined
            assert listed(on(simulation, "iblinkinfo -l")) == joined
        now = counted(simulation)
        assert {key for key, value in before.items() if now[key] < value} == set()
        before = now
    simulation.advance(60 * SECOND)
    ways_end(simulation)
