"""Which GPUs a program may use within a job: what cgroup.conf's ConstrainDevices=yes leaves it, and within a
container those that it was given.

A program's job is told by its environment, since a command that srun runs has no process of its own in the model.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.control import files as host_files
from engine.control.containers import CONTAINER
from engine.control.slurm import files, jobs
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
    number = environment.get("SLURM_JOB_ID", "")
    job = jobs.job(world, whole(number) or 0)
    if job is None or job.state != "RUNNING" or host not in job.nodes or not constrained(world, host):
        return None
    return job_gpus(world, job, host)


def job_gpus(world: World, job: Job, host: str) -> tuple[int, ...]:
    """nvidia-smi's indices of a job's GPUs on one of its nodes."""
    return tuple(device_indices(world, host, job.gpu_indices[job.nodes.index(host)]))


def constrained(world: World, host: str) -> bool:
    """Whether jobs on a host see their own devices only."""
    text = host_files.text(world, host, files.CGROUP_CONF, files.cgroup_conf())
    settings = dict(line.partition("#")[0].lower().replace(" ", "").partition("=")[::2] for line in text.splitlines())
    return settings.get("constraindevices", "no") == "yes"
