"""nvidia-container-cli of libnvidia-container 1.18.1: what the toolkit's hook finds on a host. Formats after its
sources (src/cli/info.c, list.c) and users' transcripts.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.options import Option
from engine.control import cuda_versions, driver
from engine.control.containers import daemon, toolkit
from engine.physics.load import bound_gpus

_LIBRARIES = ("libnvidia-ml.so", "libnvidia-cfg.so", "libcuda.so", "libcudadebugger.so", "libnvidia-opencl.so",
              "libnvidia-ptxjitcompiler.so", "libnvidia-nvvm.so")  # fmt: skip
_PROGRAMS = ("nvidia-smi", "nvidia-debugdump", "nvidia-persistenced", "nv-fabricmanager", "nvidia-cuda-mps-control",
             "nvidia-cuda-mps-server")  # fmt: skip


def run(ctx: Context) -> int:
    """info, list or version."""
    words = [word for word in ctx.arguments if not word.startswith("-") and word != "/dev/tty"]
    if "--version" in ctx.arguments or "-V" in ctx.arguments:
        version = daemon.library_version(ctx.world, ctx.host)
        ctx.line(f"cli-version: {version}\nlib-version: {version}")
        return 0
    if words[:1] not in (["info"], ["list"]):
        return ctx.not_modelled(f"nvidia-container-cli {' '.join(ctx.arguments)}")
    try:
        toolkit.initialise(ctx.world, ctx.host)
    except toolkit.Refused as why:
        ctx.error(f"nvidia-container-cli: {why}")
        return 1
    return _info(ctx) if words[0] == "info" else _list(ctx)


def _info(ctx: Context) -> int:
    version = driver.nvml(ctx.world, ctx.host).kernel_version
    ctx.line(f"NVRM version:   {version}\nCUDA version:   {cuda_versions.spoken_by(version) or ''}")
    for index, gpu in enumerate(bound_gpus(ctx.world, ctx.host)):
        if driver.is_lost(ctx.world, gpu.id):
            continue
        domain, _, rest = gpu.address.partition(":")
        ctx.line(f"\nDevice Index:   {index}\nDevice Minor:   {index}\nModel:          {gpu.product.name}")
        ctx.line("Brand:          Nvidia")
        ctx.line(f"GPU UUID:       {ctx.world.gpus[gpu.id].uuid}\nBus Location:   {domain.zfill(8)}:{rest}")
        ctx.line("Architecture:   9.0" if "H" in gpu.product.name else "Architecture:   8.0")
    return 0


def _list(ctx: Context) -> int:
    version = driver.nvml(ctx.world, ctx.host).library_version
    ctx.line("/dev/nvidiactl\n/dev/nvidia-uvm\n/dev/nvidia-uvm-tools\n/dev/nvidia-modeset")
    for index, _ in enumerate(bound_gpus(ctx.world, ctx.host)):
        ctx.line(f"/dev/nvidia{index}")
    for name in _PROGRAMS:
        ctx.line(f"/usr/bin/{name}")
    for name in _LIBRARIES:
        ctx.line(f"/usr/lib/x86_64-linux-gnu/{name}.{version}")
    ctx.line(f"/run/nvidia-persistenced/socket\n/lib/firmware/nvidia/{version}/gsp_ga10x.bin")
    return 0


COMMAND = Command(
    "nvidia-container-cli",
    "what the NVIDIA container library finds on this host",
    run,
    "nvidia-container-cli [-k] [-d FILE] info|list",
    (Option("k", "load-kmods", help="load the kernel modules first"), Option("d", "debug", "FILE", help="log there")),
    """info tells of the driver and its GPUs, list of the files that go into a container. It fails as a container's
start fails: `initialization error: nvml error: driver/library version mismatch`.""",
)
