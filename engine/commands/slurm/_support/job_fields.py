"""The fields of squeue for jobs and for steps: long name, letter, heading and what each shows.

Source: SchedMD/slurm 24.11 src/squeue/opts.c (fmt_data_job, fmt_data_step) and print.c.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.commands.slurm._support.columns import Field
from engine.commands.slurm._support.job_facts import NULL, JobFacts, exit_text
from engine.control.slurm import arrays, jobs
from engine.control.slurm.times import short_time
from engine.kernel.hostlist import fold
from engine.kernel.units import MINUTE, SECOND
from engine.world.records import JobStep


def _limit(facts: JobFacts) -> str:
    return "UNLIMITED" if facts.limit_seconds is None else short_time(facts.limit_seconds)


def _left(facts: JobFacts) -> str:
    if facts.limit_seconds is None:
        return "UNLIMITED"
    left = facts.limit_seconds - facts.seconds_used
    return short_time(left) if left >= 0 else "INVALID"


def _reason_or_nodes(facts: JobFacts) -> str:
    return f"({facts.job.reason})" if facts.waits else facts.nodes


def _priority_fraction(facts: JobFacts) -> str:
    """The priority as a share of the largest one, with 14 places."""
    scaled = facts.priority * 10**14 // 0xFFFFFFFF
    return f"{scaled // 10**14}.{scaled % 10**14:014d}"


def _start(facts: JobFacts) -> str:
    return facts.when(facts.start, "N/A")


def _end(facts: JobFacts) -> str:
    running = facts.job.state == "RUNNING"
    return facts.when(facts.end, "NONE" if running else "N/A")


def _pending_seconds(facts: JobFacts) -> str:
    end = facts.now if facts.job.started is None else facts.job.started
    return str((end - facts.job.submitted) // SECOND)


def _host(facts: JobFacts) -> str:
    if facts.job.interactive:
        return facts.job.submit_host
    return facts.job.nodes[0] if facts.nodes else "n/a"


def _listed(names: tuple[str, ...]) -> str:
    return fold(names)


JOB_FIELDS: tuple[Field[JobFacts], ...] = (
    Field("Account", "a", "ACCOUNT", lambda facts: facts.job.account),
    Field("AccrueTime", "", "ACCRUE_TIME", lambda facts: facts.when(facts.job.eligible, "N/A")),
    Field("admin_comment", "", "ADMIN_COMMENT", lambda facts: NULL),
    Field("AllocNodes", "", "ALLOC_NODES", lambda facts: facts.job.submit_host),
    Field("AllocSID", "", "ALLOC_SID", lambda facts: str(facts.job.session)),
    Field("ArrayJobId", "F", "ARRAY_JOB_ID", lambda facts: str(facts.job.array_job or facts.job.id)),
    Field("ArrayTaskId", "K", "ARRAY_TASK_ID", lambda facts: arrays.task_text(facts.job) or "N/A"),
    Field("AssocId", "", "ASSOC_ID", lambda facts: str(facts.user.uid)),
    Field("BatchFlag", "", "BATCH_FLAG", lambda facts: str(int(not facts.job.interactive))),
    Field("BatchHost", "B", "EXEC_HOST", _host),
    Field("Cluster", "", "CLUSTER", lambda facts: NULL),
    Field("Command", "o", "COMMAND", lambda facts: facts.job.command or NULL),
    Field("Comment", "k", "COMMENT", lambda facts: facts.job.comment or NULL),
    Field("Contiguous", "O", "CONTIGUOUS", lambda facts: "0"),
    Field("Cores", "I", "CORES_PER_SOCKET", lambda facts: "*"),
    Field("CoreSpec", "X", "CORE_SPEC", lambda facts: "N/A"),
    Field("CPUsPerTask", "", "CPUS_PER_TASK", lambda facts: str(facts.job.cpus_per_task)),
    Field("cpus-per-task", "", "CPUS_PER_TASK", lambda facts: str(facts.job.cpus_per_task)),
    Field("Deadline", "", "DEADLINE", lambda facts: "N/A"),
    Field("DelayBoot", "", "DELAY_BOOT", lambda facts: "00:00:00"),
    Field("Dependency", "E", "DEPENDENCY", lambda facts: facts.dependency or NULL),
    Field("DerivedEC", "", "DERIVED_EC", lambda facts: "0:0"),
    Field("EligibleTime", "", "ELIGIBLE_TIME", lambda facts: facts.when(facts.job.eligible, "N/A")),
    Field("EndTime", "e", "END_TIME", _end),
    Field("ExcNodes", "x", "EXC_NODES", lambda facts: _listed(facts.job.excluded_nodes)),
    Field("exit_code", "", "EXIT_CODE", lambda facts: exit_text(facts.job.exit_code, facts.job.signal)),
    Field("Feature", "f", "FEATURES", lambda facts: facts.job.features or NULL),
    Field("Gres", "b", "TRES_PER_NODE", lambda facts: facts.tres_per_node or "N/A", hidden=True),
    Field("GroupId", "G", "GROUP", lambda facts: str(facts.user.gid)),
    Field("GroupName", "g", "GROUP", lambda facts: facts.group),
    Field("JobArrayId", "i", "JOBID", lambda facts: arrays.shown_id(facts.job)),
    Field("JobId", "A", "JOBID", lambda facts: str(facts.job.id)),
    Field("LastSchedEval", "", "LAST_SCHED_EVAL", lambda facts: facts.when(facts.evaluated, "N/A")),
    Field("Licenses", "W", "LICENSES", lambda facts: NULL),
    Field("MaxCPUs", "", "MAX_CPUS", lambda facts: "0"),
    Field("MaxNodes", "", "MAX_NODES", lambda facts: "0"),
    Field("MCSLabel", "", "MCSLABEL", lambda facts: "N/A"),
    Field("MinCPUs", "c", "MIN_CPUS", lambda facts: str(facts.cpus_node)),
    Field("MinMemory", "m", "MIN_MEMORY", lambda facts: jobs.memory_text(facts.job.memory_request)),
    Field("MinTime", "", "TIME_MIN", lambda facts: "N/A"),
    Field("MinTmpDisk", "d", "MIN_TMP_DISK", lambda facts: "0"),
    Field("Name", "j", "NAME", lambda facts: facts.job.name),
    Field("Network", "", "NETWORK", lambda facts: NULL),
    Field("Nice", "y", "NICE", lambda facts: str(facts.job.nice)),
    Field("NodeList", "N", "NODELIST", lambda facts: facts.nodes, whole_heading=True, whole=True),
    Field("NTPerNode", "", "NTASKS_PER_NODE", lambda facts: str(facts.job.tasks_per_node)),
    Field("NumCPUs", "C", "CPUS", lambda facts: str(jobs.total_cpus(facts.job))),
    Field("NumNodes", "D", "NODES", lambda facts: str(facts.job.node_count)),
    Field("NumTasks", "", "TASKS", lambda facts: str(facts.job.task_count)),
    Field("OverSubscribe", "h", "OVER_SUBSCRIBE", lambda facts: "NO" if facts.job.exclusive else "OK"),
    Field("Partition", "P", "PARTITION", lambda facts: facts.job.partition),
    Field("PendingTime", "", "PENDING_TIME", _pending_seconds),
    Field("Prefer", "", "PREFER", lambda facts: NULL),
    Field("Priority", "p", "PRIORITY", _priority_fraction),
    Field("PriorityLong", "Q", "PRIORITY", lambda facts: str(facts.priority)),
    Field("QOS", "q", "QOS", lambda facts: facts.job.qos),
    Field("Reason", "r", "REASON", lambda facts: facts.job.reason),
    Field("ReasonList", "R", "NODELIST(REASON)", _reason_or_nodes, whole_heading=True),
    Field("Reboot", "", "REBOOT", lambda facts: "0"),
    Field("ReqNodes", "n", "REQ_NODES", lambda facts: _listed(facts.job.requested_nodes)),
    Field("Requeue", "", "REQUEUE", lambda facts: str(int(facts.job.requeue))),
    Field("Reservation", "v", "RESERVATION", lambda facts: facts.job.reservation or NULL),
    Field("RestartCnt", "", "RESTART_COUNT", lambda facts: str(facts.job.restarts)),
    Field("SchedNodes", "Y", "SCHEDNODES", lambda facts: fold(facts.job.scheduled_nodes) or NULL, whole_heading=True),
    Field("SCT", "z", "S:C:T", lambda facts: "*:*:*"),
    Field("Shared", "", "OVER_SUBSCRIBE", lambda facts: "NO" if facts.job.exclusive else "OK", hidden=True),
    Field("Sockets", "H", "SOCKETS_PER_NODE", lambda facts: "*"),
    Field("StartTime", "S", "START_TIME", _start),
    Field("State", "T", "STATE", lambda facts: jobs.state_name(facts.job)),
    Field("StateCompact", "t", "ST", lambda facts: jobs.state_code(facts.job)),
    Field("StdErr", "", "STDERR", lambda facts: "" if facts.job.interactive else facts.error_output),
    Field("StdIn", "", "STDIN", lambda facts: "" if facts.job.interactive else facts.input),
    Field("StdOut", "", "STDOUT", lambda facts: "" if facts.job.interactive else facts.output),
    Field("SubmitTime", "V", "SUBMIT_TIME", lambda facts: facts.when(facts.job.submitted)),
    Field("system_comment", "", "SYSTEM_COMMENT", lambda facts: NULL),
    Field("Threads", "J", "THREADS_PER_CORE", lambda facts: "*"),
    Field("TimeLeft", "L", "TIME_LEFT", _left, whole=True),
    Field("TimeLimit", "l", "TIME_LIMIT", _limit, whole=True),
    Field("TimeUsed", "M", "TIME", lambda facts: short_time(facts.seconds_used), whole=True),
    Field("Tres", "", "TRES_ALLOC", lambda facts: jobs.job_tres(facts.job), hidden=True),
    Field("tres-alloc", "", "TRES_ALLOC", lambda facts: jobs.job_tres(facts.job)),
    Field("tres-bind", "", "TRES_BIND", lambda facts: "N/A"),
    Field("tres-freq", "", "TRES_FREQ", lambda facts: "N/A"),
    Field("tres-per-job", "", "TRES_PER_JOB", lambda facts: facts.tres_per("job") or "N/A"),
    Field("tres-per-node", "", "TRES_PER_NODE", lambda facts: facts.tres_per_node or "N/A", hidden=True),
    Field("tres-per-socket", "", "TRES_PER_SOCKET", lambda facts: "N/A"),
    Field("tres-per-task", "", "TRES_PER_TASK", lambda facts: facts.tres_per("task") or "N/A"),
    Field("UserId", "U", "UID", lambda facts: str(facts.user.uid)),
    Field("UserName", "u", "USER", lambda facts: facts.job.user),
    Field("WCKey", "w", "WCKEY", lambda facts: NULL),
    Field("WorkDir", "Z", "WORK_DIR", lambda facts: facts.job.working_directory),
)


@dataclass(frozen=True, slots=True)
class StepFacts:
    """A step of a running job at a moment."""

    facts: JobFacts
    step: JobStep

    @property
    def id(self) -> str:
        return f"{arrays.shown_id(self.facts.job)}.{self.step.id}"

    @property
    def seconds_used(self) -> int:
        end = self.facts.now if self.step.ended is None else self.step.ended
        return max(end - self.step.started, 0) // SECOND

    @property
    def limit(self) -> str:
        limit = self.facts.job.time_limit
        return "UNLIMITED" if self.step.id == "batch" or not limit else short_time(limit // MINUTE * 60)


STEP_FIELDS: tuple[Field[StepFacts], ...] = (
    Field("StepId", "i", "STEPID", lambda step: step.id),
    Field("StepName", "j", "NAME", lambda step: step.step.name),
    Field("Partition", "P", "PARTITION", lambda step: step.facts.job.partition),
    Field("UserName", "u", "USER", lambda step: step.facts.job.user),
    Field("UserId", "U", "UID", lambda step: str(step.facts.user.uid)),
    Field("TimeUsed", "M", "TIME", lambda step: short_time(step.seconds_used), whole=True),
    Field("TimeLimit", "l", "TIME_LIMIT", lambda step: step.limit),
    Field("Nodes", "N", "NODELIST", lambda step: fold(step.step.nodes), whole_heading=True, whole=True),
    Field("NumTasks", "A", "TASKS", lambda step: str(step.step.tasks)),
    Field("JobId", "", "JOBID", lambda step: str(step.facts.job.id)),
    Field("StartTime", "S", "START_TIME", lambda step: step.facts.when(step.step.started)),
    Field("StepState", "", "STATE", lambda step: step.step.state),
)
