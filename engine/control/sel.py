"""The system event log (SEL) of a node's BMC: what it holds, how full it is, and writing to it.

Entries bear the time of the BMC's own clock. A full log takes no more until somebody clears it, and says that something
overflowed: the linear policy of MegaRAC firmware (others overwrite the oldest; which one a DGX has set is a guess).
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.control.history.event_log import past_events
from engine.kernel.actions import Action
from engine.kernel.simulation import Simulation
from engine.physics import supplies
from engine.world.records import Sel, SelEntry, SelFlood
from engine.world.world import World

CAPACITY = 3_639
"""Entries that a SEL holds: 64 KiB of 18 bytes each. A guess."""

_SURELY_ROOM = CAPACITY - 400
"""With fewer entries since the site's start there is room, whatever was before."""


def clock(world: World, host: str, now: int) -> int:
    """The time (ns since the site's start) that the BMC's clock shows."""
    return now + world.bmcs[host].clock_skew


def sel(world: World, host: str) -> list[SelEntry]:
    """The system event log, oldest first: what was before the site's start unless cleared since, and what came."""
    state = world.sel[host]
    past = past_events(world, host) if state.cleared_at is None else ()
    if state.flood is not None:
        past = (*(entry for entry in past if entry.time < state.flood.first), *_flooded(world, host, state.flood))
    return [*past, *state.entries][:CAPACITY]


def is_full(world: World, host: str) -> bool:
    """Whether nothing more can be written."""
    state = world.sel[host]
    return (state.flood is not None or len(state.entries) > _SURELY_ROOM) and len(sel(world, host)) >= CAPACITY


def fullness(world: World, host: str) -> int:
    """How much of the log is used, in percent."""
    return 100 * len(sel(world, host)) // CAPACITY


def add_sel(
    simulation: Simulation[World],
    host: str,
    sensor_type: str,
    sensor: str,
    event: str,
    *,
    asserted: bool = True,
    detail: str = "",
) -> None:
    """Write an entry now, if the BMC is able to."""
    world = simulation.world
    if world.bmcs[host].hung == "all" or not supplies.standby(world, world.node(host)):
        return
    if is_full(world, host):
        world.sel.update(host, overflowed=True)
        return
    entry = SelEntry(clock(world, host, simulation.now), sensor_type, sensor, event, asserted, detail)
    world.sel.update(host, entries=(*world.sel[host].entries, entry))


@dataclass(frozen=True, slots=True)
class ClearSel(Action):
    """ipmitool sel clear: only the entry that says so is left."""

    host: str
    by: str

    def perform(self, simulation: Simulation[World]) -> None:
        simulation.world.sel[self.host] = Sel((), simulation.now)
        add_sel(simulation, self.host, "Event Logging Disabled", "SEL", "Log area reset/cleared")


@dataclass(frozen=True, slots=True)
class SetSelTime(Action):
    """ipmitool sel time set: the BMC's clock shows `time` (ns since the site's start) now."""

    host: str
    time: int
    by: str

    def perform(self, simulation: Simulation[World]) -> None:
        simulation.world.bmcs.update(self.host, clock_skew=self.time - simulation.now)


def _flooded(world: World, host: str, flood: SelFlood) -> tuple[SelEntry, ...]:
    def make() -> tuple[SelEntry, ...]:
        times = (flood.first + number * flood.every for number in range(flood.count))
        pairs = enumerate(times)
        return tuple(
            SelEntry(time, flood.sensor_type, flood.sensor, flood.event, number % 2 == 0) for number, time in pairs
        )

    return world.inventory.once(("flooded log", host, flood), make)
