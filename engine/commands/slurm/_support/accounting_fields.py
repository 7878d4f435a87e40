"""The fields of sacct: what each shows of a job and of a step.

Names and widths from SchedMD/slurm 24.11 src/sacct/sacct.c (a width below 0 aligns to the left), values from print.c.
What programs used (CPU time, memory, disk) is not modelled; those fields are empty.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.commands.slurm._support.job_facts import exit_text
from engine.control.accounts import Identity, identity
from engine.control.slurm import arrays, jobs
from engine.control.slurm.times import full_time, timestamp
from engine.control.slurm.version import at_least
from engine.kernel.hostlist import fold
from engine.kernel.units import MINUTE, SECOND
from engine.world.records import Job, JobStep
from engine.world.world import World


@dataclass(frozen=True, slots=True)
class Row:
    """A line: a run of a job, or one of its steps, as the database has it at `now`."""

    job: Job
    step: JobStep | None
    world: World
    now: int

    @property
    def user(self) -> Identity:
        return identity(self.world.inventory, self.job.user)

    @property
    def started(self) -> int | None:
        return self.step.started if self.step else self.job.started

    @property
    def ended(self) -> int | None:
        return self.step.ended if self.step else self.job.ended

    @property
    def allocated(self) -> bool:
        """Whether the job has, or had, nodes."""
        return self.job.started is not None and bool(self.job.nodes)

    @property
    def nodes(self) -> tuple[str, ...]:
        return self.step.nodes if self.step else self.job.nodes

    @property
    def seconds(self) -> int:
        """How long it ran, so far or in all."""
        if self.started is None:
            return 0
        return max((self.now if self.ended is None else self.ended) - self.started, 0) // SECOND

    @property
    def cpus(self) -> int:
        """CPUs that it has; older releases show those asked for while a job waits."""
        if not self.allocated and at_least(self.world.inventory, 23, 2):
            return 0
        return self.job.cpus_per_node * (len(self.nodes) if self.step else self.job.node_count)

    def when(self, time: int | None, unknown: str = "Unknown") -> str:
        """A time, or `unknown`."""
        return unknown if time is None else timestamp(self.world.inventory, time)


Value = Callable[[Row], str]


@dataclass(frozen=True, slots=True)
class AccountField:
    """A field: its name, its width, what it shows of a job and of a step."""

    name: str
    width: int
    job: Value | None = None
    step: Value | None = None
    modelled: bool = True

    def show(self, row: Row) -> str | None:
        """The value; None for an empty cell."""
        value = self.step if row.step else self.job
        return value(row) if value else None


def _state(row: Row) -> str:
    state = row.step.state if row.step else row.job.state
    by = row.job.cancelled_by if row.step is None else None
    return f"CANCELLED by {by}" if state == "CANCELLED" and by is not None else state


def _exit(row: Row) -> str:
    return exit_text(row.step.exit_code, row.step.signal) if row.step else _job_exit(row.job)


def _job_exit(job: Job) -> str:
    """Of a job that was stopped the code is 0:0; the signal is that of its steps."""
    return "0:0" if job.state in ("CANCELLED", "TIMEOUT") else exit_text(job.exit_code, job.signal)


def _tres(row: Row, nodes: int, billing: bool) -> str:
    """`billing=16,cpu=16,gres/gpu=4,mem=200G,node=1`."""
    job = row.job
    cpus = job.cpus_per_node * nodes
    parts = [f"cpu={cpus}", *([f"gres/gpu={job.gpus_per_node * nodes}"] if job.gpus_per_node else [])]
    parts += [f"mem={jobs.memory_text(job.memory_mib * nodes)}", f"node={nodes}"]
    return ",".join([f"billing={cpus}", *parts] if billing else parts)


def _allocated_tres(row: Row) -> str:
    return _tres(row, len(row.job.nodes), billing=True) if row.allocated else ""


def _step_tres(row: Row) -> str:
    return _tres(row, len(row.nodes), billing=False)


def _start(row: Row) -> str:
    cancelled = row.job.started is None and row.job.ended is not None
    return row.when(row.started, "None" if cancelled else "Unknown")


def _planned(row: Row) -> int:
    """Seconds that the job waited."""
    job = row.job
    if job.eligible is None:
        return 0
    until = next((time for time in (job.started, job.ended) if time is not None), row.now)
    return max(until - job.eligible, 0) // SECOND


def _limit(row: Row) -> str:
    return full_time(row.job.time_limit // SECOND) if row.job.time_limit else "UNLIMITED"


def _limit_minutes(row: Row) -> str:
    return str(row.job.time_limit // MINUTE) if row.job.time_limit else "UNLIMITED"


def _pattern(row: Row, name: str) -> str:
    """The name of an output file as it was given, in the job's directory."""
    if not name or row.job.interactive:
        return ""
    return name if name.startswith("/") else f"{row.job.working_directory.rstrip('/')}/{name}"


