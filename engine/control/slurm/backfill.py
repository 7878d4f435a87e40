"""When and where a job that waits can start at the latest: if every job before it uses all of its time.

The law of sched/backfill (SchedMD/slurm 24.11 src/plugins/sched/backfill/backfill.c), without its resolution in time:
ends of running jobs are walked through in order, and after each the nodes that it left are looked at again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.control.slurm.usage import Usage
from engine.kernel.quick_dataclass import dataclass
from engine.world.records import Job

if TYPE_CHECKING:
    from engine.control.slurm.scheduler import Pass


@dataclass(frozen=True, slots=True)
class Promise:
    """Nodes (bits) that a blocked job is to get at a time."""

    start: int
    mask: int


def earliest(look: Pass, job: Job) -> Promise | None:
    """The promise for a job, or None where running jobs without a limit hold what it needs."""
    places = look.places
    candidates = look.candidates(job)
    for reservation in look.cluster.world.slurm[""].reservations:
        if not job.reservation and reservation.active and "MAINT" not in reservation.flags:
            candidates |= places.mask(reservation.nodes) & places.partition(job.partition) & places.available
    free: dict[str, Usage] = {}
    fitting = look.fitting(job) & candidates
    for end, running in _endings(look):
        seen = 0
        for index, name in enumerate(running.nodes):
            bit = places.bits.get(name, 0)
            if not bit & candidates:
                continue
            if name not in free:
                free[name] = look.held_on(name).copy()
            free[name].drop(running, index)
            seen |= bit
            fitting = fitting | bit if look.fits(job, name, free[name]) else fitting & ~bit
        if seen and (chosen := look.choose(job, fitting)):
            return Promise(max(end, look.now), chosen)
    return None


def _endings(look: Pass) -> list[tuple[int, Job]]:
    """Running jobs by the time at which they must be over; those without a limit never are."""
    if look.endings is None:
        look.endings = sorted(
            (
                (job.started + job.time_limit, job)
                for held in look.ledger.usage.values()
                for number in held.running
                if (job := look.ledger.active[number]).time_limit and job.started is not None
                and look.ledger.usage.get(job.nodes[0]) is held
            ),
            key=lambda entry: (entry[0], entry[1].id),
        )  # fmt: skip
    starting = [(look.now + job.time_limit, job) for job in look.starting if job.time_limit]
    return sorted([*look.endings, *starting], key=lambda entry: (entry[0], entry[1].id)) if starting else look.endings
