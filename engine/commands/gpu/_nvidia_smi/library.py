"""Opening NVML: which driver answers, how it refuses, and which GPUs it gives.

Whole-command failures. Texts and statuses: captures for the mismatch (standard output, status 18) and the lost GPU;
the tool's manual page for the meaning of the statuses (4, 6, 9, 12, 255). From about release 570 on a lost GPU costs
one line on standard error and the others are still shown (captures of 570.128, 580 and 610: the line comes before the
output of a pipe's `sort`, with its index and bus id; `-L` says `gpu` in lower case; status 6 and `No devices were
found` when none is left); before, it was the whole output. The status when others are left was not found; 0 is a guess,
supported by monitors that read such rows over ssh.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.linux._support import paths
from engine.control import cuda_versions, driver, gsp
from engine.control.containers import CONTAINER
from engine.control.containers.inside import container, loses_driver
from engine.control.slurm.devices import visible_gpus
from engine.hostfs.tree import FileError
from engine.kernel.units import MILLISECOND

OK, INVALID_ARGUMENT, NOT_SUPPORTED, NO_PERMISSION, NOT_FOUND = 0, 2, 3, 4, 6
DRIVER_NOT_LOADED, NO_LIBRARY, VERSION_MISMATCH, UNKNOWN_ERROR = 9, 12, 18, 255

SHOWS_THE_OTHERS_FROM = 570
INITIALISATION = 1200 * MILLISECOND
"""What bringing up one GPU takes when nobody holds it open (a guess; seconds for a full node in the field)."""


@dataclass(frozen=True, slots=True)
class Versions:
    """Of the loaded kernel module and of the user-space library, and the CUDA version that the library speaks."""

    kernel: str
    library: str
    cuda: str

    @property
    def release(self) -> int:
        """The driver branch, such as 590."""
        return int(self.library.partition(".")[0])


@dataclass(frozen=True, slots=True)
class Library:
    """NVML, opened: every GPU that the driver holds, in index order, lost ones included."""

    versions: Versions
    devices: tuple[Device, ...]


class Refused(Exception):
    """nvidia-smi ends here; what it says has been written."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def refuse(context: Context, text: str, status: int) -> Refused:
    """Write `text` as the tool's last word and give the exception that ends it."""
    context.line(text)
    return Refused(status)


def write_file(context: Context, name: str, text: str, *, more: bool) -> None:
    """Write to the file that -f names, `more` behind what is there. Raises Refused where it cannot (text: a guess)."""
    place, tree = paths.absolute(context, name), paths.tree(context)
    try:
        (tree.append if more else tree.write)(place, text.encode())
    except FileError as error:
        raise refuse(context, f"Failed to open file {name}: {error.text}", INVALID_ARGUMENT) from error


async def open_library(context: Context) -> Library:
    """Initialise NVML on this host. Raises Refused where the driver does not answer or holds no GPU."""
    state = driver.nvml(context.world, context.host)
    inside = container(context.world, context.host, context.environment)
    if inside is not None and loses_driver(inside):
        raise refuse(context, "Failed to initialize NVML: Unknown Error", UNKNOWN_ERROR)
    if state.status is driver.NvmlStatus.NO_LIBRARY:
        text = "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. "
        text += "Please make sure that the NVIDIA Display Driver is properly installed and present in your system.\n"
        text += "Please also try adding directory that contains libnvidia-ml.so to your system PATH."
        raise refuse(context, text, NO_LIBRARY)
    if state.status is driver.NvmlStatus.NOT_LOADED:
        text = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. "
        text += "Make sure that the latest NVIDIA driver is installed and running.\n"
        raise refuse(context, text, DRIVER_NOT_LOADED)
    if state.status is driver.NvmlStatus.MISMATCH:
        context.simulation.apply(driver.OpenDriver(context.host, context.name, _own_pid(context)))
        version = ".".join(state.library_version.split(".")[:2])
        text = f"Failed to initialize NVML: Driver/library version mismatch\nNVML library version: {version}"
        raise refuse(context, text, VERSION_MISMATCH)
    versions = _versions(context, state.kernel_version, state.library_version)
    await _initialise(context)
    library = Library(versions, look(context))
    if not library.devices:
        raise refuse(context, "No devices were found", NOT_FOUND)
    return library


