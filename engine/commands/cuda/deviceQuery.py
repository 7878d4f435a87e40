"""deviceQuery of CUDA's samples, for CUDA 13.0: the GPUs that a CUDA program sees, and what they are.

Texts: source of NVIDIA/cuda-samples v13.0 (deviceQuery.cpp); figures: captures of H100 80GB HBM3 (drivers 570 and 580,
where the program sees 81,079.25 MiB: what nvidia-smi calls free on an idle GPU, and its parts of a MiB). What other
products say was not found. A MIG device is named after its GPU and has its own multiprocessors and its instance's
memory (CUDA programming guide); that it has the share of memory bus and cache of its memory slices is a guess.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.cuda._support.program import ProgramEnded, open_gpus, running
from engine.control.mig.devices import MigDevice
from engine.control.mig.profiles import MEMORY_SLICES
from engine.kernel.units import MIB
from engine.workloads import cuda, gpu_copies
from engine.world.inventory import Gpu
from engine.world.records import GpuState


@dataclass(frozen=True, slots=True)
class Chip:
    """What a product's chip has: compute capability, multiprocessors, bits of memory bus, bytes of L2 cache and of
    shared memory in a multiprocessor, copy engines.
    """

    capability: str
    multiprocessors: int
    bus_bits: int
    cache: int
    shared: int
    copy_engines: int


_CHIPS: Mapping[str, Chip] = MappingProxyType({"NVIDIA H100 80GB HBM3": Chip("9.0", 132, 5120, 52_428_800, 233_472, 3)})
_CORES = 128
_OUTSIDE = 1
"""MiB of a whole GPU beside what nvidia-smi counts as its own."""
_ONE_PROCESS = "(many threads in one process is able to use ::cudaSetDevice() with this device)"
_MODES: Mapping[str, str] = MappingProxyType(
    {
        "Default": "Default (multiple host threads can use ::cudaSetDevice() with device simultaneously)",
        "Exclusive_Process": f"Exclusive Process {_ONE_PROCESS}",
        "Prohibited": "Prohibited (no host thread can use ::cudaSetDevice() with this device)",
    }
)

_DEVICE = """
Device {number}: "{name}"
  CUDA Driver Version / Runtime Version          {driver} / {runtime}
  CUDA Capability Major/Minor version number:    {chip.capability}
  Total amount of global memory:                 {mebibytes} MBytes ({bytes} bytes)
  ({chip.multiprocessors:03}) Multiprocessors, ({cores}) CUDA Cores/MP:    {all_cores} CUDA Cores
  GPU Max Clock rate:                            {clock} MHz ({gigahertz} GHz)
  Memory Clock rate:                             {memory_clock} Mhz
  Memory Bus Width:                              {chip.bus_bits}-bit
  L2 Cache Size:                                 {chip.cache} bytes
  Maximum Texture Dimension Size (x,y,z)         1D=(131072), 2D=(131072, 65536), 3D=(16384, 16384, 16384)
  Maximum Layered 1D Texture Size, (num) layers  1D=(32768), 2048 layers
  Maximum Layered 2D Texture Size, (num) layers  2D=(32768, 32768), 2048 layers
  Total amount of constant memory:               65536 bytes
  Total amount of shared memory per block:       49152 bytes
  Total shared memory per multiprocessor:        {chip.shared} bytes
  Total number of registers available per block: 65536
  Warp size:                                     32
  Maximum number of threads per multiprocessor:  2048
  Maximum number of threads per block:           1024
  Max dimension size of a thread block (x,y,z): (1024, 1024, 64)
  Max dimension size of a grid size    (x,y,z): (2147483647, 65535, 65535)
  Maximum memory pitch:                          2147483647 bytes
  Texture alignment:                             512 bytes
  Concurrent copy and kernel execution:          Yes with {chip.copy_engines} copy engine(s)
  Run time limit on kernels:                     No
  Integrated GPU sharing Host Memory:            No
  Support host page-locked memory mapping:       Yes
  Alignment requirement for Surfaces:            Yes
  Device has ECC support:                        {ecc}
  Device supports Unified Addressing (UVA):      Yes
  Device supports Managed Memory:                Yes
  Device supports Compute Preemption:            Yes
  Supports Cooperative Kernel Launch:            Yes
  Device PCI Domain ID / Bus ID / location ID:   {place}
  Compute Mode:
     < {mode} >
