"""Slurm: nodes as the controller keeps them, jobs and their steps, and the controller itself."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SlurmNode:
    """A node as slurmctld keeps it: base state comes from jobs and registration, flags are set by people and rules."""

    drain: bool = False
    down: bool = False
    responding: bool = True
    invalid: bool = False
    reason: str = ""
    reason_user: str = ""
    reason_time: int = 0
    registered_gpus: int | None = None
    boot_time: int = 0
    slurmd_start: int = 0
    reboot_requested: bool = False
    reboot_issued: bool = False
    fail: bool = False
    unknown: bool = False
    comment: str = ""
    next_state: str = ""
    reboot_drains: bool = False
    silent_since: int | None = None
    silent_cause: str = ""
    last_busy: int | None = None


@dataclass(frozen=True, slots=True)
class JobStep:
    """A step of a Slurm job: `id` is a number, `batch` or `interactive`."""

    id: str
    name: str
    nodes: tuple[str, ...]
    tasks: int
    started: int
    ended: int | None = None
    state: str = "RUNNING"
    exit_code: int = 0
    signal: int = 0


@dataclass(frozen=True, slots=True)
class JobRun:
    """An earlier run of a job that went back to the queue, as accounting keeps it."""

    state: str
    submitted: int
    started: int
    ended: int
    nodes: tuple[str, ...]
    exit_code: int = 0
    signal: int = 0


@dataclass(frozen=True, slots=True)
class Dependency:
    """What a job waits for: `kind` of `--dependency`, the other job, ns after its beginning (`after` alone)."""

    kind: str
    job: int = 0
    delay: int = 0


@dataclass(frozen=True, slots=True)
class Job:
    """A Slurm job. `time_limit` 0 is none, `cpu_masks` are bit masks by node, `reason` is what squeue shows."""

    id: int
    name: str
    user: str
    partition: str
    node_count: int
    gpus_per_node: int
    cpus_per_task: int
    tasks_per_node: int
    memory_mib: int
    time_limit: int
    submitted: int
    state: str = "PENDING"
    reason: str = "None"
    started: int | None = None
    ended: int | None = None
    nodes: tuple[str, ...] = ()
    requested_nodes: tuple[str, ...] = ()
    excluded_nodes: tuple[str, ...] = ()
    exit_code: int = 0
    signal: int = 0
    workload: str = "script"
    script: str = ""
    command: str = ""
    working_directory: str = ""
    standard_output: str = ""
    priority: int = 1
    interactive: bool = False
    duration: int | None = None
    held: bool = False
    gpu_indices: tuple[tuple[int, ...], ...] = ()
    account: str = ""
    qos: str = "normal"
    task_count: int = 1
    cpus_per_node: int = 1
    cpu_masks: tuple[int, ...] = ()
    gpu_type: str = ""
    gpu_request: str = ""
    memory_per: str = "Node"
    memory_request: int = 0
    exclusive: bool = False
    requeue: bool = True
    held_by_admin: bool = False
    begin: int | None = None
    eligible: int | None = None
    evaluated: int | None = None
    backfilled: bool = False
    restarts: int = 0
    earlier_runs: tuple[JobRun, ...] = ()
    failed_node: str = ""
    cancelled_by: int | None = None
    completing: bool = False
    steps: tuple[JobStep, ...] = ()
    standard_error: str = ""
    standard_input: str = "/dev/null"
    submit_host: str = ""
    submit_line: str = ""
    session: int = 0
    comment: str = ""
    nice: int = 0
    environment: tuple[tuple[str, str], ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    any_dependency: bool = False


@dataclass(frozen=True, slots=True)
class SlurmController:
    """slurmctld's own state.

    `configuration` holds the texts of slurm.conf and gres.conf that it has read (None: the site's own), `scripts` the
    running batch jobs whose script is for a shell to run, `scripts_begun` those of them that a shell has begun.
    """

    next_job: int = 1
    active_jobs: tuple[int, ...] = ()
    configuration: tuple[str, str] | None = None
    pass_due: int | None = None
    planned_nodes: tuple[str, ...] = ()
    scripts: tuple[int, ...] = ()
    scripts_begun: tuple[int, ...] = ()
