"""Typing lines in a sandbox and learning from what they print, as a session does."""

from __future__ import annotations

from engine.faults.fault import parse_fault
from engine.kernel.simulation import Simulation
from engine.simulation import new_simulation
from engine.world.world import World
from tests.support.sessions import type_lines
from tests.support.worlds import inventory
from tui.look.glyphs import State
from tui.seen.knowledge import Knowledge, Sighting
from tui.seen.recognize import recognize


def sandbox(fault: str = "", wait: int = 0) -> Simulation[World]:
    """A simulation of the first site with a fault in it, some time later."""
    simulation = new_simulation(inventory(), 1)
    if fault:
        simulation.apply(parse_fault(fault))
    simulation.advance(wait)
    return simulation


def look(simulation: Simulation[World], *lines: str, host: str = "head-01") -> Knowledge:
    """What somebody knows who has typed the lines."""
    knowledge = Knowledge(simulation.world.inventory)
    for line, result in zip(lines, type_lines(simulation, lines, host=host, interactive=True), strict=True):
        knowledge.take(host, line, result.output.decode(), simulation.now)
    return knowledge


def learnt(line: str, output: str, host: str = "head-01") -> list[Sighting]:
    """What a line with this output teaches."""
    return list(recognize(inventory(), host, line, output, 0))


def told(sightings: list[Sighting]) -> set[tuple[str, str, str, State]]:
    """The sightings without time and source."""
    return {(one.component, one.aspect, one.value, one.state) for one in sightings}
