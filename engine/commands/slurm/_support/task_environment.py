"""The environment that slurmstepd gives to a task of a step.

Names as a task of srun 22.05 had them; 24.11 has the same. With devices constrained by cgroup, a task counts its GPUs
from 0 (CUDA_VISIBLE_DEVICES), while SLURM_STEP_GPUS tells the node's own numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.control.accounts import identity
from engine.control.slurm import devices, files
from engine.control.slurm.configuration import in_force, read_by_slurmd
from engine.control.slurm.gres_file import parse_gres_conf
from engine.kernel.hostlist import fold
from engine.world.records import Job
from engine.world.world import World

_ALL_VENDORS = ("CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL", "ROCR_VISIBLE_DEVICES", "ZE_AFFINITY_MASK")


@dataclass(frozen=True, slots=True)
class Layout:
    """A step: its number, its nodes, how many tasks each of them gets, which MPI plugin serves them (--mpi), which
    variables go along (--export), and the places of its GPUs among the job's (None: all), so many for each task (0:
    all of them for each).
    """

    job: Job
    step: int
    nodes: tuple[str, ...]
    tasks: tuple[int, ...]
    mpi: str = "none"
    export: str = "ALL"
    gpus: tuple[int, ...] | None = None
    gpus_per_task: int = 0

    @property
    def total(self) -> int:
        return sum(self.tasks)

    def places(self) -> list[tuple[int, str, int]]:
        """(rank, node, number on that node) of each task, node by node."""
        found: list[tuple[int, str, int]] = []
        for node, count in zip(self.nodes, self.tasks, strict=True):
            found += [(len(found) + local, node, local) for local in range(count)]
        return found

    def ranks_of(self, node: str) -> list[int]:
        """The ranks on a node."""
        return [rank for rank, name, _ in self.places() if name == node]


def spread(tasks: int, nodes: int) -> tuple[int, ...]:
    """Tasks by node: as evenly as it goes, the first nodes take one more."""
    return tuple(tasks // nodes + (index < tasks % nodes) for index in range(nodes))


def repeated(counts: tuple[int, ...]) -> str:
    """`4(x2),3`, as Slurm writes numbers by node."""
    runs: list[list[int]] = []
    for count in counts:
        if runs and runs[-1][0] == count:
            runs[-1][1] += 1
        else:
            runs.append([count, 1])
    return ",".join(str(count) if times == 1 else f"{count}(x{times})" for count, times in runs)


def task_environment(
    world: World, layout: Layout, rank: int, node: str, local: int, outside: Mapping[str, str]
) -> dict[str, str]:
    """The variables of one task; `outside` is the environment that srun had."""
    job = layout.job
    own = {
        "SLURMD_NODENAME": node,
        "SLURM_GTIDS": ",".join(str(each) for each in layout.ranks_of(node)),
        "SLURM_LOCALID": str(local),
        "SLURM_NODEID": str(layout.nodes.index(node)),
        "SLURM_PROCID": str(rank),
        "SLURM_CPUS_ON_NODE": str(job.cpus_per_node),
    }
    mpi = mpi_variables(layout, rank)
    if layout.gpus_per_task:
        own["SLURM_GPUS_PER_TASK"] = str(layout.gpus_per_task)
    gpus = _gpus(world, job, node, layout.gpus, slice_of(layout, local))
    given = {**_job_variables(world, job, outside), **_step_variables(layout), **own, **mpi, **gpus}
    return {**exported(outside, layout.export), **given}


def slice_of(layout: Layout, local: int) -> slice:
    """Which of the step's GPUs on a node are a task's."""
    each = layout.gpus_per_task
    return slice(local * each, (local + 1) * each) if each else slice(None)


def batch_environment(world: World, job: Job) -> dict[str, str]:
    """The variables of a batch script on its first node; `Job.environment` is what sbatch took along."""
    node = job.nodes[0]
    tasks = spread(max(job.task_count, len(job.nodes)), len(job.nodes))
    own = {
        "ENVIRONMENT": "BATCH",
        "SLURMD_NODENAME": node,
        "SLURM_CPUS_ON_NODE": str(job.cpus_per_node),
        "SLURM_GTIDS": "0",
        "SLURM_LOCALID": "0",
        "SLURM_NODEID": "0",
        "SLURM_NPROCS": str(sum(tasks)),
        "SLURM_NTASKS": str(sum(tasks)),
        "SLURM_PROCID": "0",
        "SLURM_TASKS_PER_NODE": repeated(tasks),
    }
    outside = dict(job.environment)
    gpus = {name: value for name, value in _gpus(world, job, node).items() if name != "SLURM_STEP_GPUS"}
    return {**outside, **_job_variables(world, job, outside), **own, **gpus}


def allocation_environment(world: World, job: Job) -> dict[str, str]:
    """The variables that salloc gives to the command that it runs beside the job."""
    tasks = spread(max(job.task_count, len(job.nodes)), len(job.nodes))
    left_out = ("SLURM_PRIO_PROCESS", "SLURM_UMASK")
    found = {name: value for name, value in _job_variables(world, job, {}).items() if name not in left_out}
    return {**found, "SLURM_NTASKS": str(sum(tasks)), "SLURM_NPROCS": str(sum(tasks)),
            "SLURM_TASKS_PER_NODE": repeated(tasks)}  # fmt: skip


def exported(environment: Mapping[str, str], option: str) -> dict[str, str]:
    """What `--export` takes over of srun's environment: ALL, NONE or NIL (Slurm's own alone), or a list of names,
    `NAME=VALUE` and ALL, of which a later one goes before an earlier one (srun(1)).
    """
    found = {name: value for name, value in environment.items() if name.startswith(("SLURM_", "SPANK_"))}
    for word in option.split(","):
        name, equals, value = word.partition("=")
        if word.upper() == "ALL":
            found |= environment
        elif equals:
            found[name] = value
        elif name in environment:
            found[name] = environment[name]
    return found


def mpi_variables(layout: Layout, rank: int) -> dict[str, str]:
    """What the MPI plugin tells a task of its place in the program."""
    if layout.mpi.startswith("pmix"):
        return {"PMIX_NAMESPACE": f"slurm.pmix.{layout.job.id}.{layout.step}", "PMIX_RANK": str(rank)}
    if layout.mpi == "pmi2":
        return {"PMI_JOBID": f"{layout.job.id}.{layout.step}", "PMI_RANK": str(rank), "PMI_SIZE": str(layout.total)}
    return {}


def _job_variables(world: World, job: Job, outside: Mapping[str, str]) -> dict[str, str]:
    user = identity(world.inventory, job.user)
    cpus = repeated((job.cpus_per_node,) * len(job.nodes))
    return {
        "SLURM_CLUSTER_NAME": world.inventory.cluster,
        "SLURM_CONF": files.SLURM_CONF,
        "SLURM_JOBID": str(job.id),
        "SLURM_JOB_ACCOUNT": job.account,
        "SLURM_JOB_CPUS_PER_NODE": cpus,
        "SLURM_JOB_GID": str(user.gid),
        "SLURM_JOB_ID": str(job.id),
        "SLURM_JOB_NAME": job.name,
        "SLURM_JOB_NODELIST": fold(job.nodes),
        "SLURM_JOB_NUM_NODES": str(len(job.nodes)),
        "SLURM_JOB_PARTITION": job.partition,
        "SLURM_JOB_QOS": job.qos,
        "SLURM_JOB_UID": str(user.uid),
        "SLURM_JOB_USER": job.user,
        "SLURM_NNODES": str(len(job.nodes)),
        "SLURM_NODELIST": fold(job.nodes),
        "SLURM_PRIO_PROCESS": "0",
        "SLURM_SUBMIT_DIR": outside.get("SLURM_SUBMIT_DIR", job.working_directory),
        "SLURM_SUBMIT_HOST": outside.get("SLURM_SUBMIT_HOST", job.submit_host),
        "SLURM_UMASK": "0022",
        **_array_variables(job),
        **({"SLURM_JOB_RESERVATION": job.reservation} if job.reservation else {}),
    }


def _array_variables(job: Job) -> dict[str, str]:
    """What a task of a job array is told of it."""
    if job.array_task is None or job.array_range is None:
        return {}
    count, least, most, step = job.array_range
    return {
        "SLURM_ARRAY_JOB_ID": str(job.array_job),
        "SLURM_ARRAY_TASK_COUNT": str(count),
        "SLURM_ARRAY_TASK_ID": str(job.array_task),
        "SLURM_ARRAY_TASK_MAX": str(most),
        "SLURM_ARRAY_TASK_MIN": str(least),
        "SLURM_ARRAY_TASK_STEP": str(step),
    }


def _step_variables(layout: Layout) -> dict[str, str]:
    tasks, total = repeated(layout.tasks), str(layout.total)
    return {
        "SLURM_DISTRIBUTION": "block",
        "SLURM_NPROCS": total,
        "SLURM_NTASKS": total,
        "SLURM_STEPID": str(layout.step),
        "SLURM_STEP_ID": str(layout.step),
        "SLURM_STEP_NODELIST": fold(layout.nodes),
        "SLURM_STEP_NUM_NODES": str(len(layout.nodes)),
        "SLURM_STEP_NUM_TASKS": total,
        "SLURM_STEP_TASKS_PER_NODE": tasks,
        "SLURM_TASKS_PER_NODE": tasks,
    }


def _gpus(
    world: World, job: Job, node: str, places: tuple[int, ...] | None = None, part: slice = slice(None)
) -> dict[str, str]:
    """The GPUs of the job on a node. Found through NVML they are NVIDIA's; `File=` lines do not tell whose they are."""
    if node not in job.nodes or not in_force(world).nodes[node].gpus:
        return {}
    whole = job.gpu_indices[job.nodes.index(node)]
    indices = whole if places is None else tuple(whole[place] for place in places if place < len(whole))
    if not indices:
        return {}
    constrained = devices.constrained(world, node)
    visible = range(len(indices[part])) if constrained else indices[part]
    listed = ",".join(str(index) for index in visible)
    numbers = ",".join(str(index) for index in indices)
    detection, _ = parse_gres_conf(read_by_slurmd(world, node)[1]).of(node)
    names = ("CUDA_VISIBLE_DEVICES",) if detection == "nvml" else _ALL_VENDORS
    return {
        **dict.fromkeys(names, listed),
        "SLURM_GPUS_ON_NODE": str(len(indices)),
        "SLURM_JOB_GPUS": ",".join(str(index) for index in whole),
        "SLURM_STEP_GPUS": numbers,
    }
