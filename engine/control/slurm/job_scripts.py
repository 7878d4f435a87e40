"""What the end of a script on a node means for its job and its node, and when health checks run.

slurmctld asks the nodes whose state HealthCheckNodeState names for a health check every HealthCheckInterval; slurmd
runs one at its start, too. Sources: see engine.control.slurm.node_scripts; SchedMD/slurm src/slurmctld/ping_nodes.c
(run_health_check).
"""

from __future__ import annotations

from engine.control.slurm import configuration, contact, jobs, lifecycle, logs, node_scripts, registration
from engine.control.slurm.node_scripts import EPILOG, HEALTH_CHECK, PROLOG
from engine.control.slurm.nodes import survey
from engine.control.slurm.states import Base, NodeCondition
from engine.kernel.actions import Action
from engine.kernel.events import Event, Handler
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.simulation import Simulation
from engine.world.events import NodeStopping, ProcessesEnded
from engine.world.records import NodeScript
from engine.world.slurm_events import ConfigurationRead, HealthCheckDue, NodeScriptDue, NodeScriptFailed
from engine.world.world import World

Sim = Simulation[World]
HELD = "launch failed requeued held"
_KILLED = 128 + 9
_RESEND = node_scripts.RESEND


@dataclass(frozen=True, slots=True)
class BeginNodeScript(Action):
    """A shell runs a script of a node."""

    number: int

    def perform(self, simulation: Sim) -> None:
        node_scripts.mark_begun(simulation, self.number)


@dataclass(frozen=True, slots=True)
class LeaveNodeScript(Action):
    """The shell that ran a script is gone: the next shell runs it from its beginning."""

    number: int

    def perform(self, simulation: Sim) -> None:
        node_scripts.mark_begun(simulation, self.number, False)


@dataclass(frozen=True, slots=True)
class FollowWords(Action):
    """A script is in a language that no shell of ours runs: how long it takes follows from its words."""

    number: int

    def perform(self, simulation: Sim) -> None:
        script = node_scripts.find(simulation.world, self.number)
        if script is not None:
            node_scripts.guess_end(simulation, script, "words")


@dataclass(frozen=True, slots=True)
class EndNodeScript(Action):
    """A script has ended with `status` (128 and the number for a signal), and has said something."""

    number: int
    status: int
    said: str = ""

    def perform(self, simulation: Sim) -> None:
        script = node_scripts.find(simulation.world, self.number)
        if script is not None:
            end(simulation, script, self.status, self.said)


def end(simulation: Sim, script: NodeScript, status: int, said: str) -> None:
    """A script is over."""
    node_scripts.remove(simulation, script)
    if status:
        node_scripts.log_failure(simulation, script, status, said)
        _failed(simulation, script.kind, script.node, script.job, status)
    if script.kind == PROLOG:
        lifecycle.launch_waiting(simulation, script.job)
    elif script.kind == EPILOG:
        _finish(simulation, script.job)


def look(simulation: Sim, event: NodeScriptDue) -> None:
    """The moment has come at which a script would be done, is killed, or its job is asked for again."""
    script = node_scripts.find(simulation.world, event.number)
    if script is None or (event.step == "guessed" and script.begun):
        return
    if event.step == "slow":
        line = f"Resending TERMINATE_JOB request JobId={script.job} Nodelist={script.node}"
        logs.controller(simulation, line)
        simulation.schedule(event, _RESEND)
    else:
        end(simulation, script, _KILLED if event.step == "timed_out" else 0, "")


def not_run(simulation: Sim, event: NodeScriptFailed) -> None:
    """A script that should have run could not."""
    _failed(simulation, event.kind, event.node, event.job, 0)
    if event.kind == EPILOG:
        _finish(simulation, event.job)


def processes_ended(simulation: Sim, event: ProcessesEnded) -> None:
    """Somebody killed a script."""
    if event.why != "killed":
        return
    for script in simulation.world.slurm[""].node_scripts:
        if script.node == event.host and script.pid in event.pids:
            end(simulation, script, 128 + event.signal, "")


def node_stops(simulation: Sim, event: NodeStopping) -> None:
    """What ran on a node is gone with it; its slurmd will start anew and know nothing of the jobs."""
    gone = [each for each in simulation.world.slurm[""].node_scripts if each.node == event.node]
    for script in gone:
        node_scripts.remove(simulation, script)
    for number in sorted({script.job for script in gone if script.kind == EPILOG}):
        _finish(simulation, number)


