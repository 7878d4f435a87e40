"""Which running jobs must make room for one of more importance.

PreemptType=preempt/qos: a job drives out those whose quality of service is among the ones that its own preempts;
preempt/partition_prio: those of partitions with a lower PriorityTier on the same nodes. PreemptMode says how they go:
REQUEUE (back to the queue, what cannot is cancelled) or CANCEL; SUSPEND and GANG are not modelled and drive out nobody.
With a GraceTime they are told first (SIGCONT and SIGTERM) and go when it is over.

Source: preempt.html of Slurm's documentation; SchedMD/slurm 24.11 src/interfaces/preempt.c and
src/plugins/select/cons_tres (victims by priority, lowest first, then the youngest; those that need not go are spared).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.control.slurm import associations
from engine.control.slurm.configuration import SlurmConfiguration
from engine.control.slurm.numbers import whole
from engine.control.slurm.usage import Usage
from engine.kernel.units import SECOND
from engine.world.records import Job
from engine.world.world import World

if TYPE_CHECKING:
    from engine.control.slurm.scheduler import Pass

MODES = ("REQUEUE", "CANCEL")
_BY_QOS, _BY_PARTITION = "preempt/qos", "preempt/partition_prio"


def mode(world: World, configuration: SlurmConfiguration, victim: Job) -> str:
    """How a job goes: its quality of service's mode, its partition's, or the cluster's."""
    cluster = configuration.text("PreemptMode", "OFF").upper().split(",")[0]
    kind = configuration.text("PreemptType", "preempt/none").lower()
    quality = associations.quality(world, victim.qos)
    if kind == _BY_QOS and quality is not None and quality.preempt_mode not in ("", "cluster"):
        return quality.preempt_mode.upper()
    partition = configuration.partition(victim.partition)
    if kind == _BY_PARTITION and partition is not None and "preemptmode" in partition.words:
        return partition.words["preemptmode"].upper()
    return cluster


def grace(world: World, configuration: SlurmConfiguration, victim: Job) -> int:
    """How long a job that must go is left, ns."""
    quality, partition = associations.quality(world, victim.qos), configuration.partition(victim.partition)
    if configuration.text("PreemptType").lower() == _BY_QOS:
        return quality.grace if quality else 0
    return (whole(partition.words.get("gracetime", "0")) or 0) * SECOND if partition else 0


def may_drive_out(world: World, configuration: SlurmConfiguration, job: Job, victim: Job) -> bool:
    """Whether `job` is of so much more importance that `victim` must go."""
    kind = configuration.text("PreemptType", "preempt/none").lower()
    if mode(world, configuration, victim) not in MODES:
        return False
    if kind == _BY_QOS:
        quality = associations.quality(world, job.qos)
        return quality is not None and victim.qos in quality.preempts
    if kind == _BY_PARTITION:
        mine, theirs = configuration.partition(job.partition), configuration.partition(victim.partition)
        return mine is not None and theirs is not None and mine.priority_tier > theirs.priority_tier
    return False


def victims(look: Pass, job: Job, candidates: int) -> list[int]:
    """The jobs that must go so that `job` can start; none if that would not help."""
    configuration, world = look.cluster.configuration, look.cluster.world
    if configuration.text("PreemptType", "preempt/none").lower() not in (_BY_QOS, _BY_PARTITION):
        return []
    known = [
        look.ledger.active[number]
        for number in sorted({number for held in look.ledger.usage.values() for number in held.running})
    ]
    lesser = [each for each in known if may_drive_out(world, configuration, job, each)]
    gone: list[Job] = []
    free: dict[str, Usage] = {}
    fitting = look.fitting(job) & candidates
    for victim in sorted(lesser, key=lambda each: (each.priority, -(each.started or 0), each.id)):
        if not look.places.mask(victim.nodes) & candidates:
            continue
        gone.append(victim)
        for index, name in enumerate(victim.nodes):
            free.setdefault(name, look.held_on(name).copy()).drop(victim, index)
            bit = look.places.bits.get(name, 0) & candidates
            fitting = fitting | bit if look.fits(job, name, free[name]) else fitting & ~bit
        if chosen := look.choose(job, fitting):
            used = look.places.names_of(chosen)
            return [each.id for each in gone if set(each.nodes) & set(used) and each.preempted_at is None]
    return []
