"""Runs of training jobs: begun when Slurm has launched the ranks, looked at again when something changes on a node, a
link or in the traffic, and given up when ranks wait for too long.

What makes a run slower or faster begins a new regime. A rank that does not come to a collective lets all others wait,
as does a port whose link is gone: NCCL's transport gives up after its timeout, or else the watchdog of the process
group. Then the ranks abort, and the job fails. Starting takes half a minute for imports and data and 20 ms for each
rank (guesses), and a run goes on from the last checkpoint below its directory.
"""

from __future__ import annotations

from dataclasses import replace

from engine.control import processes
from engine.control.slurm import jobs, lifecycle
from engine.kernel.errors import BreakfixError
from engine.kernel.events import Event, Handler
from engine.kernel.simulation import Simulation
from engine.kernel.units import MILLISECOND, SECOND
from engine.workloads.nccl import CollectiveFailed
from engine.workloads.training import communication, configuration, endings, inputs, progress
from engine.world.events import (
    AirChanged,
    GpuLoadChanged,
    GpuLost,
    GpuSettingsChanged,
    JobLaunched,
    JobRunOver,
    LinkChanged,
    NodePowered,
    NvLinksChanged,
    PcieLinkChanged,
    PowerInputChanged,
    ProcessesHeld,
    ThermalRegimeDue,
    TrafficChanged,
    TrainingGivesUp,
)
from engine.world.records import Checkpoint, Job, TrainingRegime, TrainingRun, TrainingStall
from engine.world.world import World

Sim = Simulation[World]
START_UP = 32 * SECOND
START_UP_OF_A_RANK = 20 * MILLISECOND
_TRAINING, _SPINNING = "training", "spinning"


def start_up(ranks: int) -> int:
    """ns from the launch of a run to its first step."""
    return START_UP + ranks * START_UP_OF_A_RANK


def run_of(world: World, job: int) -> TrainingRun | None:
    """The run of a job, over or not; None if it trains nothing."""
    try:
        return world.training[str(job)]
    except BreakfixError:
        return None


def checkpoint_key(job: Job) -> str:
    """The directory below which a job saves its checkpoints."""
    return f"{job.working_directory.rstrip('/')}/checkpoints/{job.name}"


def launched(simulation: Sim, event: JobLaunched) -> None:
    """Ranks have been started: the run begins."""
    world = simulation.world
    job = jobs.active_job(world, event.job)
    gpus = len(job.gpu_indices[0]) if job.gpu_indices else 0
    if job.workload != _TRAINING or not gpus or job.started is None:
        return
    kept = world.checkpoints[checkpoint_key(job)].step
    plan = configuration.from_script(job.script, gpus * len(job.nodes), gpus)
    run = TrainingRun(plan, job.started, job.nodes, gpus, first_step=kept)
    begins = job.started + start_up(run.ranks)
    first = TrainingRegime(begins, progress.after_checkpoint(kept, plan.checkpoint_interval))
    slow, found = _slow(world, job, run, run.nodes), None
    stall = _refused(world, job, run) or _stall(world, job, run, run.nodes)
    if not stall:
        try:
            found = communication.of_run(world, job, run, simulation.now)
            run = replace(run, ports=found.ports, messages=communication.messages(world, job, run, simulation.now))
            first = replace(first, tensor=found.tensor, exchange=found.exchange)
        except CollectiveFailed as failed:
            run, stall = communication.failed(run, failed), TrainingStall("collective", ranks=failed.culprits)
    paced = _paced(world, run, first, slow)
    run = replace(run, last_step=kept + _steps_within(job, run, paced), regimes=(paced,))
    world.training[str(job.id)] = run
    if stall:
        _change(simulation, job, run, replace(paced, step=None, stall=stall))
    elif found:
        communication.send(simulation, job, run, found)
        if communication.is_short(world, job):
            refresh(simulation, job.id, network=True)


def _steps_within(job: Job, run: TrainingRun, regime: TrainingRegime) -> int:
    """How many steps the job's work is, from the time that it takes on healthy machines."""
    if job.duration is None or job.started is None:
        return 0
    end = progress.position_at(regime, run.configuration.checkpoint_interval, job.started + job.duration)
    return max(1, progress.steps_at(end, run.configuration.checkpoint_interval) - run.first_step)


