"""PCIe links inside a node: what one carries, and what a host and a GPU can copy.

Sources: PCI-SIG (lane rates after encoding); copies: 54.8 GB/s over generation 5 (Voltage Park), 25 over generation 4;
RDMA: packets of 256 bytes with 26 bytes of header. Guesses: copies over generations 1 to 3, a tenth lost between
sockets, three hundredths lost to an IOMMU that translates (large pages, few misses).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.physics import iommu
from engine.physics import pcie as bus
from engine.world.inventory import Node, PcieDevice
from engine.world.world import World

LANE: Mapping[int, float] = MappingProxyType({1: 0.25, 2: 0.5, 3: 0.985, 4: 1.969, 5: 3.938, 6: 7.563})
"""GB/s of a lane in one direction, by generation."""

_COPY_SHARE: Mapping[int, float] = MappingProxyType({1: 0.80, 2: 0.80, 3: 0.80, 4: 0.83, 5: 0.878, 6: 0.88})
_RDMA_SHARE = 256 / (256 + 26)
_FAR_COPY = 0.90
_TRANSLATED_COPY = 0.97
_INSIDE_A_SWITCH = "switch_downstream"


def raw(generation: int, width: int) -> float:
    """GB/s of a link in one direction, after encoding."""
    return LANE[generation] * width


def copy(generation: int, width: int) -> float:
    """GB/s of a large pinned copy over a link."""
    return raw(generation, width) * _COPY_SHARE[generation]


def rdma(generation: int, width: int) -> float:
    """GB/s that a network card moves over a link."""
    return raw(generation, width) * _RDMA_SHARE


def has_link(device: PcieDevice) -> bool:
    """Whether there is a link above a function: a switch's downstream port hangs on its upstream port inside the chip,
    a root port on nothing.
    """
    return device.parent is not None and device.role != _INSIDE_A_SWITCH


def hops(node: Node, address: str) -> tuple[str, ...]:
    """The functions whose links lie between the one at `address` and the root, from below."""
    return tuple(device.address for device in node.path_to_root(address) if has_link(device))


def meeting(node: Node, first: str, second: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """For two functions that meet in a PCIe switch: functions whose links lie between them, and ports that could send
    their requests up to the root instead of turning them round. Two empty tuples where they do not meet in a switch.
    """
    here, there = node.path_to_root(first), node.path_to_root(second)
    shared = {device.address for device in here} & {device.address for device in there}
    meets = next((device for device in here if device.address in shared), None)
    if meets is None or meets.parent is None:
        return (), ()
    apart = [device for device in (*here, *there) if device.address not in shared]
    return tuple(each.address for each in apart if has_link(each)), tuple(each.address for each in apart)


def slowest(world: World, host: str, addresses: tuple[str, ...]) -> tuple[int, int]:
    """Generation and width of the slowest of the links above functions. Raises ValueError for none."""
    running = (bus.link(world, host, address) for address in addresses)
    return min(((link.generation, link.width) for link in running), key=lambda link: raw(*link))


def uplink(world: World, host: str, address: str) -> tuple[int, int]:
    """Generation and width of the slowest link between a function's PCIe switch and the root (its own link where it
    hangs on the root itself).
    """
    above = cached_hops(world, host, address)
    return slowest(world, host, above[1:] or above)


def host_copy(world: World, gpu_id: str, *, near: bool = True) -> float:
    """GB/s of a large pinned copy between host memory and a GPU, either way, by its copy engine. `near`: the memory is
    on the GPU's socket.
    """
    gpu = world.inventory.gpu(gpu_id)
    path = cached_hops(world, gpu.node, gpu.address)
    rate = min(copy(*slowest(world, gpu.node, (address,))) for address in path)
    return rate * (1.0 if near else _FAR_COPY) * (_TRANSLATED_COPY if iommu.translates(world, gpu.node) else 1.0)


def cached_hops(world: World, host: str, address: str) -> tuple[str, ...]:
    """`hops` of a host's function, worked out once for each kind of board."""
    pattern = world.inventory.pattern(host)
    return world.inventory.once(("pcie hops", pattern, address), lambda: hops(world.node(pattern), address))
