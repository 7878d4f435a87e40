"""What a process has open, as far as the model knows: its directories, its program, and NVIDIA's device files.

Which device files the driver's daemons hold follows from what they do: persistenced keeps every GPU open, the host
engine watches GPUs and switches, the fabric manager the switches. A CUDA program holds the control nodes and its GPUs.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.control import modules
from engine.control.accounts import accounts
from engine.control.slurm import jobs
from engine.hostfs.machine import Machine
from engine.hostfs.mounts import Mount, mounts
from engine.physics.load import bound_gpus
from engine.world.records import Process

CONTROL, UNIFIED_MEMORY, SWITCH_CONTROL = "/dev/nvidiactl", "/dev/nvidia-uvm", "/dev/nvidia-nvswitchctl"
_FIRST_DESCRIPTOR = 3


@dataclass(frozen=True, slots=True)
class OpenFile:
    """An open file. `use` is cwd, rtd, txt, mem or the number of a descriptor, open for reading and writing."""

    use: str
    path: str

    @property
    def is_descriptor(self) -> bool:
        return self.use.isdigit()


def open_files(ctx: Context, process: Process) -> list[OpenFile]:
    """In lsof's order: directories, program, mapped files, descriptors. The kernel's threads have the root alone."""
    found = [OpenFile("cwd", directory(ctx, process)), OpenFile("rtd", "/")]
    if process.parent == 2 or process.pid == 2:
        return found
    program = process.command.partition(" ")[0]
    if program.startswith("/") and paths.tree(ctx).exists(program):
        found.append(OpenFile("txt", paths.tree(ctx).real_path(program)))
    devices, mapped = _devices(ctx, process)
    found += [OpenFile("mem", path) for path in mapped]
    return found + [OpenFile(str(number), path) for number, path in enumerate(devices, _FIRST_DESCRIPTOR)]


def directory(ctx: Context, process: Process) -> str:
    """The working directory: a job's, a person's home, or the root for what systemd started."""
    job = jobs.job(ctx.world, process.job) if process.job is not None else None
    if job and job.working_directory and process.user == job.user:
        return job.working_directory
    if process.terminal or (process.unit is None and process.user != "root"):
        return next((account.home for account in accounts(ctx.inventory) if account.name == process.user), "/")
    return "/"


def visible(ctx: Context, process: Process) -> bool:
    """Whether the caller may look at a process's files: its own, or everything for root."""
    return ctx.is_root or process.user == ctx.identity.name


def mount_of(ctx: Context, path: str) -> Mount:
    """The file system that `path` lies on."""
    machine = Machine(ctx.simulation, ctx.host)
    return max((each for each in mounts(machine) if below(path, each.target)), key=lambda each: len(each.target))


def below(path: str, target: str) -> bool:
    """Whether `path` is `target` or lies below it."""
    return target in ("/", path) or path.startswith(f"{target}/")


def _devices(ctx: Context, process: Process) -> tuple[list[str], list[str]]:
    """Device files that are open, and those that are mapped into memory."""
    if not modules.is_loaded(ctx.world, ctx.host, "nvidia"):
        return [], []
    everything = [f"/dev/nvidia{minor}" for minor in range(len(bound_gpus(ctx.world, ctx.host)))]
    switches = [SWITCH_CONTROL, *(f"/dev/nvidia-nvswitch{chip.index}" for chip in ctx.node.nvswitches)]
    if process.gpus:
        own = [path for minor, path in enumerate(everything) if minor in process.gpus]
        return [CONTROL, UNIFIED_MEMORY, *own], [CONTROL, *own]
    held = {
        "nvidia-persistenced.service": ([CONTROL, *everything], []),
        "nvidia-dcgm.service": ([CONTROL, *everything, *switches], [CONTROL, *everything]),
        "nvidia-fabricmanager.service": ([CONTROL, *switches], []),
    }
    none: tuple[list[str], list[str]] = ([], [])
    return held.get(process.unit or "", none)
