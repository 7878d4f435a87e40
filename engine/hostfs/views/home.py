"""/home: a directory for each person, exported by the head node to every host.

What other people have typed before is made up from what they do; the learner's own history begins with the session.
"""

from __future__ import annotations

from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file
from engine.hostfs.realms import EXPORTED
from engine.hostfs.views._texts import names, text
from engine.kernel.random import Stream
from engine.world.inventory import StandingJob, User

_AS_ADMINISTRATOR = (
    "sinfo -R", "squeue", "sudo dmesg -T | tail", "nvidia-smi", "sudo ipmitool sel list | tail",
    "ibstat | grep -i state", "scontrol show node {node}", "ssh {node}", "journalctl -u slurmd -n 50", "df -h /home",
    "last | head", "exit",
)  # fmt: skip
_AS_USER = (
    "squeue -u $USER", "sinfo", "sbatch {job}.sbatch", "tail -f slurm-*.out", "cd {job}", "ls -l", "vi {job}.sbatch",
    "du -sh /data/scratch", "scancel -u $USER", "exit",
)  # fmt: skip
_SHORTEST, _LONGEST = 8, 20


def personal_files(uid: int, gid: int) -> dict[str, Node]:
    """What every home directory begins with."""
    found = {f".{name}": file(text("skel", name), uid=uid, gid=gid) for name in names("skel")}
    return {**found, ".ssh": directory({"known_hosts": file("", 0o600, uid=uid, gid=gid)}, 0o700, uid=uid, gid=gid)}


def history(machine: Machine, user: User) -> str:
    """A person's .bash_history."""
    inventory = machine.inventory
    stream = Stream(machine.world.seed, f"bash_history/{user.name}")
    jobs = [job.name for job in inventory.standing_jobs if job.user == user.name] or ["train"]
    lines = _AS_ADMINISTRATOR if "sudo" in user.groups else _AS_USER
    words = [stream.choice(lines) for _ in range(stream.integer(_SHORTEST, _LONGEST))]
    nodes = [name for partition in inventory.partitions for name in partition.nodes] or list(inventory.node_names)
    return "".join(line.format(node=stream.choice(nodes), job=stream.choice(jobs)) + "\n" for line in words)


def _home(machine: Machine, user: User) -> Node:
    uid = gid = user.uid
    files = personal_files(uid, gid)
    cluster = machine.inventory.kubernetes
    if cluster is not None and (user.name in cluster.admins or user.name in dict(cluster.users)):
        config = file(lambda machine: _kubeconfig(machine, user.name), 0o600, uid=uid, gid=gid)
        files[".kube"] = directory({"config": config}, uid=uid, gid=gid)
    if user.name != machine.inventory.learner:
        files[".bash_history"] = file(lambda machine: history(machine, user), 0o600, uid=uid, gid=gid)
        for job in machine.inventory.standing_jobs:
            if job.user == user.name:
                files[job.name] = directory({f"{job.name}.sbatch": _script(job, user)}, uid=uid, gid=gid)
    return directory(files, 0o750, uid=uid, gid=gid)


def _kubeconfig(machine: Machine, user: str) -> str:
    from engine.control.kubernetes import kubeconfigs

    cluster = machine.inventory.kubernetes
    if cluster is not None and user in cluster.admins:
        return kubeconfigs.administrator(machine.world)
    return kubeconfigs.person(machine.world, user)


def _script(job: StandingJob, user: User) -> Node:
    """The script of a standing job, as its user submitted it."""
    path = f"{user.home}/{job.name}/{job.name}.sbatch"
    return file(lambda machine: _submitted(machine, path) or _likely(job), uid=user.uid, gid=user.uid)


def _submitted(machine: Machine, path: str) -> str:
    jobs = machine.world.jobs
    return next((jobs[number].script for number in jobs.changed() if jobs[number].command == path), "")


def _likely(job: StandingJob) -> str:
    return f"#!/bin/bash\n#SBATCH --job-name={job.name}\nsrun python {job.workload}.py\n"


def _homes(machine: Machine) -> Children:
    return {user.name: _home(machine, user) for user in machine.inventory.users if user.uid}


DIRECTORY = directory(_homes, fixed=True, realm=EXPORTED)
