"""How a run ends by itself: how long ranks wait, who is named, and what Slurm is told.

A send over a link that is gone is retried seven times with a timeout of 4.096 us x 2^20 (NCCL_IB_TIMEOUT, since NCCL
2.23) before both peers get a completion with status 12. Where no rank gets an error, each waits until the watchdog of
its process group ends it by SIGABRT. Slurm gives a script the exit code of srun, 128 and the signal; torchrun ends
with 1 whatever its processes died of.
"""

from __future__ import annotations

from engine.control import processes
from engine.control.slurm import lifecycle, logs, script
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics.load import bound_gpus
from engine.workloads.training import inputs
from engine.world.records import BusState, Job, TrainingEnding, TrainingRun
from engine.world.world import World

_TIMEOUT, _RETRIES = 20, 7  # NCCL_IB_TIMEOUT and NCCL_IB_RETRY_CNT as NCCL has them
_TIMEOUT_UNIT = 4_096
_ABORTING = 1 * SECOND
_STARTING_CUDA = 9 * SECOND
"""From the launch of a rank to its first call to CUDA, after PyTorch was imported (guess)."""

_ABORTED, _EXCEPTION = 134, 1
_KILLED = 137


def patience(job: Job, run: TrainingRun) -> int:
    """ns after which ranks that wait give up."""
    stall = run.regimes[-1].stall
    if stall is not None and stall.cause == "collective" and run.patience:
        return run.patience
    if stall is not None and stall.cause == "cuda":
        return _STARTING_CUDA
    if stall is None or stall.cause != "network":
        return run.configuration.watchdog
    variables = dict(script.exports(job.script))
    timeout = _number(variables.get("NCCL_IB_TIMEOUT", ""), _TIMEOUT)
    retries = _number(variables.get("NCCL_IB_RETRY_CNT", ""), _RETRIES)
    transport = (_TIMEOUT_UNIT << timeout) * max(1, retries) + _ABORTING
    return min(transport, run.configuration.watchdog)


def _number(text: str, usual: int) -> int:
    return int(text) if text.isdecimal() and int(text) < 32 else usual


def of_stall(world: World, job: Job, run: TrainingRun, now: int) -> TrainingEnding:
    """The end of a run that stood still for too long."""
    stall = run.regimes[-1].stall
    assert stall is not None
    if stall.cause == "network":
        pairs = _pairs(world, run, stall.ports)
        return TrainingEnding(now, "network", pairs, stall.ports, tuple(_pid(world, job, run, rank) for rank in pairs))
    if stall.cause == "collective" and run.patience:
        return TrainingEnding(now, "collective", stall.ranks)
    if stall.cause == "cuda":
        return TrainingEnding(now, "cuda", stall.ranks, cuda_error=stall.cuda_error)
    return TrainingEnding(now, "watchdog", stall.ranks)


def _pid(world: World, job: Job, run: TrainingRun, rank: int) -> int:
    """The process of a rank; 0 for one that is gone."""
    place, local = divmod(rank, run.gpus)
    ranks = inputs.places(world, job.id, run.nodes[place])
    return ranks[local].process.pid if local < len(ranks) else 0


def _pairs(world: World, run: TrainingRun, ports: tuple[str, ...]) -> tuple[int, ...]:
    """The ranks that lose each other with some ports: those beside a port, each with the same rank of the next node."""
    found: list[int] = []
    for port in ports:
        host = port.partition("/")[0]
        place = run.nodes.index(host)
        hca = world.inventory.hca(port.rpartition("/")[0])
        local = min(hca.gpu if hca.gpu is not None else 0, run.gpus - 1)
        other = (place + 1) % len(run.nodes)
        found += [place * run.gpus + local, other * run.gpus + local]
    return tuple(found)


def of_a_rank(world: World, job: Job, run: TrainingRun, now: int) -> TrainingEnding | None:
    """The end of a run of which a rank died: its GPU fell off the bus or met an error, or somebody killed it."""
    if job.state != "FAILED" or job.failed_node not in run.nodes:
        return None
    first = run.nodes.index(job.failed_node) * run.gpus
    indices = lifecycle.device_indices(world, job.failed_node, job.gpu_indices[run.nodes.index(job.failed_node)])
    held = {index for each in processes.of_job(world, job.failed_node, job.id) for index in each.gpus}
    dead = tuple(first + number for number, index in enumerate(indices) if index not in held)
    bound = bound_gpus(world, job.failed_node)
    errors = [world.gpus[bound[index].id].fatal for index in indices if index < len(bound)]
    error = next((each for each in errors if each is not None and each.time == now), None)
    if error is not None:
        return TrainingEnding(now, "gpu_error", dead or (first,), cuda_error=error.cuda_error)
    lost = [gpu.id for gpu in world.node(job.failed_node).gpus if world.gpus[gpu.id].bus is not BusState.PRESENT]
    cause = "killed" if job.exit_code == _KILLED or not lost else "gpu_lost"
    return TrainingEnding(now, cause, dead or (first,))


def _asks_for_more(job: Job) -> bool:
    """Whether the script goes on with `scontrol requeue` when its work has failed."""
    words = script.commands(job.script)
    return job.requeue and any(each[:2] == ["scontrol", "requeue"] for each in words)


def fail(simulation: Simulation[World], job: Job, run: TrainingRun, ending: TrainingEnding) -> None:
    """The ranks abort, and the script with them."""
    host = run.nodes[ending.ranks[0] // run.gpus] if ending.ranks else run.nodes[0]
    failed = lifecycle.put(simulation, job.id, failed_node=host)
    if _asks_for_more(job):
        logs.controller(simulation, f"_job_complete: requeue JobId={job.id} per user/system request")
        lifecycle.requeue(simulation, failed, "REQUEUED")
        return
    raised = ending.cause == "cuda" or (ending.cause == "collective" and not run.asynchronous)
    plainly = raised or script.is_launched_by(job.script, "torchrun")
    lifecycle.complete(simulation, failed, _EXCEPTION if plainly else _ABORTED)
