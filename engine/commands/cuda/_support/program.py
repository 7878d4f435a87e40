"""A CUDA program as a command: it opens the GPUs that its environment leaves it, and has a process on them while it
runs, so that ps, nvidia-smi and Slurm show it, and that it ends with a signal, with its job, or with one of its GPUs.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.linux._support.processes import own_terminal
from engine.control import driver, programs
from engine.control.slurm import jobs
from engine.control.slurm.numbers import whole
from engine.kernel.units import MILLISECOND, MINUTE
from engine.workloads import cuda
from engine.world.inventory import Gpu

_OPENING, _OPENING_A_GPU = 900 * MILLISECOND, 300 * MILLISECOND
_TERMINATED = 143
_WORKLOAD = "copies"


class ProgramEnded(Exception):
    """The program's process was ended by somebody; `status` is what the shell sees."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


@dataclass(slots=True)
class Program:
    """A CUDA program that runs: its context, GPUs in the order of its device numbers, and process id."""

    context: Context
    gpus: Sequence[Gpu]
    pid: int

    async def spend(self, duration: int) -> None:
        """Let `duration` ns of its work pass.

        Raises ProgramEnded if it was killed meanwhile, CudaError if it lost a GPU (999) or one met an error,
        Interrupted on Ctrl-C.
        """
        await self.context.sleep(duration)
        self._check()

    async def wait_for(self, *gpus: Gpu) -> None:
        """Work was given to GPUs: on one that hangs it never ends. Raises as `spend`."""
        while any(self.context.world.gpus[gpu.id].hung for gpu in gpus):
            await self.spend(MINUTE)

    def _check(self) -> None:
        world, host = self.context.world, self.context.host
        if programs.runs(world, host, self.pid):
            return
        if any(driver.is_lost(world, gpu.id) for gpu in self.gpus):
            raise cuda.cuda_error(cuda.UNKNOWN)
        error = cuda.ended_by(world, host, self.pid)
        if error:
            raise error
        self.context.error("Terminated")
        raise ProgramEnded(_TERMINATED)


def open_gpus(context: Context) -> tuple[Gpu, ...]:
    """The GPUs that a program of this context sees. Raises CudaError; a mismatch of versions is in the kernel log."""
    try:
        return cuda.open_devices(context.world, context.host, context.environment, context.identity.name)
    except cuda.CudaError as error:
        if error.code == cuda.MISMATCH:
            pid = context.world.systems[context.host].next_pid
            context.simulation.apply(driver.OpenDriver(context.host, context.name, pid))
        raise


@asynccontextmanager
async def running(context: Context, gpus: Sequence[Gpu], memory: int) -> AsyncIterator[Program]:
    """The program's process on `gpus` with `memory` MiB on each, until the block is left. It first brings up its GPUs.
    Raises as `Program.spend`.
    """
    start = cuda.StartProgram(
        context.host,
        context.identity.name,
        " ".join([context.name, *context.arguments]),
        cuda.device_indices(context.world, gpus),
        memory,
        _WORKLOAD,
        job_of(context),
        own_terminal(context),
        cpus=context.place.cpus,
        instance=instance_of(context, gpus),
    )
    pid: int = context.simulation.apply(start)
    program = Program(context, gpus, pid)
    try:
        await program.spend(_OPENING + _OPENING_A_GPU * len(gpus))
        yield program
    finally:
        context.simulation.apply(programs.EndProgram(context.host, pid))


def instance_of(context: Context, gpus: Sequence[Gpu]) -> tuple[int, int] | None:
    """The ids of the GPU instance and compute instance of the MIG device that the program runs on, or None."""
    found = (cuda.mig_device(context.world, gpu, context.environment) for gpu in gpus)
    device = next((each for each in found if each), None)
    return (device.instance.id, device.compute.id) if device else None


def job_of(context: Context) -> int | None:
    """The Slurm job that a command runs in on this host, or None."""
    job = jobs.job(context.world, whole(context.environment.get("SLURM_JOB_ID", "")) or 0)
    return job.id if job and job.state == "RUNNING" and context.host in job.nodes else None
