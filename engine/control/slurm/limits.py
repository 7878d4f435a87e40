"""Limits of associations and qualities of service: what keeps a job out of the queue, and what keeps it waiting there.

They bind only as far as AccountingStorageEnforce says (associations, limits, qos; safe and nosteps are taken for
limits). Names of limits are sacctmgr's in small letters, those of resources after a slash (`grptres/gres/gpu`); times
are minutes. A limit of an account binds all that is charged to it and to accounts below it.

Source: resource_limits.html of Slurm's documentation; SchedMD/slurm 24.11 src/slurmctld/acct_policy.c (order of the
tests: the quality of service first, then the association from the user upwards) and src/common/job_state_reason.c (the
reasons). Limits on used minutes (GrpTRESMins, GrpWall) are kept and shown, and bind nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.control.slurm import associations
from engine.control.slurm.configuration import PartitionConfiguration, SlurmConfiguration, in_force
from engine.control.slurm.errors import Refused, SlurmError
from engine.control.slurm.ledger import Totals, ledger, owner
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.units import MINUTE
from engine.world.records import Job, SlurmAssociation, SlurmQos
from engine.world.world import World

_TRES: tuple[tuple[str, Callable[[Totals], int], str], ...] = (
    ("cpu", lambda held: held.cpus, "Cpu"),
    ("mem", lambda held: held.memory, "Mem"),
    ("node", lambda held: held.nodes, "Node"),
    ("billing", lambda held: held.cpus, "Billing"),
    ("gres/gpu", lambda held: held.gpus, "GRES"),
)
"""(resource, how much of it is held, its word in a reason). Memory is in MiB."""

_ENDINGS = {"Cpu": "CpuLimit", "Mem": "MemLimit", "Node": "NodeLimit", "Billing": "Billing", "GRES": "GRES"}
_PER_JOB = {
    "Assoc": {"Cpu": "MaxCpuPerJobLimit", "Mem": "MaxMemPerJob", "Node": "MaxNodePerJobLimit",
              "Billing": "MaxBillingPerJob", "GRES": "MaxGRESPerJob"},
    "QOS": {"Cpu": "MaxCpuPerJobLimit", "Mem": "MaxMemoryPerJob", "Node": "MaxNodePerJobLimit",
            "Billing": "MaxBillingPerJob", "GRES": "MaxGRESPerJob"},
}  # fmt: skip
_PER_USER = {
    "Cpu": "QOSMaxCpuPerUserLimit", "Mem": "QOSMaxMemoryPerUser", "Node": "QOSMaxNodePerUserLimit",
    "Billing": "QOSMaxBillingPerUser", "GRES": "QOSMaxGRESPerUser",
}  # fmt: skip
_PER_ACCOUNT = {
    "Cpu": "MaxCpuPerAccount", "Mem": "MaxMemoryPerAccount", "Node": "MaxNodePerAccount",
    "Billing": "MaxBillingPerAccount", "GRES": "MaxGRESPerAccount",
}  # fmt: skip
_LEAST = {"Cpu": "QOSMinCpuNotSatisfied", "Mem": "QOSMinMemory", "Node": "QOSMinNode", "GRES": "QOSMinGRES"}


def enforced(configuration: SlurmConfiguration, what: str) -> bool:
    """Whether AccountingStorageEnforce asks for `associations`, `limits` or `qos`."""
    words = set(configuration.text("AccountingStorageEnforce", "none").lower().replace(" ", "").split(","))
    if "all" in words or "1" in words:
        return True
    implied = {"associations": {"associations", "limits", "qos", "safe", "wckeys"}, "limits": {"limits", "safe"}}
    return bool(words & implied.get(what, {what}))


class Held:
    """What running jobs hold, by those whose limits it counts against; a pass counts its own starts in."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.configuration = in_force(world)
        self.binds = enforced(self.configuration, "limits")
        self._own: dict[tuple[str, str, str], Totals] = {}

    def take(self, job: Job) -> None:
        """A job starts."""
        if self.binds:
            totals = self._own.setdefault(owner(job), Totals())
            _add(totals, _asked(job))

    def sum(self, *, qos: str = "", accounts: frozenset[str] = frozenset(), user: str = "") -> Totals:
        """What all jobs hold together that match ("" and none: whatever)."""
        total = Totals()
        for known in (ledger(self.world).totals, self._own):
            for (its_qos, its_account, its_user), held in known.items():
                if qos in ("", its_qos) and user in ("", its_user) and (not accounts or its_account in accounts):
                    _add(total, held)
        return total


