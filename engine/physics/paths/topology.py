"""How two PCI functions of a node reach each other, worked out from the PCIe tree and the NVLinks.

The words are those of nvidia-smi's legend, which NCCL shares. Counted in bridges, as the legend says: two functions
below one bridge are PIX (the ports of a dual-port adapter), two ports of one PCIe switch are PXB, since the switch's
downstream ports are bridges too (DGX H100 and DGX B200 show PXB between a GPU and the adapter of its rail). Boards
whose switches hide their ports would show PIX there.
"""

from __future__ import annotations

from engine.physics.paths import nvlink
from engine.world.inventory import Gpu, Node
from engine.world.world import World

SELF, SAME_BRIDGE, BRIDGES, HOST_BRIDGE, SAME_NUMA, SYSTEM = "X", "PIX", "PXB", "PHB", "NODE", "SYS"

DISTANCES = (SELF, SAME_BRIDGE, BRIDGES, HOST_BRIDGE, SAME_NUMA, SYSTEM)
"""From near to far."""


def relation(node: Node, first: str, second: str) -> str:
    """How the functions at two addresses reach each other over PCIe."""
    if first == second:
        return SELF
    here, there = node.path_to_root(first), node.path_to_root(second)
    above_there = {device.address: depth for depth, device in enumerate(there[1:], start=1)}
    for depth, device in enumerate(here[1:], start=1):
        if device.address in above_there:
            return SAME_BRIDGE if depth == above_there[device.address] == 1 else BRIDGES
    if not here or not there:
        return SYSTEM
    if _root_bus(here[-1].address) == _root_bus(there[-1].address):
        return HOST_BRIDGE
    return SAME_NUMA if here[0].numa == there[0].numa else SYSTEM


def _root_bus(address: str) -> str:
    """Domain and bus of a root port: the host bridge that it belongs to."""
    return address.rpartition(":")[0]


def nvlinks(world: World, first: Gpu, second: Gpu) -> int:
    """How many working NVLinks join two GPUs: NVSwitches join all GPUs of a board by all links that both have."""
    joined = first.node == second.node and first.id != second.id and bool(world.node(first.node).nvswitches)
    return min(nvlink.working(world, first.id), nvlink.working(world, second.id)) if joined else 0


def gpu_relation(world: World, first: Gpu, second: Gpu, over_nvlink: bool = True) -> str:
    """How two GPUs reach each other: `NV18` over NVLinks, or as over PCIe."""
    links = nvlinks(world, first, second) if over_nvlink else 0
    return f"NV{links}" if links else relation(world.node(first.node), first.address, second.address)