def tool_version(context: Context) -> str:
    """The version of the tool itself: that of the installed library, whatever module is loaded."""
    return driver.nvml(context.world, context.host).library_version or context.inventory.software["driver"]


def _own_pid(context: Context) -> int:
    """The process id that the next program of this host gets."""
    return context.world.systems[context.host].next_pid


def look(context: Context) -> tuple[Device, ...]:
    """Every GPU that the driver holds, as it is now; within a Slurm job those of the job, numbered from 0."""
    visible = visible_gpus(context.world, context.host, context.environment)
    bound = driver.bound_gpus(context.world, context.host)
    gpus = [gpu for index, gpu in enumerate(bound) if visible is None or index in visible]
    alone = CONTAINER in context.environment
    return tuple(Device(context.world, gpu, index, context.now, len(gpus), alone) for index, gpu in enumerate(gpus))


def _versions(context: Context, kernel: str, library: str) -> Versions:
    return Versions(kernel, library, cuda_versions.spoken_by(library) or context.inventory.software.get("cuda", "N/A"))


async def _initialise(context: Context) -> None:
    """GPUs that nobody holds open are brought up first, which takes its time; calls to firmware that does not answer
    wait in vain.
    """
    asleep = [device for device in look(context) if not device.lost and not device.initialised]
    if asleep:
        await context.sleep(INITIALISATION * len(asleep))
    pid = _own_pid(context)
    for device in look(context):
        while not device.lost and gsp.patience(context.world, device.gpu.id):
            await context.sleep(gsp.CALL_WAITS)
            context.simulation.apply(gsp.CallInVain(context.host, device.index, context.name, pid))


async def answering(
    context: Context, library: Library, devices: Sequence[Device], word: str = "GPU"
) -> tuple[Device, ...]:
    """Those of `devices` that answer; the others are told of as the release does. Raises Refused if none is left."""
    answered = []
    for device in devices:
        if not device.lost:
            answered.append(device)
            continue
        await lost_line(context, library, device, word)
    if not answered:
        context.error("No devices were found")
        raise Refused(NOT_FOUND)
    return tuple(answered)


async def lost_line(context: Context, library: Library, device: Device, word: str = "GPU") -> None:
    """Say that `device` does not answer. Raises Refused in releases for which that is the end."""
    if library.versions.release < SHOWS_THE_OTHERS_FROM:
        text = f"Unable to determine the device handle for GPU{device.short_bus_id}: Unknown Error"
        raise refuse(context, text, UNKNOWN_ERROR)
    name = f"{word}{device.index}:" if word == "GPU" else word
    await context.flush()
    context.error(f"Unable to determine the device handle for {name} {device.short_bus_id}: Unknown Error")
    await context.flush()


def select(context: Context, library: Library, identifier: str | None) -> tuple[Device, ...]:
    """The GPUs that `-i` names (index, UUID, serial or bus id, with commas), or all. Raises Refused for none."""
    if identifier is None:
        return library.devices
    chosen = [_named(library, name.strip()) for name in identifier.split(",")]
    if not all(chosen):
        raise refuse(context, "No devices were found", NOT_FOUND)
    wanted = {device.index for device in chosen if device}
    return tuple(device for device in library.devices if device.index in wanted)


def _named(library: Library, name: str) -> Device | None:
    return next((device for device in library.devices if name and _answers_to(device, name)), None)


def _answers_to(device: Device, name: str) -> bool:
    if name.isdecimal() and len(name) < 8:
        return int(name) == device.index
    if name.upper().startswith("GPU-"):
        return name.lower() == device.state.uuid.lower()
    return name == device.state.serial or bus_numbers(name) == bus_numbers(device.gpu.address)


def bus_numbers(text: str) -> tuple[int, int, int, int] | None:
    """Domain, bus, device and function of a PCI address in any of its usual forms; None if it is not one."""
    rest, _, function = text.partition(".")
    parts = rest.split(":")
    parts = ["0", *parts] if len(parts) == 2 else parts
    try:
        domain, bus, device = (int(part, 16) for part in parts)
        return domain, bus, device, int(function or "0", 16)
    except ValueError:
        return None
