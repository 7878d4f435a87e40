"""What is wrong inside GPU boards and shows again and again: when it shows, and what makes it sleep and wake.

A defect shows about every `every` ns (between half and one and a half of it, by hash) while its GPU answers under a
running system, and, if it is one of those, while the GPU works; else it sleeps until that is so again. It goes with the
board: a reset or a start of the node changes nothing in it. What shows is told by an event; engine.physics.gpu_memory,
engine.physics.nvlink_errors and the driver answer it. Intervals are the faults' to choose.
"""

from __future__ import annotations

from dataclasses import replace

from engine.kernel.events import Event, Handler
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics.load import gpu_load
from engine.world.events import BoardDefectStrikes, BoardDefectStruck, GpuLoadChanged, NodeUp
from engine.world.records import BoardDefect, BootPhase, BusState
from engine.world.world import World

DRAM, BAD_ROW, SRAM, CORRECTED = "dram", "bad_row", "sram", "corrected"
LINK_ERRORS, LINK_DOWN = "link_errors", "link_down"
GSP_STALL, GSP_CRASH, CONTEXT, CONTEXT_STUCK = "gsp_stall", "gsp_crash", "context", "context_stuck"
"""Kinds of defects."""

WORKING = 10
"""Percent of SM utilisation from which a GPU works."""

_SHORTEST = SECOND


def plant(simulation: Simulation[World], gpu_id: str, defect: BoardDefect) -> None:
    """Give a board a defect (in the place of one of its kind and place), which shows at once if it can now."""
    state = simulation.world.gpus[gpu_id]
    others = tuple(each for each in state.defects if (each.kind, each.place) != (defect.kind, defect.place))
    awake = _can_show(simulation.world, gpu_id, defect)
    planted = replace(defect, asleep=not awake)
    simulation.world.gpus.update(gpu_id, defects=(*others, planted))
    if awake:
        simulation.schedule(_strike(simulation.world, gpu_id, planted), 0)


def find(world: World, gpu_id: str, kind: str, place: int) -> BoardDefect | None:
    """The defect of that kind and place, or None."""
    fitting = (each for each in world.gpus[gpu_id].defects if (each.kind, each.place) == (kind, place))
    return next(fitting, None)


def change(simulation: Simulation[World], gpu_id: str, defect: BoardDefect) -> None:
    """Put `defect` in the place of the one of its kind and place."""
    kept = simulation.world.gpus[gpu_id].defects
    same = (defect.kind, defect.place)
    changed = tuple(defect if (each.kind, each.place) == same else each for each in kept)
    simulation.world.gpus.update(gpu_id, defects=changed)


def amount(world: World, gpu_id: str, defect: BoardDefect, what: str) -> int:
    """How much shows this time: between half and one and a half of the defect's amount, at least 1."""
    chance = hash64(world.seed, what, gpu_id, defect.kind, defect.place, defect.strikes)
    return max(1, defect.amount // 2 + chance % (defect.amount + 1))


def _can_show(world: World, gpu_id: str, defect: BoardDefect) -> bool:
    state, node = world.gpus[gpu_id], gpu_id.partition("/")[0]
    if world.nodes[node].phase is not BootPhase.RUNNING or not state.bound or state.bus is not BusState.PRESENT:
        return False
    return not defect.under_load or gpu_load(world, gpu_id).sm >= WORKING


def _strike(world: World, gpu_id: str, defect: BoardDefect) -> BoardDefectStrikes:
    return BoardDefectStrikes(gpu_id, world.gpus[gpu_id].serial, defect.kind, defect.place, defect.strikes)


def _expect(simulation: Simulation[World], gpu_id: str, defect: BoardDefect) -> None:
    chance = hash64(simulation.world.seed, "defect", gpu_id, defect.kind, defect.place, defect.strikes, simulation.now)
    after = defect.every // 2 + chance % (defect.every + 1)
    simulation.schedule(_strike(simulation.world, gpu_id, defect), max(_SHORTEST, after))


def _due(simulation: Simulation[World], event: BoardDefectStrikes) -> None:
    """The defect shows, unless the board was replaced or the defect sleeps."""
    world, defect = simulation.world, find(simulation.world, event.gpu, event.kind, event.place)
    if defect is None or (world.gpus[event.gpu].serial, defect.strikes) != (event.serial, event.strikes):
        return
    if defect.left == 0 or defect.asleep:
        return
    if not _can_show(world, event.gpu, defect):
        change(simulation, event.gpu, replace(defect, asleep=True))
        return
    left = None if defect.left is None else defect.left - 1
    shown = replace(defect, strikes=defect.strikes + 1, left=left)
    change(simulation, event.gpu, shown)
    if left != 0:
        _expect(simulation, event.gpu, shown)
    simulation.publish(BoardDefectStruck(event.gpu, event.kind, event.place))


def _wake(simulation: Simulation[World], event: GpuLoadChanged | NodeUp) -> None:
    """Defects that slept show again some time after their GPU began to work."""
    world = simulation.world
    for gpu in world.node(event.node).gpus:
        for defect in world.gpus[gpu.id].defects:
            if defect.asleep and defect.left != 0 and _can_show(world, gpu.id, defect):
                awake = replace(defect, asleep=False)
                change(simulation, gpu.id, awake)
                _expect(simulation, gpu.id, awake)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (BoardDefectStrikes, _due),
    (GpuLoadChanged, _wake),
    (NodeUp, _wake),
)
