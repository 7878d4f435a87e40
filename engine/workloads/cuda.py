"""How a CUDA program starts and ends: which GPUs it sees, in which order, what refuses it, and its process on them.

Errors are those of cuda.h and driver_types.h of CUDA 13 (number, names in both interfaces, text of cuGetErrorString,
which is the runtime's as well). When each comes: no kernel module, no GPU or no access to its files 100; a module of
another version than the library 803 (NVIDIA/nvidia-docker#1256); NVSwitches that no fabric manager has programmed 802
(NVIDIA/nccl-tests#264, #338); a library older than the program 35; a GPU in an exclusive or prohibited compute mode
46, only when its context is made; as on a GPU that has to be reset (scitix/sichek#121). CUDA_VISIBLE_DEVICES as in
the CUDA C++ programming guide: indices or beginnings of UUIDs, up to the first that names no GPU. Both values of
CUDA_DEVICE_ORDER give the order of bus ids here, since all GPUs of a node are alike. A program sees one MIG device
and no more (MIG user guide): the one that CUDA_VISIBLE_DEVICES names by a beginning of its UUID, else the first of
the first GPU that has one. Guesses: that a lost GPU which the program would see makes it fail with 999, that a GPU
which is named twice leaves none, and that MIG devices which nobody names are seen only where no whole GPU is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.control import cuda_versions, driver, nvlink_fabric, processes
from engine.control.accounts import identity
from engine.control.mig.devices import MigDevice, devices, instance_memory
from engine.control.slurm.devices import visible_gpus
from engine.kernel.actions import Action
from engine.kernel.simulation import Simulation
from engine.world.inventory import Gpu
from engine.world.records import RecoveryAction
from engine.world.world import World

VISIBLE_DEVICES = "CUDA_VISIBLE_DEVICES"
CONTEXT_MIB = 520
"""GPU memory that a context takes before the program allocates anything (captures of H100: 500 to 550 MiB)."""

_EXCLUSIVE, _PROHIBITED = "Exclusive_Process", "Prohibited"
_INDEX = re.compile(r"\s*([+-]?\d+)")
_READ_WRITE = 0o6
_MIG = "mig-"


class CudaError(Exception):
    """What a CUDA call gives: `code`, `name` in the driver's interface, `runtime_name` in the runtime's, `text`."""

    def __init__(self, code: int, name: str, runtime_name: str, text: str) -> None:
        super().__init__(f"{name} ({code}): {text}")
        self.code = code
        self.name = name
        self.runtime_name = runtime_name
        self.text = text


_ERRORS = {
    code: (name, runtime_name, text)
    for code, name, runtime_name, text in (
        (2, "CUDA_ERROR_OUT_OF_MEMORY", "cudaErrorMemoryAllocation", "out of memory"),
        (
            35,
            "cudaErrorInsufficientDriver",
            "cudaErrorInsufficientDriver",
            "CUDA driver version is insufficient for CUDA runtime version",
        ),
        (
            46,
            "CUDA_ERROR_DEVICE_UNAVAILABLE",
            "cudaErrorDevicesUnavailable",
            "CUDA-capable device(s) is/are busy or unavailable",
        ),
        (100, "CUDA_ERROR_NO_DEVICE", "cudaErrorNoDevice", "no CUDA-capable device is detected"),
        (214, "CUDA_ERROR_ECC_UNCORRECTABLE", "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered"),
        (
            220,
            "CUDA_ERROR_NVLINK_UNCORRECTABLE",
            "cudaErrorNvlinkUncorrectable",
            "uncorrectable NVLink error detected during the execution",
        ),
        (700, "CUDA_ERROR_ILLEGAL_ADDRESS", "cudaErrorIllegalAddress", "an illegal memory access was encountered"),
        (719, "CUDA_ERROR_LAUNCH_FAILED", "cudaErrorLaunchFailure", "unspecified launch failure"),
        (802, "CUDA_ERROR_SYSTEM_NOT_READY", "cudaErrorSystemNotReady", "system not yet initialized"),
        (
            803,
            "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH",
            "cudaErrorSystemDriverMismatch",
            "system has unsupported display driver / cuda driver combination",
        ),
        (999, "CUDA_ERROR_UNKNOWN", "cudaErrorUnknown", "unknown error"),
    )
}
OUT_OF_MEMORY, INSUFFICIENT_DRIVER, BUSY, NO_DEVICE, *_WHILE_RUNNING, NOT_READY, MISMATCH, UNKNOWN = sorted(_ERRORS)
LAUNCH_FAILED = _WHILE_RUNNING[-1]


def cuda_error(code: int) -> CudaError:
    """The error of that number. Raises KeyError for one that the model never gives."""
    return CudaError(code, *_ERRORS[code])


def driver_cuda(world: World, host: str) -> tuple[int, int]:
    """The CUDA version (major, minor) that the installed library speaks; (0, 0) without one."""
    return _numbers(cuda_versions.spoken_by(driver.nvml(world, host).library_version) or "0")


def runtime_cuda(world: World) -> tuple[int, int]:
    """The CUDA version (major, minor) that the site's programs were built with."""
    return _numbers(world.inventory.software["cuda"])


