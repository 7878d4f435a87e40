"""`nvidia-smi -L` and `nvidia-smi --version`. Formats: captures of drivers 590.48.01, 595.80 and 610.57."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.library import NOT_FOUND, OK, Library, Versions, lost_line
from engine.commands.gpu._nvidia_smi.table import NEW_NAMES_FROM


def gpu_line(device: Device) -> str:
    """A GPU with its name and UUID."""
    return f"GPU {device.index}: {device.product.name} (UUID: {device.state.uuid})"


def mig_lines(device: Device) -> Iterator[str]:
    """Its MIG devices, each with its profile and UUID."""
    for part in device.mig_devices:
        yield f"  MIG {part.name:<11} Device {part.number:>2}: (UUID: {part.uuid})"


async def list_gpus(context: Context, library: Library, devices: Sequence[Device]) -> int:
    """Every GPU on a line of its own; a lost one is told of in its place."""
    shown = 0
    for device in devices:
        if device.lost:
            await lost_line(context, library, device, word="gpu")
            continue
        context.line(gpu_line(device))
        for line in mig_lines(device):
            context.line(line)
        shown += 1
    if not shown:
        context.error("No devices were found")
    return OK if shown else NOT_FOUND


def version_lines(versions: Versions) -> Iterator[str]:
    """The versions of tool, library, kernel module and CUDA."""
    yield f"NVIDIA-SMI version  : {versions.library}"
    yield f"NVML version        : {'.'.join(versions.library.split('.')[:2])}"
    if versions.release >= NEW_NAMES_FROM:
        yield 'DRIVER version      : Deprecated, see "KMD version" instead'
        yield 'CUDA version        : Deprecated, see "CUDA UMD version" instead'
        yield f"KMD version         : {versions.kernel}"
        yield f"CUDA UMD version    : {versions.cuda}"
        return
    yield f"DRIVER version      : {versions.kernel}"
    yield f"CUDA Version        : {versions.cuda}"
