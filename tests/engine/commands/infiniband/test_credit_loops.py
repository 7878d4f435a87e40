"""Routes that somebody wrote by hand and opensm takes from a file: in a circle of waiting, and gone stale."""

from __future__ import annotations

import re

import pytest

from engine.control import files
from engine.control.subnet_manager import default_file
from engine.control.subnet_manager.configuration import CONFIGURATION
from engine.control.subnet_manager.lids import end_port, lid
from engine.control.subnet_manager.managers import UNIT
from engine.control.systemd import RestartUnit
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.physics.traffic import exchange, routes
from engine.simulation import open_site
from engine.world.records import Flow
from engine.world.world import World
from tests.support.run import run_command

HEAD, FILE = "head-01", "/etc/opensm/lfts.conf"
LEAVES, SPINES = ("leaf-01", "leaf-02", "leaf-03"), ("spine-01", "spine-02", "spine-03")


def on_head(simulation: Simulation[World], line: str) -> str:
    return run_command(simulation, HEAD, "root", line).stdout


def port_to(world: World, switch: str, other: str) -> int:
    """The first port of a switch that leads to another one."""
    numbers = range(1, world.inventory.switches[switch].ports + 1)
    peers = ((number, links.peer(world.inventory, f"{switch}/{number}") or "") for number in numbers)
    return next(number for number, far in peers if far.rpartition("/")[0] == other)


def adapters(world: World, leaf: str) -> list[str]:
    cables = world.inventory.cables
    ends = (cables[port].other(port) for port in cables if port.startswith(f"{leaf}/"))
    return sorted(end for end in ends if end.startswith("dgx-"))


def with_entries(world: World, dump: str, switch: str, leaf: str, port: int) -> str:
    """The dump with another port in a switch's entries for the adapters of a leaf."""
    lids = "|".join(f"0x{lid(world, end):04x}" for end in adapters(world, leaf))
    guid = f"0x{world.inventory.switches[switch].guid:016x}"
    head, own, rest = re.split(rf"(Unicast lids [^\n]* guid {guid} .*?valid lids dumped)", dump, flags=re.DOTALL)
    return head + re.sub(rf"(?m)^({lids}) \d+ ", rf"\1 {port:03d} ", own) + rest


def looping(world: World, dump: str) -> str:
    """Each leaf reaches the one before it only past the one after it, so that three ways wait for each other."""
    for number, leaf in enumerate(LEAVES):
        target, past = LEAVES[number - 1], LEAVES[(number + 1) % 3]
        up, on = SPINES[number], SPINES[(number + 1) % 3]
        for switch, towards in ((leaf, up), (up, past), (past, on), (on, target)):
            dump = with_entries(world, dump, switch, target, port_to(world, switch, towards))
    return dump


def route_from(simulation: Simulation[World], dump: str) -> None:
    files.write(simulation, HEAD, FILE, dump.encode(), uid=0, gid=0)
    text = default_file.text(simulation.world.inventory, HEAD)
    text = text.replace("routing_engine (null)", "routing_engine file").replace("lfts_file (null)", f"lfts_file {FILE}")
    files.write(simulation, HEAD, CONFIGURATION, text.encode(), uid=0, gid=0)
    simulation.apply(RestartUnit(HEAD, UNIT, "root"))
    simulation.advance(5 * SECOND)


@pytest.fixture
def unit() -> Simulation[World]:
    return open_site("dgx-h100-su", 1)


def test_routes_as_the_manager_made_them_have_no_credit_loop(unit: Simulation[World]) -> None:
    said = on_head(unit, "ibdiagnet -r")
    assert "-I- no credit loops found" in said
    assert re.search(r"-I- Scanned:\d+ CA to CA paths ", said)


def test_hand_made_routes_wait_for_each_other(unit: Simulation[World]) -> None:
    world = unit.world
    route_from(unit, looping(world, on_head(unit, "dump_fts")))
    said = on_head(unit, "ibdiagnet -r")
    assert "-E- credit loops in routing" in said
    assert re.search(r"Found credit loop on: (leaf|spine)-0\d/U1/P\d+ VL: 0", said)
    first, second = adapters(world, LEAVES[0])[20], adapters(world, LEAVES[2])[20]
    way = routes.path(world, first, second)
    assert way and len(way) == 6


def test_in_a_circle_nothing_moves_when_it_is_full(unit: Simulation[World]) -> None:
    world = unit.world
    route_from(unit, looping(world, on_head(unit, "dump_fts")))
    pairs = [(leaf, LEAVES[number - 1]) for number, leaf in enumerate(LEAVES)]
    flows = [
        Flow(adapters(world, source)[place], adapters(world, target)[place + 8], 390 * 10**9)
        for source, target in pairs
        for place in (20, 21, 22)
    ]
    assert exchange.open_bundle(unit, "all", flows) == 0


def test_what_changes_is_not_routed_around(unit: Simulation[World]) -> None:
    world = unit.world
    source, target = adapters(world, LEAVES[0])[20], adapters(world, LEAVES[1])[20]
    route_from(unit, on_head(unit, "dump_fts"))
    way = routes.path(world, source, target)
    assert way
    links.set_enabled(unit, way[1], False)
    unit.advance(5 * SECOND)
    assert routes.path(world, source, target) is None
    said = on_head(unit, "ibdiagnet -r")
    leaf = world.inventory.switches[end_port(way[1]).partition("/")[0]].name
    assert f"-E- Dead end at:{leaf}/U1" in said
    assert "-E- Fail to build dependency graphs." in said
    assert "file tables configured" in on_head(unit, "tail -n 30 /var/log/opensm.log")
