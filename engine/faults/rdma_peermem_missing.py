"""GPUDirect RDMA is off on one node: nvidia_peermem is not in the kernel, and the image's /etc/nccl.conf tells NCCL not
to use DMA-BUF (a workaround from older kernels), which leaves it no way to a GPU's memory (NVIDIA/nccl#897, #1412).

Seen: NCCL's lines `via NET/IB/0` without `/GDRDMA` on that node, collectives over several nodes at about a half, and
perftest with `--use_cuda` refused, while ib_write_bw between host memories is at line rate. Remedy: modprobe
nvidia-peermem, and its line in /etc/modules-load.d for the next start; or take the line out of nccl.conf, as the open
driver speaks DMA-BUF. A job that runs has to be started anew.
"""

from __future__ import annotations

from engine.control import files, modules
from engine.control.modprobe_settings import PEERMEM_FILE
from engine.faults._nccl_configuration import set_for_node
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The node came up from an image without the line for the module, and with the one for NCCL."""
    files.put(simulation, target, {PEERMEM_FILE: None})
    modules.forget(simulation, target, ("nvidia_peermem",))
    set_for_node(simulation, target, "NCCL_DMABUF_ENABLE", "0")


FAULT = Fault(
    id="rdma.peermem_missing",
    title="GPUDirect RDMA is off on a node",
    targets=("gpu_node",),
    inject=inject,
    doc="NCCL without GDRDMA at about a half. modprobe nvidia-peermem, or no NCCL_DMABUF_ENABLE=0 in nccl.conf.",
)
