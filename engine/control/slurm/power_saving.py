"""Nodes that slurmctld powers down and up: `scontrol update state=POWER_DOWN|POWER_UP`, and the programs that do it.

slurmctld looks every ten seconds: an idle node that is to go down is given to SuspendProgram and counts as powered down
after SuspendTimeout; one that is to come up is given to ResumeProgram and must register within ResumeTimeout. The
programs are files of slurmctld's host, run there as SlurmUser with the nodes' names; what they do to the machines is
theirs. Without them the wish stays a wish (`idle!`). Rules and texts: SchedMD/slurm 24.11 power_save.c and
node_mgr.c (update_node). Simplifications: nodes are not powered down for being idle (SuspendTime), and a job does not
wake one.
"""

from __future__ import annotations

from engine.control.slurm import charge, configuration, logs, node_scripts, registration
from engine.control.slurm.nodes import survey
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.world.slurm_events import PowerDue
from engine.world.world import World

Sim = Simulation[World]
DOWN, UP, DOWN_ASAP, DOWN_FORCE = "POWER_DOWN", "POWER_UP", "POWER_DOWN_ASAP", "POWER_DOWN_FORCE"
STATES = (DOWN, UP, DOWN_ASAP, DOWN_FORCE)
ASKED, GOING_DOWN, IS_DOWN, COMING_UP = "asked", "going_down", "down", "coming_up"
EXPECTED = (GOING_DOWN, IS_DOWN, COMING_UP)
"""While a node is in one of these nobody wonders that it is silent."""

_LOOK = 10 * SECOND
_LATE = "ResumeTimeout reached"


def ask(simulation: Sim, node: str, state: str) -> None:
    """An operator wants a node down or up."""
    table = simulation.world.slurm_nodes
    power = table[node].power
    if state == UP:
        if power == IS_DOWN:
            logs.controller(simulation, f"powering up node {node}")
            _change(simulation, node, COMING_UP)
        return
    if power == GOING_DOWN:
        logs.controller(simulation, f"ignoring power down request for node {node}, already powering down")
        return
    if state == DOWN_FORCE:
        registration.kill_jobs(simulation, node, by="scontrol update state=power_down_force")
    elif state == DOWN_ASAP:
        registration.drain(simulation, node, DOWN_ASAP)
    repeated = "power down request repeating for" if power == IS_DOWN else "powering down"
    logs.controller(simulation, f"{repeated} node {node}")
    _change(simulation, node, ASKED)


def look(simulation: Sim, event: PowerDue) -> None:
    """slurmctld's power saving looks at a node whose power is to change."""
    world = simulation.world
    record = world.slurm_nodes[event.node]
    if record.power_since != event.since or not charge.runs(world):
        return
    known = configuration.in_force(world)
    if record.power == ASKED and known.text("SuspendProgram"):
        _suspend(simulation, event.node)
    elif record.power == GOING_DOWN:
        _change(simulation, event.node, IS_DOWN, None)
    elif record.power == COMING_UP and event.step == "look":
        _run(simulation, "ResumeProgram", event.node)
        limit = known.duration("ResumeTimeout", 60)
        simulation.schedule(PowerDue(event.node, event.since, "late"), limit)
    elif record.power == COMING_UP:
        limit = known.number("ResumeTimeout", 60)
        text = f"node {event.node} not resumed by ResumeTimeout({limit}), setting DOWN and POWERED_DOWN"
        logs.controller(simulation, text)
        registration.take_down(simulation, event.node, _LATE)
        _change(simulation, event.node, IS_DOWN, None)


def _suspend(simulation: Sim, node: str) -> None:
    """Give an idle node to SuspendProgram; one that works is looked at again."""
    held = survey(simulation.world).held(node)
    if held.running or held.completing:
        since = simulation.world.slurm_nodes[node].power_since
        simulation.schedule(PowerDue(node, since, "look"), _LOOK)
        return
    _run(simulation, "SuspendProgram", node)
    timeout = configuration.in_force(simulation.world).duration("SuspendTimeout", 30)
    _change(simulation, node, GOING_DOWN, timeout)


def _change(simulation: Sim, node: str, power: str, look_after: int | None = _LOOK) -> None:
    """The power of a node is to change, or has changed; slurmctld looks again after a while (None: it need not)."""
    simulation.world.slurm_nodes.update(node, power=power, power_since=simulation.now)
    if look_after is not None:
        simulation.schedule(PowerDue(node, simulation.now, "look"), look_after)


def _run(simulation: Sim, setting: str, node: str) -> None:
    path = configuration.in_force(simulation.world).text(setting)
    host = charge.in_charge(simulation.world)
    if path and not node_scripts.run_program(simulation, setting, host, path, (node,)):
        logs.controller(simulation, f"error: power_save: {setting} {path} can not be executed")


HANDLERS: tuple[tuple[type[Event], Handler], ...] = ((PowerDue, look),)
