"""Harm done by an operator's acts (the blast radius): what safety rules and scores read."""

from __future__ import annotations

from engine.kernel.simulation import Simulation
from engine.world.records import Harm
from engine.world.world import World


def record(simulation: Simulation[World], kind: str, what: str, cause: str) -> None:
    """Note harm of `kind` (job_killed, node_down, gpu_lost_work, service_stopped, data_lost) to `what`; the same at the
    same moment once.
    """
    table = simulation.world.blast_radius
    harm, harms = Harm(simulation.now, kind, what, cause), table[""].harms
    if all((known.time, known.kind, known.what) != (harm.time, kind, what) for known in harms[-64:]):
        table.update("", harms=(*harms, harm))


def harms(world: World) -> tuple[Harm, ...]:
    """All harm so far, oldest first."""
    return world.blast_radius[""].harms