@dataclass(frozen=True, slots=True)
class _Case:
    """A set of limits, the word of their reasons, and what is held against them."""

    word: str
    limits: dict[str, int]
    group: Callable[[], Totals]


def reason(held: Held, job: Job, partition: PartitionConfiguration) -> str:
    """Why accounts and qualities of service keep the job waiting, or "" if they do not."""
    if found := _not_allowed(held, job, partition):
        return found
    if not held.binds:
        return ""
    asked = _asked(job)
    for case in _cases(held, job):
        if found := _against(case, job, asked):
            return found
    quality = associations.quality(held.world, job.qos)
    return _of_people(held, job, quality, asked) if quality else ""


def _not_allowed(held: Held, job: Job, partition: PartitionConfiguration) -> str:
    """Whether the partition takes the job's account and quality of service."""
    for what, name, reason in (("accounts", job.account, "AccountNotAllowed"), ("qos", job.qos, "QOSNotAllowed")):
        allowed, denied = listed(partition, f"allow{what}"), listed(partition, f"deny{what}")
        if (allowed and name not in allowed) or name in denied:
            return reason
    if not enforced(held.configuration, "associations"):
        return ""
    if not associations.line(held.world, job.account, job.user):
        return "InvalidAccount"
    return "" if associations.quality(held.world, job.qos) else "InvalidQOS"


def listed(partition: PartitionConfiguration, keyword: str) -> tuple[str, ...]:
    """The names of AllowAccounts, DenyQos and the like; none for ALL."""
    text = partition.words.get(keyword, "")
    return () if text.upper() == "ALL" else tuple(name for name in text.split(",") if name)


def _cases(held: Held, job: Job) -> Iterator[_Case]:
    quality = associations.quality(held.world, job.qos)
    if quality is not None and quality.limits:
        yield _Case("QOS", dict(quality.limits), lambda: held.sum(qos=job.qos))
    for each in associations.line(held.world, job.account, job.user):
        if each.limits:
            yield _Case("Assoc", dict(each.limits), _held_by(held, each))


def _held_by(held: Held, association: SlurmAssociation) -> Callable[[], Totals]:
    return lambda: held.sum(accounts=below(held.world, association), user=association.user)


def below(world: World, association: SlurmAssociation) -> frozenset[str]:
    """The account of an association and, if it is an account's own, all accounts under it."""
    found = {association.account}
    if not association.user:
        grown = True
        while grown:
            more = {each.account for each in associations.associations(world) if each.parent in found} - found
            found |= more
            grown = bool(more)
    return frozenset(found)


def _against(case: _Case, job: Job, asked: Totals) -> str:
    """The first limit of a case that the job runs into."""
    limits, word = case.limits, case.word
    minutes = job.time_limit // MINUTE if job.time_limit else None
    for name, value, mark in _TRES:
        most = limits.get(f"maxtres/{name}")
        if most is not None and value(asked) > most:
            return f"{word}{_PER_JOB[word][mark]}"
        most = limits.get(f"maxtrespernode/{name}")
        if most is not None and value(asked) > most * job.node_count:
            return f"{word}Max{mark}PerNode"
    wall = limits.get("maxwall")
    if wall is not None and (minutes is None or minutes > wall):
        return f"{word}MaxWallDurationPerJobLimit"
    if not any(name.startswith(("grp", "maxjobs")) for name in limits):
        return ""
    held = case.group()
    if _reaches(limits, "grpjobs", held.jobs):
        return f"{word}GrpJobsLimit"
    if word == "Assoc" and _reaches(limits, "maxjobs", held.jobs):
        return "AssocMaxJobsLimit"
    for name, value, mark in _TRES:
        most = limits.get(f"grptres/{name}")
        if most is not None and value(held) + value(asked) > most:
            return f"{word}Grp{_ENDINGS[mark]}"
    return ""