def over(simulation: Sim, event: JobRunOver) -> None:
    """Slurm ends a run: what its last checkpoint keeps is what the next one begins with."""
    world = simulation.world
    run, job = run_of(world, event.job), jobs.active_job(world, event.job)
    if run is None or run.ended is not None:
        return
    ending = run.ending or endings.of_a_rank(world, job, run, simulation.now)
    ended = replace(run, ended=simulation.now, ending=ending)
    world.training[str(job.id)] = ended
    saved = progress.last_saved(ended, simulation.now)
    if job.state == "COMPLETED":
        saved = max(saved, progress.steps_done(ended, simulation.now))
    if saved:
        world.checkpoints[checkpoint_key(job)] = Checkpoint(saved, simulation.now)
    communication.silence(simulation, job)


def give_up(simulation: Sim, event: TrainingGivesUp) -> None:
    """Ranks have waited for as long as they do: they abort, unless the run went on meanwhile.

    What becomes of a job whose node is down is for Slurm to say.
    """
    world = simulation.world
    run, job = run_of(world, event.job), jobs.job(world, event.job)
    if run is None or job is None or run.ended is not None or job.state != "RUNNING":
        return
    regime = run.regimes[-1]
    if regime.stall is None or regime.since != event.since:
        return
    if not all(inputs.is_up(world, host) for host in run.nodes):
        return
    ending = endings.of_stall(world, job, run, simulation.now)
    world.training[str(job.id)] = replace(run, ending=ending)
    endings.fail(simulation, job, run, ending)


def refresh(simulation: Sim, job_id: int, host: str | None = None, *, network: bool = False) -> None:
    """Look at a run again: at the ranks on `host`, where one is named, and with `network` at its communication."""
    world = simulation.world
    run, job = run_of(world, job_id), jobs.job(world, job_id)
    if run is None or job is None or run.ended is not None or job.state != "RUNNING":
        return
    now = run.regimes[-1]
    if now.stall and now.stall.cause in ("collective", "cuda"):
        return
    hosts = run.nodes if now.stall else (host,) if host else ()
    stall = _stall(world, job, run, hosts)
    if stall:
        if now.stall != stall:
            _change(simulation, job, run, replace(now, step=None, stall=stall))
        return
    moving = replace(now, stall=None)
    if network or now.stall:
        moving = communication.measured_again(world, job, run, moving, simulation.now)
    _change(simulation, job, run, _paced(world, run, moving, _slow(world, job, run, hosts)))


def _change(simulation: Sim, job: Job, run: TrainingRun, regime: TrainingRegime) -> None:
    """Begin a regime if it differs from the one that holds: the work of GPUs and the end of the job follow."""
    before = run.regimes[-1]
    if replace(regime, since=before.since, position=before.position) == before:
        return
    since = max(simulation.now, before.since)
    position = progress.position_at(before, run.configuration.checkpoint_interval, since)
    kept = run.regimes[:-1] if since == before.since else run.regimes
    changed = replace(run, regimes=(*kept, replace(regime, since=since, position=position)))
    simulation.world.training[str(job.id)] = changed
    if (regime.stall is None) != (before.stall is None):
        for host in run.nodes:
            processes.change_work(simulation, host, job.id, _SPINNING if regime.stall else _TRAINING)
    communication.adjust(simulation, job, changed)
    if regime.stall and regime.stall.cause != "node":
        patience = endings.patience(job, changed)
        simulation.schedule_at(TrainingGivesUp(job.id, since), since + patience)
    _expect_end(simulation, job, changed)


def _expect_end(simulation: Sim, job: Job, run: TrainingRun) -> None:
    """Tell Slurm when the work will be done at the present pace."""
    if not run.last_step or job.started is None:
        return
    interval = run.configuration.checkpoint_interval
    done = progress.time_of(run.regimes[-1], interval, progress.position_of(run.last_step, interval))
    lifecycle.set_duration(simulation, job.id, None if done is None else done - job.started)


def _paced(world: World, run: TrainingRun, regime: TrainingRegime, slow: tuple[tuple[int, int], ...]) -> TrainingRegime:
    """The regime with the step that follows from slow ranks and from the communication measured last."""
    step = inputs.step(world, run, slow, regime.tensor / SECOND, regime.exchange / SECOND)
    saving = inputs.checkpoint_time(world, run.configuration, len(run.nodes))
    return replace(
        regime,
        step=max(1, round(step.seconds * SECOND)),
        saving=round(saving * SECOND) if run.configuration.checkpoint_interval else 0,
        compute=round(step.compute * SECOND),
        common=round(step.common * SECOND),
        slow=slow,
    )


def _slow(world: World, job: Job, run: TrainingRun, hosts: tuple[str, ...]) -> tuple[tuple[int, int], ...]:
    """The slow ranks, looked for anew on some nodes."""
    known = run.regimes[-1].slow if run.regimes else ()
    for host in hosts:
        first, ranks = _ranks(world, job, run, host)
        fresh = inputs.slow_ranks(world, run.configuration, first, ranks)
        if fresh or known:
            known = (*(each for each in known if not first <= each[0] < first + run.gpus), *fresh)
    return tuple(sorted(known))


