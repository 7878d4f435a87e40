"""A job comes into the queue: sbatch and srun ask for it, slurmctld works it out or refuses it.

Log lines from SchedMD/slurm 24.11 src/slurmctld/proc_req.c. Refusals are returned, not raised.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.control.slurm import (
    arrays,
    associations,
    configuration,
    dependencies,
    jobs,
    ledger,
    lifecycle,
    limits,
    logs,
    priority,
    reservations,
    workload,
)
from engine.control.slurm.errors import Refused, SlurmError
from engine.control.slurm.nodes import survey
from engine.control.slurm.request import Wanted, resolve
from engine.control.slurm.scheduler import Pass
from engine.kernel.actions import Action
from engine.kernel.simulation import Simulation
from engine.world.events import SchedulerDue
from engine.world.records import Job
from engine.world.world import World

_WANTED = (
    "partition", "nodes", "tasks", "tasks_per_node", "cpus_per_task", "gpus", "gpus_per_node", "gpus_per_task",
    "gpu_type", "gpu_request", "memory", "memory_per_cpu", "memory_per_gpu", "time_limit", "unlimited", "node_list",
    "exclude", "exclusive", "features", "reservation",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Submission:
    """The controller's answer to a submission: the job's number, or the error with the lines that go before it."""

    job: int = 0
    error: SlurmError | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SubmitJob(Action):
    """sbatch or srun: a job for the queue. `interactive` jobs run no script; their command is run by whoever waits for
    them.
    """

    user: str
    name: str
    host: str
    directory: str
    partition: str = ""
    nodes: int | None = None
    tasks: int | None = None
    tasks_per_node: int | None = None
    cpus_per_task: int | None = None
    gpus: int | None = None
    gpus_per_node: int | None = None
    gpus_per_task: int | None = None
    gpu_type: str = ""
    gpu_request: str = ""
    memory: int | None = None
    memory_per_cpu: int | None = None
    memory_per_gpu: int | None = None
    time_limit: int | None = None
    unlimited: bool = False
    node_list: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    exclusive: bool = False
    features: str = ""
    reservation: str = ""
    account: str = ""
    qos: str = ""
    hold: bool = False
    begin: int | None = None
    requeue: bool = True
    interactive: bool = False
    script: str = ""
    command: str = ""
    standard_output: str = ""
    standard_error: str = ""
    submit_line: str = ""
    session: int = 0
    comment: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    dependency: str = ""
    array: str = ""
    nice: int = 0
    priority: int | None = None
    arguments: tuple[str, ...] = ()

    def perform(self, simulation: Simulation[World]) -> Submission:
        try:
            job = self.job(simulation)
        except Refused as refused:
            logs.controller(simulation, f"{self._rpc()}: {refused.error.text}")
            return Submission(error=refused.error, notes=refused.notes)
        self._enter(simulation, job)
        return Submission(job.id)

    def job(self, simulation: Simulation[World]) -> Job:
        """The job that this asks for. Raises Refused."""
        world, now = simulation.world, simulation.now
        work = workload.read_script(self.script) if self.script else workload.Work("script", None)
        begin = self.begin if self.begin is not None and self.begin > now else None
        job = Job(
            id=world.slurm[""].next_job, name=self.name, user=self.user, partition="", node_count=1, gpus_per_node=0,
            cpus_per_task=1, tasks_per_node=0, memory_mib=0, time_limit=0, submitted=now, workload=work.kind,
            duration=work.duration, script=self.script, command=self.command, working_directory=self.directory,
            standard_output=self.standard_output, interactive=self.interactive, held=self.hold, account=self.account,
            qos=self.qos, requeue=self.requeue, begin=begin, eligible=now if begin is None else begin,
            standard_error=self.standard_error, submit_host=self.host, submit_line=self.submit_line,
            session=self.session, comment=self.comment, environment=self.environment, arguments=self.arguments,
        )  # fmt: skip
        job = dependencies.dressed(job, self.dependency)
        dependencies.check(world, job)
        wanted = Wanted(**{name: getattr(self, name) for name in _WANTED})
        job = self._charged(world, resolve(configuration.in_force(world), wanted, job, world.inventory))
        limits.check(world, job)
        reservations.check(world, job)
        if self.priority is not None and jobs.is_operator(world.inventory, self.user):
            return replace(job, priority=self.priority, fixed_priority=True)
        return replace(job, priority=priority.fixed(world, job, now))

    def _charged(self, world: World, job: Job) -> Job:
        """The job with its account and quality of service, and as an array if it is one."""
        account = self.account or associations.default_account(world, self.user) or job.account
        known = configuration.in_force(world)
        tasks, limit = (
            arrays.read(self.array, known.number("MaxArraySize", arrays.MAX_ARRAY_SIZE)) if self.array else ((), 0)
        )
        return replace(
            job, account=account, qos=self.qos or associations.default_qos(world, account, self.user), nice=self.nice,
            array_job=job.id if tasks else 0, array_tasks=tasks, array_limit=limit,
            array_range=arrays.whole_range(tasks) if tasks else None,
        )  # fmt: skip

    def _enter(self, simulation: Simulation[World], job: Job) -> None:
        world = simulation.world
        ledger.enter(world, job)
        controller = world.slurm[""]
        world.slurm.update("", next_job=job.id + 1, active_jobs=(*controller.active_jobs, job.id))
        if self.interactive:
            self._try_now(simulation, job)
        else:
            logs.controller(
                simulation,
                f"{self._rpc()}: JobId={job.id} InitPrio={jobs.priority(world, job, simulation.now)} "
                f"usec={lifecycle.request_time(job.id)}",
            )
        if job.begin is not None:
            simulation.schedule_at(SchedulerDue(), job.begin)
        lifecycle.look_soon(simulation)

    def _try_now(self, simulation: Simulation[World], job: Job) -> None:
        """An interactive job starts at once where nothing of more priority waits and there is room."""
        look = Pass(survey(simulation.world), simulation.now)
        decisions = look.run()
        placement = next((each for each in decisions.starts if each.job == job.id), None)
        ahead = {each.job for each in decisions.starts} - {job.id}
        if placement and not placement.backfilled and not ahead:
            lifecycle.start(simulation, job, placement)
        else:
            reason = decisions.reasons.get(job.id, "Priority")
            lifecycle.put(simulation, job.id, reason=reason)
            logs.controller(
                simulation, f"sched: {self._rpc()} JobId={job.id} NodeList=(null) usec={lifecycle.request_time(job.id)}"
            )

    def _rpc(self) -> str:
        return "_slurm_rpc_allocate_resources" if self.interactive else "_slurm_rpc_submit_batch_job"


def forecast(simulation: Simulation[World], request: SubmitJob) -> Submission | tuple[Job, int, tuple[str, ...]]:
    """What `--test-only` tells: the job as it would be, when and where it could start; or the refusal."""
    try:
        job = request.job(simulation)
    except Refused as refused:
        return Submission(error=refused.error, notes=refused.notes)
    look = Pass(survey(simulation.world), simulation.now)
    partition = look.cluster.configuration.partition(job.partition)
    found = look.forecast(job, partition) if partition else None
    return (job, *found) if found else Submission(error=SlurmError.NODE_CONFIGURATION)
