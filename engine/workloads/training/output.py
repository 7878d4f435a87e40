"""What the files of a training job say at a time: its output, and the table of its ranks.

Nothing is stored: the text follows from the job, its run and the time. It begins with what the launcher and the
framework tell of the run, goes on with NCCL's lines where a variable asks for them, then the steps, and at last how the
run ended, or how Slurm ended it.
"""

from __future__ import annotations

from dataclasses import replace

from engine.control.slurm import jobs, workload
from engine.control.slurm.times import timestamp
from engine.kernel.errors import BreakfixError
from engine.kernel.hostlist import fold
from engine.kernel.units import SECOND
from engine.workloads.training import failure_lines, model, progress, rank_table, step_lines
from engine.world.records import Job, TrainingRun
from engine.world.world import World

_IMPORTS = 6 * SECOND
_GROUP = 14 * SECOND
_GIGA = 1_000_000_000


def live(world: World, source: str, time: int) -> str:
    """The text of a live file by its source (`job/4711/output`, `job/4711/ranks`) at a time."""
    _, number, kind = source.split("/")
    job = jobs.job(world, int(number))
    run = _run(world, number)
    if job is None or run is None:
        return workload.output_text(world, job) if job is not None and kind == "output" else ""
    return rank_table.text(world, job, run, time) if kind == "ranks" else output(world, job, run, time)


def last_change(world: World, source: str, time: int) -> int:
    """When a live file was last written to."""
    run = _run(world, source.split("/")[1])
    if run is None:
        return time
    if run.ended is not None and run.ended <= time:
        return run.ended
    regime = progress.regime_at(run, time)
    interval = run.configuration.log_interval
    step = progress.steps_done(run, time) // interval * interval
    done = progress.time_of(regime, run.configuration.checkpoint_interval,
                            progress.position_of(step, run.configuration.checkpoint_interval))  # fmt: skip
    return max(run.started, min(time, time if done is None else done)) if step else run.started


def output(world: World, job: Job, run: TrainingRun, time: int) -> str:
    """The output file of a run at a time."""
    lines = [*workload.echoed(job.script)]
    elapsed = time - run.started
    if elapsed >= _IMPORTS:
        lines += _head(world, job, run)
    if elapsed >= _GROUP:
        lines += [line for told in run.messages for line in told] if not run.error else []
    if time >= run.regimes[0].since:
        lines += _begin(run)
    text = "".join(f"{line}\n" for line in lines) + step_lines.text(world, job.name, run, time)
    return text + "".join(f"{line}\n" for line in _end(world, job, run, time))


def _head(world: World, job: Job, run: TrainingRun) -> list[str]:
    """What the launcher and the framework say of the run."""
    plan, software = run.configuration, world.inventory.software
    copies = model.replicas(plan, run.ranks)
    began = timestamp(world.inventory, run.started + _IMPORTS).replace("T", " ")
    batch = copies * plan.microbatches * plan.micro_batch
    how = "fully sharded (ZeRO-3)" if plan.sharded else "distributed optimizer off"
    product = world.node(run.nodes[0]).gpus[0].product.name
    return [
        f"[{began}] job {job.id} ({job.name}) on {fold(run.nodes)}: {len(run.nodes)} nodes x {run.gpus} GPUs, "
        f"world size {run.ranks}, rendezvous {run.nodes[0]}:29500",
        f"GPU {product} | driver {software.get('driver', '')} | CUDA {software.get('cuda', '')} "
        f"| NCCL {software.get('nccl', '')}",
        f"data parallel {copies} | tensor parallel {plan.tensor_parallel} | pipeline parallel {plan.pipeline_parallel}"
        f" | {how}",
        f"model: {plan.layers} layers, hidden size {plan.hidden}, sequence length {plan.sequence}, "
        f"{plan.parameters / _GIGA:.2f} B parameters",
        f"micro batch {plan.micro_batch} | {plan.microbatches} microbatches | global batch {batch} sequences",
    ]


def _begin(run: TrainingRun) -> list[str]:
    if run.first_step:
        return [f"loaded checkpoint checkpoints/step_{run.first_step:07d}, continuing at step {run.first_step + 1}"]
    return ["no checkpoint found in checkpoints, starting at step 1"]


def _end(world: World, job: Job, run: TrainingRun, time: int) -> list[str]:
    """How the run ended."""
    if run.ended is None or time < run.ended:
        return []
    if run.ending is not None:
        return failure_lines.lines(world, job, run)
    if job.state == "COMPLETED":
        step = progress.steps_done(run, run.ended)
        return [f"training done at step {step}, saved checkpoint checkpoints/step_{step:07d}"]
    if job.state == "PENDING" and job.earlier_runs:
        last = job.earlier_runs[-1]
        job = replace(job, state=last.state, ended=last.ended)
    return list(workload.ending(world, job))


def _run(world: World, number: str) -> TrainingRun | None:
    try:
        return world.training[number]
    except BreakfixError:
        return None