def _node_list(row: Row) -> str:
    return fold(row.nodes) or "None assigned"


def _step_id(row: Row) -> str:
    shown = arrays.shown_id(row.job)
    return f"{shown}.{row.step.id}" if row.step else shown


def _raw_id(row: Row) -> str:
    return f"{row.job.id}.{row.step.id}" if row.step else str(row.job.id)


def _both(name: str, width: int, value: Value) -> AccountField:
    return AccountField(name, width, value, value)


def _reason(row: Row) -> str:
    """The reason that the job last waited for, which is none once it ran."""
    return row.job.reason.partition(",")[0].replace(" ", "_") if row.job.state == "PENDING" else "None"


def _gap(names: str) -> list[AccountField]:
    """`Name:width` of fields that the model lacks."""
    return [AccountField(*_name_width(word), modelled=False) for word in names.split()]


def _name_width(word: str) -> tuple[str, int]:
    name, _, width = word.partition(":")
    return name, int(width)


_MODELLED = [
    _both("Account", 10, lambda row: row.job.account),
    _both("AllocCPUS", 10, lambda row: str(row.cpus)),
    _both("AllocNodes", 10, lambda row: str(len(row.nodes))),
    AccountField("AllocTRES", 10, _allocated_tres, _step_tres),
    _both("Cluster", 10, lambda row: row.world.inventory.cluster),
    AccountField("Comment", 14, lambda row: row.job.comment),
    AccountField("Constraints", 19, lambda row: row.job.features),
    _both("CPUTime", 10, lambda row: full_time(row.seconds * row.cpus)),
    _both("CPUTimeRAW", 10, lambda row: str(row.seconds * row.cpus)),
    AccountField("DerivedExitCode", 15, lambda row: _job_exit(row.job)),
    _both("Elapsed", 10, lambda row: full_time(row.seconds)),
    _both("ElapsedRaw", 10, lambda row: str(row.seconds)),
    AccountField("Eligible", 19, lambda row: row.when(row.job.eligible), _start),
    _both("End", 19, lambda row: row.when(row.ended)),
    _both("ExitCode", 8, _exit),
    AccountField("FailedNode", 8, lambda row: row.job.failed_node),
    AccountField("GID", 6, lambda row: str(row.user.gid)),
    AccountField("Group", 9, lambda row: row.user.group_names[0]),
    _both("JobID", -12, _step_id),
    _both("JobIDRaw", -12, _raw_id),
    AccountField("JobName", 10, lambda row: row.job.name, lambda row: row.step.name if row.step else ""),
    _both("NCPUS", 10, lambda row: str(row.cpus)),
    _both("NNodes", 8, lambda row: str(len(row.nodes) or row.job.node_count)),
    _both("NodeList", 15, _node_list),
    AccountField("NTasks", 8, None, lambda row: str(row.step.tasks) if row.step else ""),
    AccountField("Partition", 10, lambda row: row.job.partition),
    AccountField("Planned", 10, lambda row: full_time(_planned(row))),
    AccountField("PlannedCPU", 10, lambda row: full_time(_planned(row) * jobs.total_cpus(row.job))),
    AccountField("PlannedCPURAW", 13, lambda row: str(_planned(row) * jobs.total_cpus(row.job))),
    AccountField("Priority", 10, lambda row: str(jobs.priority(row.world, row.job, row.now))),
    AccountField("QOS", 10, lambda row: row.job.qos),
    AccountField("Reason", 22, _reason),
    AccountField("ReqCPUS", 8, lambda row: str(jobs.total_cpus(row.job)), lambda row: str(row.cpus)),
    AccountField("ReqMem", 10, lambda row: jobs.memory_text(row.job.memory_mib * row.job.node_count)),
    AccountField("ReqNodes", 8, lambda row: str(row.job.node_count), lambda row: str(len(row.nodes))),
    AccountField("ReqTRES", 10, lambda row: _tres(row, row.job.node_count, billing=True)),
    AccountField("Reservation", 20, lambda row: row.job.reservation),
    AccountField("Restarts", 8, lambda row: str(row.job.restarts)),
    _both("Start", 19, _start),
    _both("State", 10, _state),
    AccountField("StdErr", 20, lambda row: _pattern(row, row.job.standard_error)),
    AccountField("StdIn", 20, lambda row: row.job.standard_input),
    AccountField("StdOut", 20, lambda row: _pattern(row, row.job.standard_output or "slurm-%j.out")),
    AccountField("Submit", 19, lambda row: row.when(row.job.submitted), _start),
    AccountField("SubmitLine", 20, lambda row: row.job.submit_line),
    AccountField("Suspended", 10, lambda row: "00:00:00", lambda row: "00:00:00"),
    AccountField("Timelimit", 10, _limit),
    AccountField("TimelimitRaw", 10, _limit_minutes),
    AccountField("UID", 6, lambda row: str(row.user.uid)),
    AccountField("User", 9, lambda row: row.job.user),
    AccountField("WorkDir", 20, lambda row: row.job.working_directory),
]
_GAPS = _gap("""\
AdminComment:15 AssocID:7 AveCPU:10 AveCPUFreq:10 AveDiskRead:14 AveDiskWrite:14 AvePages:10 AveRSS:10 AveVMSize:10
BlockID:16 ConsumedEnergy:14 ConsumedEnergyRaw:17 Container:19 DBIndex:-21 Extra:14 Flags:19 Layout:9
Licenses:10 MaxDiskRead:12 MaxDiskReadNode:15 MaxDiskReadTask:15 MaxDiskWrite:12 MaxDiskWriteNode:16
MaxDiskWriteTask:16 MaxPages:8 MaxPagesNode:12 MaxPagesTask:14 MaxRSS:10 MaxRSSNode:10 MaxRSSTask:10 MaxVMSize:10
MaxVMSizeNode:14 MaxVMSizeTask:14 McsLabel:12 MinCPU:10 MinCPUNode:10 MinCPUTask:10 QOSRAW:6 QOSREQ:10 ReqCPUFreq:10
ReqCPUFreqGov:13 ReqCPUFreqMax:13 ReqCPUFreqMin:13 ReservationId:8 SLUID:14 SystemComment:15 SystemCPU:10 TotalCPU:10
TRESUsageInAve:14 TRESUsageInMax:14 TRESUsageInMaxNode:18 TRESUsageInMaxTask:18 TRESUsageInMin:14
TRESUsageInMinNode:18 TRESUsageInMinTask:18 TRESUsageInTot:14 TRESUsageOutAve:15 TRESUsageOutMax:15
TRESUsageOutMaxNode:19 TRESUsageOutMaxTask:19 TRESUsageOutMin:15 TRESUsageOutMinNode:19 TRESUsageOutMinTask:19
TRESUsageOutTot:15 UserCPU:10 WCKey:10 WCKeyID:10""")

ACCOUNT_FIELDS = tuple(sorted([*_MODELLED, *_GAPS], key=lambda field: field.name.lower()))


def account_field(word: str) -> AccountField | None:
    """The first field whose name begins with `word`."""
    return next((field for field in ACCOUNT_FIELDS if field.name.lower().startswith(word.lower())), None)
