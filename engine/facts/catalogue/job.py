"""Training jobs: how fast they go, how far they have come, and what holds them up."""

from __future__ import annotations

from engine.control.slurm import jobs
from engine.facts.fact import View, fact
from engine.facts.kinds import Job
from engine.facts.values import Duration
from engine.workloads.training import inputs, progress, runs
from engine.world.records import TrainingRegime, TrainingRun


@fact("job.training")
def training(view: View, job: Job) -> bool:
    """Whether the job trains a model and is under way."""
    return _run(view, job) is not None


@fact("job.progressing")
def progressing(view: View, job: Job) -> bool:
    """Whether a training job does steps: it runs, and none of its ranks waits for one that does not come."""
    regime = _regime(view, job)
    return regime is not None and regime.step is not None


@fact("job.step")
def step(view: View, job: Job) -> int | None:
    """How many steps of its model a training job has done, those before its last checkpoint included."""
    run = _run(view, job)
    return progress.steps_done(run, view.now) if run else None


@fact("job.step_time")
def step_time(view: View, job: Job) -> Duration | None:
    """How long a step of a training job takes now; no answer while it stands still."""
    regime = _regime(view, job)
    return Duration(regime.step) if regime and regime.step is not None else None


@fact("job.last_checkpoint")
def last_checkpoint(view: View, job: Job) -> int | None:
    """The step that the last complete checkpoint of a training job keeps; 0 if it has saved none."""
    run = _run(view, job)
    return progress.last_saved(run, view.now) if run else None


@fact("job.slow_ranks")
def slow_ranks(view: View, job: Job) -> int | None:
    """How many ranks of a training job compute longer than healthy ones by more than 2 percent."""
    regime = _regime(view, job)
    return sum(ppm > 1_020_000 for _, ppm in regime.slow) if regime else None


@fact("job.slowest_rank")
def slowest_rank(view: View, job: Job) -> int | None:
    """The rank for which all others wait; no answer where none is slower than the others."""
    regime = _regime(view, job)
    slow = regime.slow if regime else ()
    return max(slow, key=lambda entry: (entry[1], -entry[0]))[0] if slow else None


@fact("job.slowest_gpu")
def slowest_gpu(view: View, job: Job) -> str | None:
    """The GPU of the rank for which all others wait."""
    rank = slowest_rank(view, job)
    return _gpu(view, job, rank) if rank is not None else None


@fact("job.hung_gpu")
def hung_gpu(view: View, job: Job) -> str | None:
    """The GPU of the first rank that does not come to the collective in which all others wait."""
    regime = _regime(view, job)
    ranks = regime.stall.ranks if regime and regime.stall else ()
    return _gpu(view, job, ranks[0]) if ranks else None


def _run(view: View, job: Job) -> TrainingRun | None:
    """The run of a job that is under way."""
    known = jobs.job(view.world, int(job)) if job.isdecimal() else None
    run = runs.run_of(view.world, known.id) if known and known.state == "RUNNING" else None
    return run if run and run.ended is None else None


def _regime(view: View, job: Job) -> TrainingRegime | None:
    run = _run(view, job)
    return progress.regime_at(run, view.now) if run else None


def _gpu(view: View, job: Job, rank: int) -> str | None:
    run = _run(view, job)
    if run is None:
        return None
    host, local = divmod(rank, run.gpus)
    ranks = inputs.places(view.world, int(job), run.nodes[host])
    return ranks[local].gpu if local < len(ranks) else None
