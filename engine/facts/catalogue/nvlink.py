"""NVLinks, the fabric manager's work, and a GPU's firmware and memory where a defect shows in them."""

from __future__ import annotations

from engine.control import gsp, nvlink_fabric
from engine.control.dcgm import host_engine, readings
from engine.facts.fact import View, fact
from engine.facts.kinds import Gpu, Node
from engine.physics import gpu_memory


@fact("nvlink.errors")
def nvlink_errors(view: View, gpu: Gpu) -> int:
    """How many wrong checksums the GPU's NVLinks have counted since its last reset."""
    return sum(sum(each.crc) for each in view.world.nvlinks[gpu].errors)


@fact("nvlink.broken")
def nvlink_broken(view: View, gpu: Gpu) -> bool:
    """Whether the GPU has an NVLink that no reset brings back."""
    return bool(view.world.nvlinks[gpu].broken)


@fact("nvlink.peer_access")
def nvlink_peer_access(view: View, node: Node) -> bool:
    """Whether the node's NVSwitches route traffic between its GPUs (links can be active without it)."""
    return view.world.nvlink_fabric[node].peer_access


@fact("nvlink.multicast")
def nvlink_multicast(view: View, node: Node) -> bool:
    """Whether groups for NVLink SHARP can be made on the node."""
    return view.world.nvlink_fabric[node].multicast


@fact("fabric_manager.registered")
def fabric_manager_registered(view: View, node: Node) -> bool:
    """Whether the node's GPUs are registered with the NVLink fabric (else CUDA gives error 802)."""
    return nvlink_fabric.registered(view.world, node)


@fact("nvlink.placed")
def nvlink_placed(view: View, gpu: Gpu) -> bool:
    """Whether the fabric manager has a place for the GPU (a GPU without one is registered and gets no routes)."""
    return not nvlink_fabric.refused(view.world, gpu)


@fact("gpu.profiled")
def gpu_profiled(view: View, gpu: Gpu) -> bool:
    """Whether DCGM gives profiling fields of the GPU, and true ones."""
    host = gpu.partition("/")[0]
    known = [each.id for each in host_engine.gpus(view.world, host)]
    broken = view.world.host_engines[host].profiling_broken
    serves = host_engine.is_running(view.world, host) and readings.profiles(view.world, host)
    paused = view.world.host_engines[host].profiling_paused
    return serves and not paused and gpu in known and known.index(gpu) not in broken


@fact("gpu.cooler_loose")
def cooler_loose(view: View, gpu: Gpu) -> bool:
    """Whether the GPU's cooler touches its chip badly."""
    return view.world.gpus[gpu].contact_permille > 1000


@fact("gpu.firmware_stalled")
def firmware_stalled(view: View, gpu: Gpu) -> bool:
    """Whether the GPU's firmware answers no calls of the driver."""
    return gsp.stalled(view.world, gpu)


@fact("gpu.memory_slowed")
def memory_slowed(view: View, gpu: Gpu) -> bool:
    """Whether bad cells take away part of its memory's bandwidth."""
    return view.world.gpus[gpu].memory_permille < 1000


@fact("gpu.sram_threshold_exceeded")
def sram_threshold_exceeded(view: View, gpu: Gpu) -> bool:
    """Whether its SRAM has lost data so often that the board should be replaced."""
    return gpu_memory.threshold_exceeded(view.world.gpus[gpu].aggregate)
