"""Slurm: nodes as the controller keeps them, jobs and their steps, and the controller itself."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SlurmNode:
    """A node as slurmctld keeps it: base state comes from jobs and registration, flags are set by people and rules.

    `files` are the texts of slurm.conf, gres.conf and cgroup.conf that its slurmd has read (None: nothing has happened
    to it, they are what stands there). `power` is what becomes of its power since `power_since`: asked, going_down,
    down, coming_up; "" is up.
    """

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
    files: tuple[str, str, str] | None = None
    power: str = ""
    power_since: int = 0


@dataclass(frozen=True, slots=True)
class JobStep:
    """A step of a Slurm job: `id` is a number, `batch` or `interactive`. On each of its nodes it has `cpus` (0: all of
    the job's) and the `gpus` at these places among the job's (None: all); one that `overlaps` shares them.
    """

    id: str
    name: str
    nodes: tuple[str, ...]
    tasks: int
    started: int
    ended: int | None = None
    state: str = "RUNNING"
    exit_code: int = 0
    signal: int = 0
    cpus: int = 0
    gpus: tuple[int, ...] | None = None
    overlaps: bool = False


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
    """A Slurm job. `time_limit` 0 is none, `cpu_masks` are bit masks by node, `reason` is what squeue shows.

    `priority` is all of it but what grows with its age, or with `fixed_priority` what an operator set. A job of an
    array knows the array's number (`array_job`) and its own task; the record that the array's tasks are taken from has
    them all in `array_tasks`, and no task of its own until the last is left; `array_range` is how many there were, the
    least, the most, and the step between them. `expected` is when backfill thinks that a job that waits will start, and
    `scheduled_nodes` where; `preempted_at` is when it must make room for a job of more importance; `arguments` are
    those of the batch script.
    """

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
    held_because: str = ""
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
    features: str = ""
    reservation: str = ""
    array_job: int = 0
    array_task: int | None = None
    array_tasks: tuple[int, ...] = ()
    array_limit: int = 0
    array_range: tuple[int, int, int, int] | None = None
    fixed_priority: bool = False
    preempted_at: int | None = None
    expected: int | None = None
    scheduled_nodes: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SlurmReservation:
    """Nodes set aside from `start` to `end` (ns) for `users` and `accounts`; `flags` in Slurm's words. `active` is
    whether slurmctld has seen it begin.
    """

    name: str
    start: int
    end: int
    nodes: tuple[str, ...]
    users: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    partition: str = ""
    features: str = ""
    comment: str = ""
    active: bool = False


@dataclass(frozen=True, slots=True)
class SlurmAccount:
    """An account of the accounting database."""

    name: str
    description: str = ""
    organization: str = ""


@dataclass(frozen=True, slots=True)
class SlurmAssociation:
    """What an account, or with `user` a user in it, may have: `limits` are (name of sacctmgr in small letters, value),
    times in minutes; `qos` empty is inherited. `default` marks the account of jobs that name none.
    """

    account: str
    user: str = ""
    parent: str = ""
    shares: int = 1
    limits: tuple[tuple[str, int], ...] = ()
    qos: tuple[str, ...] = ()
    default_qos: str = ""
    default: bool = False


@dataclass(frozen=True, slots=True)
class SlurmQos:
    """A quality of service: its priority, its limits as of an association, and whose jobs its own may preempt."""

    name: str
    description: str = ""
    priority: int = 0
    limits: tuple[tuple[str, int], ...] = ()
    flags: tuple[str, ...] = ()
    preempts: tuple[str, ...] = ()
    preempt_mode: str = ""
    grace: int = 0


@dataclass(frozen=True, slots=True)
class SlurmDatabase:
    """The accounting database's accounts, associations and qualities of service (None: those that the site has),
    and of users their administrator level where somebody set it.
    """

    accounts: tuple[SlurmAccount, ...] | None = None
    associations: tuple[SlurmAssociation, ...] | None = None
    qos: tuple[SlurmQos, ...] | None = None
    levels: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class NodeScript:
    """A script that slurmd runs on its node: `kind` is prolog, epilog or health_check; `run` tells which run of `job`
    an epilog is for (ns of its end), `pid` is its process. `begun` says that a shell runs it.
    """

    number: int
    kind: str
    node: str
    path: str
    started: int
    job: int = 0
    run: int = 0
    begun: bool = False
    pid: int = 0
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SlurmController:
    """slurmctld's own state.

    `configuration` holds the texts of slurm.conf and gres.conf that it has read (None: the site's own), `topology` that
    of topology.conf, `scripts` the
    running batch jobs whose script is for a shell to run, `scripts_begun` those of them that a shell has begun.
    `partition_states` are those that an operator set, `last_pass` and `full_pass` when the queue was last looked at, in
    part and as a whole, `passes` how often.
    """

    next_job: int = 1
    active_jobs: tuple[int, ...] = ()
    configuration: tuple[str, str] | None = None
    topology: str = ""
    in_charge: str = ""
    node_scripts: tuple[NodeScript, ...] = ()
    next_node_script: int = 1
    unlaunched: tuple[int, ...] = ()
    health_check_due: int | None = None
    pass_due: int | None = None
    planned_nodes: tuple[str, ...] = ()
    scripts: tuple[int, ...] = ()
    scripts_begun: tuple[int, ...] = ()
    reservations: tuple[SlurmReservation, ...] = ()
    partition_states: tuple[tuple[str, str], ...] = ()
    last_pass: int | None = None
    full_pass: int | None = None
    passes: int = 0