def _numbers(version: str) -> tuple[int, int]:
    major, _, minor = version.partition(".")
    return int(major), int(minor or "0")


def version_number(version: tuple[int, int]) -> int:
    """A version as CUDA's calls give it: 13010 for 13.1."""
    return 1000 * version[0] + 10 * version[1]


def open_devices(world: World, host: str, environment: Mapping[str, str], user: str) -> tuple[Gpu, ...]:
    """What cuInit and cudaGetDeviceCount give a program of `user`: its GPUs in the order of its device numbers.

    A GPU in MIG mode stands for the one device of it that `mig_device` gives.

    Within a Slurm job that constrains devices these are GPUs of the job. Raises CudaError. Says nothing to the kernel
    log: the program does, with `engine.control.driver.OpenDriver`, where the versions differ.
    """
    status = driver.nvml(world, host).status
    if status is driver.NvmlStatus.NO_LIBRARY:
        raise cuda_error(INSUFFICIENT_DRIVER)
    if status is driver.NvmlStatus.NOT_LOADED or not may_open(world, host, "nvidiactl", user):
        raise cuda_error(NO_DEVICE)
    if status is driver.NvmlStatus.MISMATCH:
        raise cuda_error(MISMATCH)
    if driver_cuda(world, host)[0] < runtime_cuda(world)[0]:
        raise cuda_error(INSUFFICIENT_DRIVER)
    gpus = visible(_attached(world, host, environment, user), environment, world)
    if not gpus:
        raise cuda_error(NO_DEVICE)
    if any(driver.is_lost(world, gpu.id) for gpu in gpus) or not may_open(world, host, "nvidia-uvm", user):
        raise cuda_error(UNKNOWN)
    ask_fabric(world, host)
    return gpus


def ask_fabric(world: World, host: str) -> None:
    """A program asks whether its GPUs are registered with the NVLink fabric. Raises CudaError if they are not."""
    if world.node(host).nvswitches and not nvlink_fabric.registered(world, host):
        raise cuda_error(NOT_READY)


def mig_device(world: World, gpu: Gpu, environment: Mapping[str, str]) -> MigDevice | None:
    """The MIG device of a GPU of `open_devices` on which the program is; None for a whole GPU."""
    if not world.gpus[gpu.id].mig_enabled:
        return None
    there = devices(world, gpu)
    return _mig_named(there, environment.get(VISIBLE_DEVICES, "").split(",")[0]) or next(iter(there), None)


def on_mig(world: World, gpus: Sequence[Gpu]) -> bool:
    """Whether what a program sees is a MIG device."""
    return any(world.gpus[gpu.id].mig_enabled for gpu in gpus)


def make_context(world: World, gpu: Gpu, own: int | None = None, device: MigDevice | None = None) -> None:
    """A program makes its context on a GPU, or on a MIG device of it; `own` is its process.

    Raises CudaError where the compute mode forbids it, the GPU has to be reset first, or its firmware does not answer.
    """
    if world.gpus[gpu.id].recovery is RecoveryAction.RESET:
        raise cuda_error(BUSY)
    if world.gpus[gpu.id].gsp_stalled:
        raise cuda_error(UNKNOWN)
    mode = world.gpus[gpu.id].compute_mode
    there = device.processes if device else [process for process, _ in driver.compute_processes(world, gpu.id)]
    others = [process for process in there if process.pid != own]
    if mode == _PROHIBITED or (mode == _EXCLUSIVE and others):
        raise cuda_error(BUSY)


def ended_by(world: World, host: str, pid: int) -> CudaError | None:
    """The error of its GPU of which a process of a host ended, or None."""
    marks = (world.gpus[gpu.id].fatal for gpu in driver.bound_gpus(world, host))
    found = next((mark for mark in marks if mark is not None and pid in mark.pids), None)
    return cuda_error(found.cuda_error or LAUNCH_FAILED) if found else None


def device_indices(world: World, gpus: Sequence[Gpu]) -> tuple[int, ...]:
    """nvidia-smi's indices of GPUs, as processes name them."""
    return tuple([bound.id for bound in driver.bound_gpus(world, gpu.node)].index(gpu.id) for gpu in gpus)


