"""What slurmctld tells of a job, ready to print: for squeue and `scontrol show job`.

Source: SchedMD/slurm 24.11 src/squeue/print.c, src/scontrol/info_job.c and src/common/job_resources.c.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.control.accounts import Identity, identity
from engine.control.slurm import dependencies, jobs, workload
from engine.control.slurm.times import timestamp
from engine.control.slurm.version import at_least
from engine.kernel.hostlist import fold
from engine.kernel.units import MINUTE, SECOND
from engine.world.records import Job
from engine.world.world import World

NULL = "(null)"


@dataclass(frozen=True, slots=True)
class JobFacts:
    """A job at `now`."""

    job: Job
    world: World
    now: int

    @property
    def user(self) -> Identity:
        return identity(self.world.inventory, self.job.user)

    @property
    def group(self) -> str:
        return self.user.group_names[0]

    @property
    def dependency(self) -> str:
        """What the job still waits for, "" for nothing."""
        return dependencies.text(self.world, self.job, self.now)

    @property
    def seconds_used(self) -> int:
        """How long the job has run, or ran."""
        job = self.job
        if job.started is None or job.state == "PENDING":
            return 0
        return max((self.now if job.ended is None else job.ended) - job.started, 0) // SECOND

    @property
    def limit_seconds(self) -> int | None:
        """The time limit in whole minutes, as seconds; None for none."""
        return self.job.time_limit // MINUTE * 60 if self.job.time_limit else None

    @property
    def priority(self) -> int:
        return jobs.priority(self.world, self.job, self.now)

    @property
    def evaluated(self) -> int | None:
        """When slurmctld last thought about the job: for one that waits, at its last look at the whole queue."""
        last = self.world.slurm[""].full_pass
        if self.job.state != "PENDING" or last is None:
            return self.job.evaluated
        return last if self.job.evaluated is None else max(last, self.job.evaluated)

    @property
    def nodes(self) -> str:
        return fold(sorted(self.job.nodes)) if self.job.state != "PENDING" or self.job.completing else ""

    @property
    def waits(self) -> bool:
        """Whether the list of nodes gives place to the reason."""
        return self.job.state in ("PENDING", "TIMEOUT", "OUT_OF_MEMORY", "FAILED") and not self.job.completing

    @property
    def tres_per_node(self) -> str:
        """`gres/gpu:8` if GPUs were asked for by the node; older releases write `gres:gpu:8`."""
        request = self.job.gpu_request
        if not request or request.startswith(("job=", "task=")):
            return ""
        return self._notation(request)

    def tres_per(self, what: str) -> str:
        """GPUs asked for by the `job` or the `task`."""
        mark, equals, request = self.job.gpu_request.partition("=")
        return self._notation(request) if equals and mark == what else ""

    def _notation(self, request: str) -> str:
        return request if at_least(self.world.inventory, 23, 11) else request.replace("gres/", "gres:")

    @property
    def cpus_node(self) -> int:
        """The least CPUs of a node."""
        job = self.job
        return max(job.cpus_per_task * max(job.tasks_per_node, 1), 1)

    @property
    def is_barred(self) -> bool:
        """Whether the job waits for others or for its release, so that its age does not count."""
        job = self.job
        return job.state == "PENDING" and (job.held or job.held_by_admin or job.reason.startswith(dependencies.REASON))

    @property
    def eligible(self) -> int | None:
        """Since when the job could run; None while it cannot."""
        limited = self.job.state == "PENDING" and self.job.reason == "JobArrayTaskLimit"
        return None if self.is_barred or limited else self.job.eligible

    @property
    def start(self) -> int | None:
        """When the job started, or is to: at its own time, or when backfill expects it to."""
        job = self.job
        return next((time for time in (job.started, job.expected, job.begin) if time is not None), None)

    @property
    def end(self) -> int | None:
        """When the job ended or its time will be over."""
        job = self.job
        if job.ended is not None or job.started is None:
            return job.ended
        return job.started + job.time_limit if job.time_limit else None

    @property
    def output(self) -> str:
        return workload.output_path(self.job, self.job.standard_output)

    @property
    def error_output(self) -> str:
        return workload.output_path(self.job, self.job.standard_error) if self.job.standard_error else self.output

    @property
    def input(self) -> str:
        return workload.output_path(self.job, self.job.standard_input)

    def when(self, time: int | None, unknown: str = "Unknown") -> str:
        """A time, or `unknown`."""
        return unknown if time is None else timestamp(self.world.inventory, time)


def exit_text(exit_code: int, signal: int) -> str:
    """`7:0`, `0:15`."""
    return f"{exit_code}:{signal}"
