"""How long each rank computes and waits: the table that a straggler detector writes beside the output file.

The times are those of the last reported step. A slow rank computes long and waits little; all others wait for it. The
computing of ranks scatters by up to one percent from step to step, as it does on real machines.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.kernel.units import MILLISECOND
from engine.workloads.training import progress
from engine.world.records import Job, TrainingRegime, TrainingRun
from engine.world.world import World

EVERY = 10
"""Log intervals between two reports."""

_SCATTER = 0.01
_WHOLE = 1_000_000
_OF_A_HASH = 8  # ranks whose scatter comes from one hash, a byte for each


@dataclass(frozen=True, slots=True)
class RankTime:
    """A rank's part of a step, in ns."""

    rank: int
    compute: int
    wait: int


def report(world: World, job: Job, run: TrainingRun, time: int) -> tuple[int, list[RankTime]] | None:
    """The step of the last report until a time, and the ranks in it; None before the first."""
    every = EVERY * run.configuration.log_interval
    step = progress.steps_done(run, time) // every * every
    if step <= run.first_step:
        return None
    return step, times(world, job, run, _regime_of(run, step), step)


def times(world: World, job: Job, run: TrainingRun, regime: TrainingRegime, step: int) -> list[RankTime]:
    """What each rank did in a step of a regime: the one that computed longest waited for no other."""
    assert regime.step is not None
    computed = list(_computed(world, job, run, regime, step))
    longest = regime.compute * max((ppm for _, ppm in regime.slow), default=_WHOLE) // _WHOLE
    together = max(0, regime.step - regime.common - max(longest, regime.compute))
    last = max(computed)
    return [RankTime(rank, compute, together + last - compute) for rank, compute in enumerate(computed)]


def _computed(world: World, job: Job, run: TrainingRun, regime: TrainingRegime, step: int) -> Iterator[int]:
    """How long each rank computes (ns), rank by rank."""
    slow = dict(regime.slow)
    for first in range(0, run.ranks, _OF_A_HASH):
        bits = hash64(world.seed, "rank time", job.name, step, first)
        for rank in range(first, min(first + _OF_A_HASH, run.ranks)):
            scatter = 1.0 + _SCATTER * ((bits >> 8 * (rank - first) & 0xFF) / 127.5 - 1.0)
            yield round(regime.compute * slow.get(rank, _WHOLE) / _WHOLE * scatter)


def text(world: World, job: Job, run: TrainingRun, time: int) -> str:
    """The file `ranks-JOB.tsv`."""
    lines = ["step\trank\thost\tgpu\tcompute_ms\twait_ms\n"]
    found = report(world, job, run, time)
    if found:
        step, ranks = found
        for each in ranks:
            place, local = divmod(each.rank, run.gpus)
            gpu = job.gpu_indices[place][local] if place < len(job.gpu_indices) else local
            milliseconds = f"{each.compute / MILLISECOND:.1f}\t{each.wait / MILLISECOND:.1f}"
            lines.append(f"{step}\t{each.rank}\t{run.nodes[place]}\t{gpu}\t{milliseconds}\n")
    return "".join(lines)


def _regime_of(run: TrainingRun, step: int) -> TrainingRegime:
    """The regime in which a step was done."""
    done = progress.position_of(step, run.configuration.checkpoint_interval)
    moving = [each for each in run.regimes if each.step is not None]
    return next((each for each in reversed(moving) if each.position < done), moving[0])
