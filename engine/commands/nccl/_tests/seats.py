"""The place of a process in its parallel program: what the launcher told it, and which GPUs it takes.

MPI's launchers tell it by the environment: mpirun of Open MPI (OMPI_COMM_WORLD_*), Slurm with --mpi=pmix (PMIX_*) or
--mpi=pmi2 (PMI_*). Without any of these, MPI_Init makes a world of one process: under `srun --mpi=none` every task is
rank 0 of a test of its own. GPUs: nccl-tests 2.17.6 src/util.cu and common.cu, NCCL_TESTS_DEVICE.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.linux._support.processes import own_terminal
from engine.commands.nccl._tests.report import too_few_gpus
from engine.commands.nccl._tests.settings import Settings, strtol
from engine.control import driver, limits
from engine.control.communicators import Join
from engine.control.containers import CONTAINER
from engine.control.containers.inside import container as of_environment
from engine.control.containers.inside import memory_lock
from engine.control.slurm import jobs
from engine.control.slurm.numbers import whole
from engine.kernel.units import MIB
from engine.workloads import cuda
from engine.world.inventory import Gpu

_KEPT = ("CUDA_", "NCCL_", "OMPI_MCA_", "UCX_")
"""Variables that /proc/PID/environ shows of a rank, beside its place and its user's own."""

_LAUNCHED_BY = ("OMPI_COMM_WORLD_RANK", "PMIX_NAMESPACE", "PMIX_RANK", "PMI_RANK", "SLURM_JOB_ID", "SLURM_PROCID")
_RESERVED = 4 << 30
_OWN = 1 << 30
_HIDDEN_MIB = 551  # nvidia-smi's total less CUDA's: 81559 MiB against the 79.11 GiB that PyTorch tells of an H100
INITIAL_MIB = 1_300
"""GPU memory of NCCL's communicator beside the context (a guess for eight GPUs with NVLS buffers)."""


@dataclass(frozen=True, slots=True)
class Seat:
    """`name` is the launch's, shared by its `size` processes; `local` counts those on the host."""

    name: str
    size: int
    rank: int
    local: int


@dataclass(frozen=True, slots=True)
class Devices:
    """The GPUs of a process in the order of its ranks, `first` the program's number of the first one.

    `trouble` is what the process says instead (`errors`: on standard error), `reason`, `places` and `status` how it
    fails.
    """

    gpus: tuple[Gpu, ...] = ()
    first: int = 0
    errors: str = ""
    reason: str = ""
    places: tuple[str, ...] = ()
    status: int = 0


def seat_of(ctx: Context) -> Seat:
    """Where this process sits."""
    env = ctx.environment
    if "OMPI_COMM_WORLD_SIZE" in env:
        rank, local = strtol(env.get("OMPI_COMM_WORLD_RANK", "0")), strtol(env.get("OMPI_COMM_WORLD_LOCAL_RANK", "0"))
        return Seat(f"mpirun/{env.get('PMIX_NAMESPACE', '')}", strtol(env["OMPI_COMM_WORLD_SIZE"]), rank, local)
    rank_text = env.get("PMIX_RANK") or env.get("PMI_RANK")
    if rank_text is not None and "SLURM_STEP_ID" in env:
        name = f"step/{env.get('SLURM_JOB_ID')}.{env['SLURM_STEP_ID']}"
        return Seat(
            name, strtol(env.get("SLURM_NTASKS", "1")), strtol(rank_text), strtol(env.get("SLURM_LOCALID", "0"))
        )
    return Seat(f"alone/{ctx.host}/{ctx.world.systems[ctx.host].next_pid}", 1, 0, 0)


def devices_of(ctx: Context, settings: Settings, seat: Seat) -> Devices:
    """The GPUs that the process takes, or how it fails to get them."""
    try:
        visible = cuda.open_devices(ctx.world, ctx.host, ctx.environment, ctx.identity.name)
    except cuda.CudaError as error:
        return Devices(reason=f"CUDA|{error.text}", places=("util.cu:555", "common.cu:1188"), status=2)
    given = ctx.environment.get("NCCL_TESTS_DEVICE")
    count = settings.gpus_per_process
    first = seat.local * count if given is None or strtol(given) == -1 else strtol(given)
    if count < 1 or first + count > len(visible):
        errors = too_few_gpus(first + count, len(visible))
        return Devices(errors=errors, places=("common.cu:1188",), status=5)
    try:
        for gpu in visible[first : first + count]:
            cuda.make_context(ctx.world, gpu)
    except cuda.CudaError as error:
        return Devices(reason=f"CUDA|{error.text}", places=("common.cu:1303", "common.cu:1188"), status=2)
    return Devices(visible[first : first + count], first)


def largest(ctx: Context, devices: Devices, settings: Settings) -> int:
    """The most bytes that the GPUs have room for."""
    memory = min((gpu.product.memory_total - _HIDDEN_MIB) * MIB for gpu in devices.gpus)
    reserved = min(-(-memory // (16 << 30)) << 30, _RESERVED)
    return (memory - reserved - _OWN) // (3 if settings.check else 2)


def buffers_mib(settings: Settings) -> int:
    """MiB that the buffers take on each GPU."""
    return settings.maxbytes * (3 if settings.check else 2) // MIB


def free_mib(ctx: Context, gpu: Gpu, own: int) -> int:
    """MiB that others leave on a GPU to the process `own`."""
    used = sum(memory for process, memory in driver.compute_processes(ctx.world, gpu.id) if process.pid != own)
    return gpu.product.memory_total - _HIDDEN_MIB - used


def join(ctx: Context, settings: Settings, seat: Seat, devices: Devices) -> int:
    """The process starts and meets the others. Gives its id."""
    env = ctx.environment
    memory = cuda.CONTEXT_MIB + INITIAL_MIB + buffers_mib(settings) if devices.gpus else 0
    if devices.gpus:
        memory = min(memory, *(max(free_mib(ctx, gpu, 0), 0) for gpu in devices.gpus))
    pid: int = ctx.simulation.apply(
        Join(
            name=seat.name,
            size=seat.size,
            rank=seat.rank,
            host=ctx.host,
            user=ctx.identity.name,
            command=" ".join((ctx.name, *ctx.arguments)),
            gpus=cuda.device_indices(ctx.world, devices.gpus),
            memory=memory,
            job=_job(ctx),
            terminal=own_terminal(ctx) if seat.size == 1 else None,
            environment=kept(env),
            cpus=ctx.place.allowed_cpus,
            memory_lock=_memory_lock(ctx),
        )
    )
    return pid


def kept(environment: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The variables that matter for how a rank runs."""
    names = [name for name in sorted(environment) if name.startswith(_KEPT) or name in (*_LAUNCHED_BY, CONTAINER)]
    return tuple((name, environment[name]) for name in names)


def _job(ctx: Context) -> int | None:
    number = whole(ctx.environment.get("SLURM_JOB_ID", "")) or 0
    job = jobs.job(ctx.world, number)
    return number if job is not None and job.state == "RUNNING" and ctx.host in job.nodes else None


def _memory_lock(ctx: Context) -> int | None:
    """A container's own limit (enroot's have none); a task of Slurm has slurmd's, whatever else the user's."""
    inside = of_environment(ctx.world, ctx.host, ctx.environment)
    if inside is not None and inside.engine == "docker":
        return memory_lock(inside)
    if _job(ctx) is not None:
        return limits.of_unit(ctx.world, ctx.host, "slurmd.service")["l"].soft
    return limits.memory_lock(ctx.world, ctx.host, ctx.identity.name)
