"""Which GPUs a program may use within a job: what cgroup.conf's ConstrainDevices=yes leaves it, and within a
container those that it was given.

A program's job is told by its environment, since a command that srun runs has no process of its own in the model.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.control.containers import CONTAINER
from engine.control.slurm import configuration, jobs
from engine.control.slurm.config_file import truth
from engine.control.slurm.lifecycle import device_indices
from engine.control.slurm.numbers import whole
from engine.world.records import Job
from engine.world.world import World


def visible_gpus(world: World, host: str, environment: Mapping[str, str]) -> tuple[int, ...] | None:
    """nvidia-smi's indices of the GPUs that a program with this environment may open on `host`; None: all."""
    inside = environment.get(CONTAINER)
    if inside:
        from engine.control.containers.inside import gpu_indices, of_id  # only programs in containers wait for it

        found = of_id(world, host, inside)
        return gpu_indices(world, host, found) if found else ()
    if environment.get("SLURM_SCRIPT_CONTEXT", "").endswith("_slurmd"):
        return None  # slurmd runs prolog and epilog outside the job's cgroup
    number = environment.get("SLURM_JOB_ID", "")
    job = jobs.job(world, whole(number) or 0)
    if job is None or job.state != "RUNNING" or host not in job.nodes or not constrained(world, host):
        return None
    own = job_gpus(world, job, host)
    places = step_places(job, environment)
    return own if places is None else tuple(own[place] for place in places if place < len(own))


def step_places(job: Job, environment: Mapping[str, str]) -> tuple[int, ...] | None:
    """The places among the job's GPUs on a node that a step, or a task of one with --gpus-per-task, may use; None: all
    of the job's.
    """
    step = next((each for each in job.steps if each.id == environment.get("SLURM_STEP_ID")), None)
    if step is None or step.gpus is None:
        return None
    each, local = (whole(environment.get(name, "")) for name in ("SLURM_GPUS_PER_TASK", "SLURM_LOCALID"))
    return step.gpus[(local or 0) * each : ((local or 0) + 1) * each] if each else step.gpus


def job_gpus(world: World, job: Job, host: str) -> tuple[int, ...]:
    """nvidia-smi's indices of a job's GPUs on one of its nodes."""
    return tuple(device_indices(world, host, job.gpu_indices[job.nodes.index(host)]))


def constrained(world: World, host: str) -> bool:
    """Whether jobs on a host see their own devices only."""
    text = configuration.read_by_slurmd(world, host)[2]
    settings = dict(line.partition("#")[0].lower().replace(" ", "").partition("=")[::2] for line in text.splitlines())
    return truth(settings.get("constraindevices", "no"))
