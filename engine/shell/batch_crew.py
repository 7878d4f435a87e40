"""The scripts of batch jobs, run by bash on the job's first node as slurmstepd runs them.

A script begins as soon as its job is launched, runs beside whatever the terminals do, and writes to the job's output
file. The job ends with the script's status; a script whose job is over, or whose node has gone, ends with it. A script
in another language than the shell's is not run; how long it takes follows from its words.
"""

from __future__ import annotations

import asyncio
import shlex
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engine.commands.context import Place
from engine.commands.slurm._support.task_environment import batch_environment
from engine.control.accounts import identity
from engine.control.slurm import scripts, workload
from engine.control.slurm.batch import BeginScript, EndScript, LeaveScript, RefuseOutput
from engine.hostfs.tree import FileError
from engine.shell.execution import Execution
from engine.shell.lines import forks
from engine.shell.runner import ScriptOwner
from engine.world.records import BootPhase, Job

if TYPE_CHECKING:
    from engine.shell.shell import Shell

_TERMINAL = 1_000_000
"""Scripts wait after all terminals that wait for the same moment, in the order of their jobs."""
_SHELLS = ("sh", "bash", "dash")
_KILLED = 137


@dataclass(eq=False)
class _Script:
    """A script that runs: what it has said on each stream and not yet written to its files."""

    job: Job
    place: Place
    execution: Execution
    said: bytearray = field(default_factory=bytearray)
    complained: bytearray = field(default_factory=bytearray)
    task: asyncio.Task[None] | None = None


class BatchCrew:
    """Runs the scripts of one simulation."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._simulation = shell.simulation
        self._running: dict[int, _Script] = {}

    def wants_attention(self) -> bool:
        """Whether a script that runs must end."""
        return not all(self._lives(script) for script in self._running.values())

    def look(self) -> None:
        """Begin scripts that wait, write down what was said, end scripts whose job is over."""
        for script in list(self._running.values()):
            self._write(script)
            if not self._lives(script):
                self._stop(script)
        for job in scripts.waiting(self._simulation.world):
            self._begin(job)
            self._shell.scheduler.note()

    def close(self) -> None:
        """Stop everything that runs."""
        for script in list(self._running.values()):
            self._forget(script)

    def _begin(self, job: Job) -> None:
        self._simulation.apply(BeginScript(job.id))
        if not is_for_shell(job.script):
            self._simulation.apply(LeaveScript(job.id))
            return
        place = self._place(job)
        script = _Script(job, place, Execution(self._shell.scheduler, _TERMINAL + job.id, forks=forks(job.script)))
        path = workload.output_path(job, job.standard_output)
        try:
            for each in {path, self._errors_path(job)}:
                self._shell.tree(place).write(each, b"")
        except FileError as error:
            self._simulation.apply(RefuseOutput(job.id, path, str(error).rpartition(": ")[2]))
            return
        if place.directory != job.working_directory:
            why = f"couldn't chdir to `{job.working_directory}': No such file or directory: going to /tmp instead"
            script.complained += f"slurmstepd: error: {why}\n".encode()
        self._running[job.id] = script
        script.task = asyncio.ensure_future(self._run(script))

    def _place(self, job: Job) -> Place:
        """Where the script runs: in the directory of sbatch, or in /tmp where the node has no such directory."""
        world = self._simulation.world
        variables = batch_environment(world, job)
        place = Place(job.nodes[0], identity(world.inventory, job.user), variables, job.working_directory)
        if not self._shell.tree(place).exists(job.working_directory):
            place = replace(place, directory="/tmp")
        return replace(place, environment={**variables, "PWD": place.directory})

    async def _run(self, script: _Script) -> None:
        async def say(data: bytes) -> None:
            script.said += data
            self._shell.scheduler.note()

        async def complain(data: bytes) -> None:
            script.complained += data.replace(b"bash: line ", f"{_path(script.job)}: line ".encode())
            self._shell.scheduler.note()

        bash = self._shell.open(script.place, ScriptOwner(script.execution))
        script.execution.enter(bash)
        try:
            status = await bash.run(_text(script.job), self._shell.moment(script.place), None, say, complain)
        finally:
            script.execution.leave(bash)
            bash.cancel()
        self._write(script)
        if self._running.pop(script.job.id, None) is not None and scripts.runs(self._simulation.world, script.job):
            self._simulation.apply(EndScript(script.job.id, status))

    def _lives(self, script: _Script) -> bool:
        world, node = self._simulation.world, script.place.host
        if not scripts.runs(world, script.job) or world.nodes[node].phase is not BootPhase.RUNNING:
            return False
        return self._process_is_there(script)

    def _process_is_there(self, script: _Script) -> bool:
        job, world = script.job, self._simulation.world
        return any(
            each.job == job.id and each.command.endswith(_path(job)) for each in world.systems[job.nodes[0]].processes
        )

    def _stop(self, script: _Script) -> None:
        """End a script whose job is over; one whose process somebody killed ends its job."""
        world = self._simulation.world
        killed = scripts.runs(world, script.job) and world.nodes[script.place.host].phase is BootPhase.RUNNING
        self._forget(script)
        if killed:
            self._simulation.apply(EndScript(script.job.id, _KILLED))

    def _forget(self, script: _Script) -> None:
        self._running.pop(script.job.id, None)
        script.execution.stop()

    def _write(self, script: _Script) -> None:
        """Put what the script said into its files, as long as its job runs."""
        job, alive = script.job, scripts.runs(self._simulation.world, script.job)
        for path, data in (
            (workload.output_path(job, job.standard_output), script.said),
            (self._errors_path(job), script.complained),
        ):
            if data and alive:
                with suppress(FileError):
                    self._shell.tree(script.place).append(path, bytes(data))
            data.clear()

    @staticmethod
    def _errors_path(job: Job) -> str:
        return workload.output_path(job, job.standard_error or job.standard_output)


def _path(job: Job) -> str:
    """The script as slurmd keeps it on the node."""
    return f"/var/spool/slurmd/job{job.id:05d}/slurm_script"


def _text(job: Job) -> str:
    """The script with its arguments."""
    arguments = shlex.split(job.command)[1:] if job.command else []
    return f"set -- {shlex.join(arguments)}; {job.script}" if arguments else job.script


def is_for_shell(script: str) -> bool:
    """Whether the first line names a shell: `#!/bin/bash -l`, `#!/usr/bin/env bash`."""
    words = script.splitlines()[0].removeprefix("#!").split()
    names = [word.rpartition("/")[2] for word in words if not word.startswith("-")]
    return bool(names) and (names[1:2] if names[0] == "env" else names[:1])[0] in _SHELLS