"""


async def run(context: Context) -> int:
    """Query the devices."""
    context.write(f"{context.name} Starting...\n\n CUDA Device Query (Runtime API) version (CUDART static linking)\n\n")
    try:
        gpus = open_gpus(context)
        unknown = next((gpu.product.name for gpu in gpus if gpu.product.name not in _CHIPS), None)
        if unknown:
            return context.not_modelled(f"deviceQuery on {unknown}")
        async with running(context, gpus, cuda.CONTEXT_MIB):
            context.write("".join(_lines(context, gpus)))
    except cuda.CudaError as error:
        context.write(f"cudaGetDeviceCount returned {error.code}\n-> {error.text}\nResult = FAIL\n")
        return 1
    except ProgramEnded as ended:
        return ended.status
    return 0


def _lines(context: Context, gpus: Sequence[Gpu]) -> list[str]:
    driver, runtime = (
        f"{major}.{minor}"
        for major, minor in (cuda.driver_cuda(context.world, context.host), cuda.runtime_cuda(context.world))
    )
    lines = [f"Detected {len(gpus)} CUDA Capable device(s)\n"]
    for number, gpu in enumerate(gpus):
        device = cuda.mig_device(context.world, gpu, context.environment)
        lines.append(_device(number, gpu, context.world.gpus[gpu.id], (driver, runtime), device))
    for here, gpu in enumerate(gpus):
        for there, peer in enumerate(gpus):
            if here != there:
                can = "Yes" if gpu_copies.can_access(context.world, gpu, peer) else "No"
                lines.append(
                    f"> Peer access from {gpu.product.name} (GPU{here}) -> {peer.product.name} (GPU{there}) : {can}\n"
                )
    versions = f"CUDA Driver Version = {driver}, CUDA Runtime Version = {runtime}"
    return [*lines, f"\ndeviceQuery, CUDA Driver = CUDART, {versions}, NumDevs = {len(gpus)}\nResult = PASS\n"]


def _device(number: int, gpu: Gpu, state: GpuState, versions: tuple[str, str], device: MigDevice | None) -> str:
    product, chip = gpu.product, _CHIPS[gpu.product.name]
    mebibytes = product.memory_total - product.memory_reserved - _OUTSIDE
    quarter = MIB // 4
    if device is not None:
        chip, mebibytes, quarter = _part_of(chip, device), device.profile.memory, 0
    domain, bus, rest = gpu.address.split(":")
    place = " / ".join(str(int(part, 16)) for part in (domain, bus, rest.partition(".")[0]))
    return _DEVICE.format(
        number=number,
        name=product.name if device is None else f"{product.name} MIG {device.name}",
        driver=versions[0],
        runtime=versions[1],
        chip=chip,
        mebibytes=mebibytes,
        bytes=mebibytes * MIB + quarter,
        cores=_CORES,
        all_cores=_CORES * chip.multiprocessors,
        clock=product.clock_graphics_max,
        gigahertz=f"{product.clock_graphics_max / 1000:.2f}",
        memory_clock=product.clock_memory,
        ecc="Enabled" if state.ecc_enabled else "Disabled",
        place=place,
        mode=_MODES[state.compute_mode],
    )


def _part_of(chip: Chip, device: MigDevice) -> Chip:
    """What a MIG device has of a chip."""
    size = device.profile.size
    return replace(
        chip,
        multiprocessors=device.kind.multiprocessors,
        bus_bits=chip.bus_bits * size // MEMORY_SLICES,
        cache=chip.cache * size // MEMORY_SLICES,
        copy_engines=device.profile.copy_engines,
    )


COMMAND = Command(
    "deviceQuery",
    "show the GPUs that CUDA programs see",
    run,
    synopsis="deviceQuery",
    manual="Ends with `Result = PASS` where CUDA works. CUDA_VISIBLE_DEVICES says which GPUs there are.",
)
