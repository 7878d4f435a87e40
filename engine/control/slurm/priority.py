"""What a job's priority is made of (priority/multifactor), and what everybody has used so far (fair tree).

Priority is the sum of weights times factors between 0 and 1: age, fair share, size, partition, quality of service and
association, less the job's nice value. All but the age is worked out when the job is submitted or changed, and every
PriorityCalcPeriod while fair share has a weight. Half of the size factor is by nodes and half by CPUs
(PriorityFavorSmall turns it around).

Usage is billing seconds (CPUs by time) that fade by half in PriorityDecayHalfLife. Fair tree: on each level of the tree
of associations LevelFS is the share of what brothers have over the part of what brothers have used; who has the larger
one comes first with everything below; users in that order have the factor rank / users, the first 1.

Source: priority_multifactor.html and fair_tree.html of Slurm's documentation, SchedMD/slurm 24.11
src/plugins/priority/multifactor (priority_multifactor.c, fair_tree.c). Halving is approximated between whole steps of a
64th of the half-life by a straight line.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from engine.control.slurm import associations
from engine.control.slurm.configuration import SlurmConfiguration, in_force
from engine.control.slurm.ledger import OLDEST
from engine.control.slurm.times import parse_limit
from engine.kernel.units import DAY, MINUTE, SECOND
from engine.world.records import Job
from engine.world.world import World

CALCULATION_PERIOD = 5 * MINUTE
_HALF_LIFE = 7 * DAY
_STEPS = 64


@dataclass(frozen=True, slots=True)
class Factors:
    """The parts of a job's priority, each already times its weight."""

    age: int = 0
    fair_share: int = 0
    size: int = 0
    partition: int = 0
    qos: int = 0
    association: int = 0
    nice: int = 0

    @property
    def fixed(self) -> int:
        """All but what grows with the age."""
        parts = self.fair_share + self.size + self.partition + self.qos + self.association
        return max(parts - self.nice, 1)


def weight(configuration: SlurmConfiguration, factor: str) -> int:
    """PriorityWeightAge and its like."""
    return configuration.number(f"PriorityWeight{factor}", 0)


def factors(world: World, job: Job, now: int, shares: Share | None = None) -> Factors:
    """The parts of a job's priority at `now`; `shares` is the tree of shares where it is known already."""
    known = in_force(world)
    if known.text("PriorityType", "priority/multifactor") != "priority/multifactor":
        return Factors()
    qualities = associations.qualities(world)
    highest = max((each.priority for each in qualities), default=0)
    quality = next((each.priority for each in qualities if each.name == job.qos), 0)
    since = job.submitted if job.eligible is None else job.eligible
    waited = min(max(now - since, 0), OLDEST)
    return Factors(
        age=weight(known, "Age") * waited // OLDEST,
        fair_share=_fair_share(world, known, job, now, shares),
        size=_size(known, job),
        partition=_of_partition(known, job),
        qos=weight(known, "QOS") * quality // highest if highest else 0,
        nice=job.nice,
    )


def plain(known: SlurmConfiguration, job: Job) -> int:
    """What size and partition make of a job's priority, whoever's it is."""
    return max(_size(known, job) + _of_partition(known, job), 1)


def fixed(world: World, job: Job, now: int, shares: Share | None = None) -> int:
    """What `Job.priority` is to be: all but the age."""
    return factors(world, job, now, shares).fixed


def _size(known: SlurmConfiguration, job: Job) -> int:
    nodes, cpus = max(len(known.nodes), 1), max(known.cpus, 1)
    top, bottom = job.node_count * cpus + job.cpus_per_node * job.node_count * nodes, 2 * nodes * cpus
    if known.text("PriorityFavorSmall", "NO").upper() == "YES":
        top = bottom - top
    return weight(known, "JobSize") * max(top, 0) // bottom


def _of_partition(known: SlurmConfiguration, job: Job) -> int:
    partition = known.partition(job.partition)
    tallest = max((each.priority_factor for each in known.partitions), default=0)
    return weight(known, "Partition") * partition.priority_factor // tallest if partition and tallest else 0


def _fair_share(world: World, known: SlurmConfiguration, job: Job, now: int, shares: Share | None) -> int:
    share = weight(known, "Fairshare")
    if not share:
        return 0
    found = (shares or tree(world, now)).find(job.account, job.user)
    return int(share * found.factor) if found else 0