def _ranks(world: World, job: Job, run: TrainingRun, host: str) -> tuple[int, list[inputs.Place]]:
    return run.nodes.index(host) * run.gpus, inputs.places(world, job.id, host)


def _stall(world: World, job: Job, run: TrainingRun, hosts: tuple[str, ...]) -> TrainingStall | None:
    """What of some nodes keeps the run from going on: a system that is down, ranks that do not work, ports without a
    link or a way.
    """
    if not all(inputs.is_up(world, host) for host in hosts):
        return TrainingStall("node")
    idle: list[int] = []
    for host in hosts:
        first, ranks = _ranks(world, job, run, host)
        idle += inputs.idle_ranks(world, first, run.gpus, ranks)
    if idle:
        return TrainingStall("rank", ranks=tuple(idle))
    cut = communication.cut_off(world, job, run, hosts)
    return TrainingStall("network", ports=cut) if cut else None


def _refused(world: World, job: Job, run: TrainingRun) -> TrainingStall | None:
    """The ranks that CUDA refuses as they start; of several errors the first rank's counts."""
    refused: list[tuple[int, int]] = []
    for host in run.nodes:
        first, ranks = _ranks(world, job, run, host)
        refused += inputs.refused(world, host, first, ranks)
    if not refused:
        return None
    error = refused[0][1]
    return TrainingStall("cuda", ranks=tuple(rank for rank, code in refused if code == error), cuda_error=error)


def _waits_as_before(world: World, job: Job, run: TrainingRun, host: str) -> bool:
    """Whether a node holds a run that waits up by the same ranks as before, or by none: no other needs a look."""
    stall = run.regimes[-1].stall
    if stall is None or stall.cause == "node" or not inputs.is_up(world, host):
        return False
    first, ranks = _ranks(world, job, run, host)
    held = tuple(rank for rank in stall.ranks if first <= rank < first + run.gpus)
    return inputs.idle_ranks(world, first, run.gpus, ranks) == held


def _jobs_on(world: World, host: str) -> list[int]:
    """Training jobs with ranks on a host, by number."""
    held = {each.job for each in world.systems[host].processes if each.job is not None and each.gpus}
    return sorted(job for job in held if (run := run_of(world, job)) is not None and run.ended is None)


def _refresh_node(simulation: Sim, host: str, *, network: bool = False) -> None:
    for job in _jobs_on(simulation.world, host):
        refresh(simulation, job, host, network=network)


def _node_changed(
    simulation: Sim, event: GpuLoadChanged | GpuSettingsChanged | AirChanged | NodePowered | PowerInputChanged
) -> None:
    _refresh_node(simulation, event.node)


def _gpu_changed(simulation: Sim, event: ThermalRegimeDue | GpuLost) -> None:
    _refresh_node(simulation, event.gpu.partition("/")[0])


def _bus_changed(simulation: Sim, event: PcieLinkChanged | NvLinksChanged) -> None:
    _refresh_node(simulation, event.node, network=True)


def _processes_held(simulation: Sim, event: ProcessesHeld) -> None:
    for job in event.jobs:
        refresh(simulation, job, event.host)


def _link_changed(simulation: Sim, event: LinkChanged) -> None:
    """A link of a node concerns the jobs there; one between switches is heard of through the traffic."""
    host = event.port.partition("/")[0]
    if host in simulation.world.inventory.node_index:
        _refresh_node(simulation, host, network=True)


def _traffic_changed(simulation: Sim, event: TrafficChanged) -> None:
    """Other traffic leaves a job another share of its links."""
    for name in event.owners:
        kind, _, number = name.partition("/")
        if kind == "job" and number.isdecimal():
            refresh(simulation, int(number), network=True)


HANDLERS: tuple[tuple[type[Event], Handler], ...] = (
    (JobLaunched, launched),
    (JobRunOver, over),
    (TrainingGivesUp, give_up),
    (GpuLoadChanged, _node_changed),
    (GpuSettingsChanged, _node_changed),
    (AirChanged, _node_changed),
    (PowerInputChanged, _node_changed),
    (NodePowered, _node_changed),
    (ThermalRegimeDue, _gpu_changed),
    (GpuLost, _gpu_changed),
    (PcieLinkChanged, _bus_changed),
    (NvLinksChanged, _bus_changed),
    (ProcessesHeld, _processes_held),
    (LinkChanged, _link_changed),
    (TrafficChanged, _traffic_changed),
)
