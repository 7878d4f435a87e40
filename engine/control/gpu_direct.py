"""GPUDirect RDMA: by which ways a network card of a host can reach a GPU's memory.

The old way is the module nvidia_peermem, which hands the pages to ib_core; NCCL looks for /sys/module/nvidia_peermem,
and a program that registers GPU memory with plain ibv_reg_mr needs it. The new way is DMA-BUF (ibv_reg_dmabuf_mr):
it takes the open flavour of the driver's modules and Linux 5.12 or newer (NVIDIA's GPUDirect RDMA documentation;
CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED is 0 with the proprietary flavour). NCCL 2.28 takes DMA-BUF where both exist and
NCCL_DMABUF_ENABLE is not 0, so that a missing nvidia_peermem costs it nothing on such a host.
"""

from __future__ import annotations

import re

from engine.control import kernel_image, modules, packages
from engine.world.world import World

_FIRST_KERNEL = (5, 12)
_OPEN_MODULES = re.compile(r"nvidia-(dkms|kernel-source)-\d+(-server)?-open")


def peermem(world: World, host: str) -> bool:
    """Whether plain registration of GPU memory works: nvidia_peermem is loaded."""
    return modules.is_loaded(world, host, "nvidia_peermem")


def dma_buf(world: World, host: str) -> bool:
    """Whether GPU memory can be registered through DMA-BUF: open modules in memory, and a kernel that is new enough."""
    release = tuple(int(part) for part in re.findall(r"\d+", kernel_image.running(world, host))[:2])
    return release >= _FIRST_KERNEL and modules.is_loaded(world, host, "nvidia") and _open_flavour(world, host)


def _open_flavour(world: World, host: str) -> bool:
    return any(_OPEN_MODULES.fullmatch(name) for name in packages.installed(world, host))