@dataclass(slots=True)
class Share:
    """A place in the tree of associations: raw shares, usage in billing seconds, and what follows. `level` None: no
    end (nothing used).
    """

    account: str
    user: str
    raw_shares: int
    usage: float = 0.0
    norm_shares: float = 0.0
    norm_usage: float = 0.0
    effective_usage: float = 0.0
    level: float | None = None
    factor: float = 0.0
    below: list[Share] = field(default_factory=list)

    def walk(self, depth: int = 0) -> Iterator[tuple[int, Share]]:
        """(depth, place) of this and all below it."""
        yield depth, self
        for each in self.below:
            yield from each.walk(depth + 1)

    def find(self, account: str, user: str) -> Share | None:
        """The place of an association."""
        return next((each for _, each in self.walk() if (each.account, each.user) == (account, user)), None)


def tree(world: World, now: int) -> Share:
    """The tree of associations with what each has used up to the last PriorityCalcPeriod."""
    moment = now // CALCULATION_PERIOD * CALCULATION_PERIOD
    used = usage(world, moment)
    root = _grown(world, associations.ROOT, used)
    root.norm_usage = root.effective_usage = 1.0
    users: list[Share] = []
    _level(root, root.usage, users)
    total = len(users)
    for index, each in enumerate(users):
        equal = index > 0 and each.level == users[index - 1].level and each.account == users[index - 1].account
        each.factor = users[index - 1].factor if equal else (total - index) / total
    return root


def _grown(world: World, account: str, used: dict[tuple[str, str], float]) -> Share:
    own = associations.association(world, account, "")
    found = Share(account, "", own.shares if own else 1)
    for each in associations.children(world, account):
        child = Share(account, each.user, each.shares) if each.user else _grown(world, each.account, used)
        if each.user:
            child.usage = used.get((account, each.user), 0.0)
        found.below.append(child)
        found.usage += child.usage
    return found


def _level(place: Share, total: float, users: list[Share]) -> None:
    """Work out a level of the tree; users come into `users` in the order of their fair shares."""
    shares = sum(each.raw_shares for each in place.below)
    for each in place.below:
        each.norm_shares = each.raw_shares / shares if shares else 0.0
        each.norm_usage = each.usage / total if total else 0.0
        each.effective_usage = each.usage / place.usage if place.usage else 0.0
        each.level = each.norm_shares / each.effective_usage if each.effective_usage else None
    for each in sorted(place.below, key=lambda each: (each.level is not None, -(each.level or 0.0))):
        if each.user:
            users.append(each)
        else:
            _level(each, total, users)


def half_life(known: SlurmConfiguration) -> int:
    """PriorityDecayHalfLife in ns; 0 for none."""
    text = known.text("PriorityDecayHalfLife")
    if not text:
        return _HALF_LIFE
    try:
        return parse_limit(text) or 0
    except ValueError:
        return _HALF_LIFE


def usage(world: World, moment: int) -> dict[tuple[str, str], float]:
    """What each (account, user) has used until `moment`, in billing seconds, faded."""
    from engine.control.slurm.accounting import runs

    fade = half_life(in_force(world))
    found: dict[tuple[str, str], float] = {}
    for run in runs(world):
        job = run.job
        if job.started is None or job.started >= moment or not job.nodes:
            continue
        end = moment if job.ended is None else min(job.ended, moment)
        seconds = (end - job.started) / SECOND
        key = job.account, job.user
        middle = moment - (job.started + end) // 2
        cpus = job.cpus_per_node * len(job.nodes)
        found[key] = found.get(key, 0.0) + cpus * seconds * (faded(middle, fade) if fade else 1.0)
    return found


def faded(age: int, fade: int) -> float:
    """What is left after `age` of something that fades by half in `fade` ns."""
    whole, rest = divmod(age, fade)
    if whole > _STEPS:
        return 0.0
    step, within = divmod(rest * _STEPS, fade)
    left, root = 1.0, 0.5
    for bit in range(_STEPS.bit_length() - 1):
        root = math.sqrt(root)
        if step >> (_STEPS.bit_length() - 2 - bit) & 1:
            left *= root
    one_step = root
    left *= 1.0 + (one_step - 1.0) * within / fade
    return left / (1 << whole)
