"""How two PCI functions of a node reach each other, worked out from the PCIe tree and the NVLinks.

The words are those of the tool's legend. Counted in bridges, as the legend says: two functions below one bridge are PIX
(the ports of a dual-port adapter), two ports of one PCIe switch are PXB, since the switch's downstream ports are
bridges too (DGX H100 and DGX B200 show PXB between a GPU and the adapter of its rail). Boards whose switches hide their
ports would show PIX there.
"""

from __future__ import annotations

from engine.world.inventory import Gpu, Node

SELF, SAME_BRIDGE, BRIDGES, HOST_BRIDGE, SAME_NUMA, SYSTEM = "X", "PIX", "PXB", "PHB", "NODE", "SYS"

LEGEND = (
    (SELF, "Self"),
    (SYSTEM, "Connection traversing PCIe as well as the SMP interconnect between NUMA nodes (e.g., QPI/UPI)"),
    (
        SAME_NUMA,
        "Connection traversing PCIe as well as the interconnect between PCIe Host Bridges within a NUMA node",
    ),
    (HOST_BRIDGE, "Connection traversing PCIe as well as a PCIe Host Bridge (typically the CPU)"),
    (BRIDGES, "Connection traversing multiple PCIe bridges (without traversing the PCIe Host Bridge)"),
    (SAME_BRIDGE, "Connection traversing at most a single PCIe bridge"),
)
NVLINK_LEGEND = ("NV#", "Connection traversing a bonded set of # NVLinks")


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


def nvlinks(node: Node, first: Gpu, second: Gpu) -> int:
    """How many NVLinks join two GPUs: all of them where NVSwitches join all GPUs of a board."""
    return min(first.product.nvlinks, second.product.nvlinks) if node.nvswitches and first.id != second.id else 0


def gpu_relation(node: Node, first: Gpu, second: Gpu, over_nvlink: bool = True) -> str:
    """How two GPUs reach each other."""
    links = nvlinks(node, first, second) if over_nvlink else 0
    return f"NV{links}" if links else relation(node, first.address, second.address)


def cpu_list(node: Node, numa: int) -> str:
    """The logical CPUs of a NUMA node: first the cores, then their second threads, as Linux numbers them."""
    cores = node.cpu.cores
    total = node.cpu.sockets * cores
    starts = [thread * total + numa * cores for thread in range(node.cpu.threads)]
    return ",".join(f"{start}-{start + cores - 1}" for start in starts)