def _of_people(held: Held, job: Job, quality: SlurmQos, asked: Totals) -> str:
    """Limits of a quality of service for each user and for each account."""
    limits = dict(quality.limits)
    for name, value, mark in _TRES:
        least = limits.get(f"mintres/{name}")
        if least is not None and mark in _LEAST and value(asked) < least:
            return _LEAST[mark]
    account = frozenset((job.account,))
    parties: tuple[tuple[str, dict[str, str], str, Callable[[], Totals]], ...] = (
        ("pu", _PER_USER, "QOSMaxJobsPerUserLimit", lambda: held.sum(qos=quality.name, user=job.user)),
        ("pa", _PER_ACCOUNT, "MaxJobsPerAccount", lambda: held.sum(qos=quality.name, accounts=account)),
    )
    for mark, reasons, too_many, whose in parties:
        if not any(limit.startswith((f"maxtres{mark}/", f"maxjobs{mark}")) for limit in limits):
            continue
        theirs = whose()
        if _reaches(limits, f"maxjobs{mark}", theirs.jobs):
            return too_many
        for name, value, word in _TRES:
            most = limits.get(f"maxtres{mark}/{name}")
            if most is not None and value(theirs) + value(asked) > most:
                return reasons[word]
    return ""


def check(world: World, job: Job) -> None:
    """Whether slurmctld takes the job at all: its account, its quality of service, limits on submission, and limits
    of a quality of service that denies what it cannot ever run. Raises Refused.
    """
    configuration = in_force(world)
    if enforced(configuration, "associations") and not associations.line(world, job.account, job.user):
        raise Refused(SlurmError.INVALID_ACCOUNT)
    if enforced(configuration, "qos"):
        allowed = associations.allowed_qos(world, job.account, job.user)
        if associations.quality(world, job.qos) is None or job.qos not in (*allowed, associations.NORMAL):
            raise Refused(SlurmError.INVALID_QOS)
    held = Held(world)
    if not held.binds:
        return
    more = max(len(job.array_tasks), 1)
    for limits, total in _submission_limits(held, job):
        if total + more > limits:
            raise Refused(SlurmError.POLICY)
    quality = associations.quality(world, job.qos)
    if quality is not None and "DenyOnLimit" in quality.flags:
        alone = _Case("QOS", {name: value for name, value in quality.limits if name.startswith("max")}, Totals)
        if _against(alone, job, _asked(job)):
            raise Refused(SlurmError.POLICY)


def _submission_limits(held: Held, job: Job) -> Iterator[tuple[int, int]]:
    """(limit, jobs submitted so far) of each limit on submission."""
    for each in associations.line(held.world, job.account, job.user):
        total = held.sum(accounts=below(held.world, each), user=each.user).submitted
        for name, value in each.limits:
            if name in ("grpsubmit", "maxsubmit"):
                yield value, total
    quality = associations.quality(held.world, job.qos)
    for name, value in quality.limits if quality else ():
        if name == "grpsubmit":
            yield value, held.sum(qos=job.qos).submitted
        elif name == "maxsubmitpu":
            yield value, held.sum(qos=job.qos, user=job.user).submitted
        elif name == "maxsubmitpa":
            yield value, held.sum(qos=job.qos, accounts=frozenset((job.account,))).submitted


def _asked(job: Job) -> Totals:
    """What the job would hold; for the record of an array, one task."""
    nodes = job.node_count
    return Totals(1, 1, job.cpus_per_node * nodes, job.memory_mib * nodes, nodes, job.gpus_per_node * nodes)


def _reaches(limits: dict[str, int], name: str, held: int) -> bool:
    return name in limits and held >= limits[name]


def _add(total: Totals, more: Totals) -> None:
    total.submitted += more.submitted
    total.jobs += more.jobs
    total.cpus += more.cpus
    total.memory += more.memory
    total.nodes += more.nodes
    total.gpus += more.gpus