def check_health(simulation: Sim, event: HealthCheckDue) -> None:
    """A round of health checks."""
    world = simulation.world
    if world.slurm[""].health_check_due != simulation.now or not registration.controller_runs(world):
        return
    cluster, wanted = (
        survey(world),
        configuration.in_force(world).text("HealthCheckNodeState", "ANY").upper().split(","),
    )
    running = {each.node for each in world.slurm[""].node_scripts if each.kind == HEALTH_CHECK}
    for node in cluster.configuration.nodes:
        checked = node not in running and _is_checked(cluster.condition(node), wanted)
        if checked and contact.answers(world, node, simulation.now):
            node_scripts.order(simulation, HEALTH_CHECK, node)
    plan_health_checks(simulation)


def configuration_read(simulation: Sim, event: ConfigurationRead) -> None:
    """Health checks may have been asked for, at another interval, or not any more."""
    del event
    plan_health_checks(simulation)


def plan_health_checks(simulation: Sim) -> None:
    """The next round, if there are to be any."""
    known = configuration.in_force(simulation.world)
    interval = known.duration("HealthCheckInterval", 0)
    due = simulation.now + interval if interval and known.text("HealthCheckProgram") else None
    simulation.world.slurm.update("", health_check_due=due)
    if due is not None:
        simulation.schedule_at(HealthCheckDue(), due)


def _is_checked(condition: NodeCondition, wanted: list[str]) -> bool:
    """Whether a node is in one of the states of HealthCheckNodeState; one that is down is none (ping_nodes.c)."""
    if condition.base in (Base.DOWN, Base.UNKNOWN, Base.FUTURE):
        return False
    states = {Base.IDLE: "IDLE", Base.ALLOCATED: "ALLOC", Base.MIXED: "MIXED"}
    if "NONDRAINED_IDLE" in wanted and condition.base is Base.IDLE and not condition.drained:
        return True
    return "ANY" in wanted or wanted == ["CYCLE"] or states.get(condition.base, "") in wanted


def _failed(simulation: Sim, kind: str, node: str, number: int, status: int) -> None:
    """What slurmd and slurmctld make of a script that failed."""
    if kind not in (PROLOG, EPILOG):
        return
    code, signal = (0, status - 128) if status > 128 else (status, 0)
    logs.write(simulation, node, logs.SLURMD, f"error: [job {number}] {kind} failed status={code}:{signal}")
    if kind == EPILOG:
        logs.controller(
            simulation, f"error: job_epilog_complete: JobId={number} epilog error on {node}, draining the node"
        )
        registration.drain(simulation, node, "Epilog error")
        return
    logs.controller(
        simulation,
        f"error: validate_node_specs: Prolog or job env setup failure on node {node}, draining the node",
    )
    registration.drain(simulation, node, "Prolog error")
    _give_back(simulation, number)


def _give_back(simulation: Sim, number: int) -> None:
    """A job whose prolog failed goes back to the queue and is held; one with an srun behind it fails."""
    job = jobs.job(simulation.world, number)
    if job is None or job.state != "RUNNING":
        return
    if job.interactive:
        lifecycle.end(simulation, job, "FAILED", exit_code=1, reason="NonZeroExitCode")
        return
    logs.controller(simulation, f"error: Prolog launch failure, JobId={number}")
    held = "nohold_on_prolog_fail" not in configuration.in_force(simulation.world).text("SchedulerParameters")
    lifecycle.requeue(simulation, job, "NODE_FAIL", exit_code=1)
    if held:
        lifecycle.put(simulation, number, held=True, held_because=HELD)


def _finish(simulation: Sim, number: int) -> None:
    job = jobs.job(simulation.world, number)
    if job is not None and job.completing and not node_scripts.pending(simulation.world, EPILOG, number):
        lifecycle.finish(simulation, job)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (NodeScriptDue, look),
    (NodeScriptFailed, not_run),
    (HealthCheckDue, check_health),
    (ConfigurationRead, configuration_read),
    (ProcessesEnded, processes_ended),
    (NodeStopping, node_stops),
)
