"""A GPU that is well is not given to pods: it once had an error of its memory (Xid 48 and 63), the row was remapped
and the GPU reset since, but the device plugin called it unhealthy at the Xid and never looks again. The node has 7 of
8 GPUs to give until the plugin's pod on it starts anew. (NVIDIA/gpu-operator#1065, k8s-device-plugin#234)
"""

from __future__ import annotations

from engine.control import gpu_errors
from engine.control.xid import report
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics import gpu_memory
from engine.world.world import World

_ADDRESSES = 1 << 36


def inject(simulation: Simulation[World], target: str, _: Values) -> None:
    """The error came, and what it asked for has been done."""
    chance = simulation.stream(f"remapped/{target}")
    place = {"address": chance.integer(0, _ADDRESSES) & ~0x1F}
    where = {"partition": chance.integer(0, 19), "subpartition": chance.integer(0, 3)}
    gpu_memory.wear_bank(simulation, target, 1)
    report(simulation, target, gpu_errors.DOUBLE_BIT, place | where, form="dram", harmless=True)
    report(simulation, target, gpu_errors.ROW_MARKED, place, harmless=True)


FAULT = Fault(
    id="kubernetes.gpu_held_unhealthy",
    title="The device plugin still calls a mended GPU unhealthy",
    targets=("kube_gpu",),
    inject=inject,
    doc="Allocatable is 7 of 8, nvidia-smi -q finds nothing pending. Delete the plugin's pod on that node.",
)