def visible(gpus: Sequence[Gpu], environment: Mapping[str, str], world: World) -> tuple[Gpu, ...]:
    """The GPUs that CUDA_VISIBLE_DEVICES leaves of `gpus`, in its order; a MIG device leaves its GPU alone."""
    whole = [gpu for gpu in gpus if not world.gpus[gpu.id].mig_enabled]
    cut = [gpu for gpu in gpus if world.gpus[gpu.id].mig_enabled and devices(world, gpu)]
    listed = environment.get(VISIBLE_DEVICES)
    if listed is not None and listed.strip().lower().startswith(_MIG):
        named = _mig_named([each for gpu in cut for each in devices(world, gpu)], listed.split(",")[0])
        return (named.gpu,) if named else ()
    gpus = whole or cut[:1]
    if listed is None:
        return tuple(gpus)
    chosen: list[Gpu] = []
    for word in listed.split(","):
        found = _named(gpus, word, world)
        if found is None:
            break
        chosen.append(found)
    return tuple(chosen) if len({gpu.id for gpu in chosen}) == len(chosen) else ()


def _named(gpus: Sequence[Gpu], word: str, world: World) -> Gpu | None:
    """The GPU that a word of CUDA_VISIBLE_DEVICES names; a beginning of a UUID must fit one GPU only."""
    text = word.strip()
    if text.lower().startswith("gpu-"):
        fitting = [gpu for gpu in gpus if world.gpus[gpu.id].uuid.lower().startswith(text.lower())]
        return fitting[0] if len(fitting) == 1 else None
    number = _INDEX.match(word)
    index = int(number[1]) if number else -1
    return gpus[index] if 0 <= index < len(gpus) else None


def _mig_named(there: Sequence[MigDevice], word: str) -> MigDevice | None:
    """The MIG device that a word of CUDA_VISIBLE_DEVICES names; a beginning of a UUID must fit one only."""
    text = word.strip().lower()
    fitting = [each for each in there if text.startswith(_MIG) and each.uuid.lower().startswith(text)]
    return fitting[0] if len(fitting) == 1 else None


def _attached(world: World, host: str, environment: Mapping[str, str], user: str) -> tuple[Gpu, ...]:
    """The GPUs that the driver lets the program open: of its job, and with files that it may open."""
    allowed = visible_gpus(world, host, environment)
    return tuple(
        gpu
        for index, gpu in enumerate(driver.bound_gpus(world, host))
        if (allowed is None or index in allowed) and may_open(world, host, f"nvidia{index}", user)
    )


def may_open(world: World, host: str, name: str, user: str) -> bool:
    """Whether `user` may read and write a device file of the driver: everybody may until somebody changes it."""
    files = world.files[host].files
    path = f"/dev/{name}"
    if path not in files:
        return True
    file, who = files[path], identity(world.inventory, user)
    if file is None or who.uid == 0:
        return file is not None
    shift = 6 if file.uid == who.uid else 3 if file.gid in {who.gid, *who.group_ids} else 0
    return (file.mode >> shift) & _READ_WRITE == _READ_WRITE


def memory_left(world: World, gpu: Gpu, device: MigDevice | None = None) -> int:
    """MiB of a GPU's memory, or of the instance of a MIG device, that nobody holds."""
    if device is not None:
        return device.profile.memory - instance_memory(world, gpu, device.instance)
    held = sum(memory for _, memory in driver.compute_processes(world, gpu.id))
    return gpu.product.memory_total - gpu.product.memory_reserved - held


@dataclass(frozen=True, slots=True)
class StartProgram(Action):
    """A CUDA program is there and holds GPUs (nvidia-smi's indices), `memory` MiB on each. Gives its process id.

    `workload` is a name of engine.physics.load; `job` the Slurm job that it belongs to; `cpus`, `environment` and
    `instance` as in `Process`. It ends with `engine.control.programs.EndProgram`.
    """

    host: str
    user: str
    command: str
    gpus: tuple[int, ...]
    memory: int
    workload: str
    job: int | None = None
    terminal: str | None = None
    cpus: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    instance: tuple[int, int] | None = None

    def perform(self, simulation: Simulation[World]) -> int:
        pid = processes.start(
            simulation,
            self.host,
            user=self.user,
            command=self.command,
            gpus=self.gpus,
            gpu_memory=self.memory,
            workload=self.workload,
            job=self.job,
            terminal=self.terminal,
            state="R+" if self.terminal else "R",
            environment=self.environment,
            instance=self.instance,
        )
        if self.cpus:
            self._bind(simulation, pid)
        return pid

    def _bind(self, simulation: Simulation[World], pid: int) -> None:
        kept = tuple(
            replace(process, cpus=self.cpus) if process.pid == pid else process
            for process in simulation.world.systems[self.host].processes
        )
        simulation.world.systems.update(self.host, processes=kept)
