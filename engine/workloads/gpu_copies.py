"""What copies between host memory and GPUs get: pure shares of what a path carries, and readers of the world.

Paths come from engine.physics.paths; here stands what a kind of copy makes of one. Rates are GB/s of one direction.
Shares are fitted to captures of machines with eight Hopper GPUs: nvbandwidth 0.10 and p2pBandwidthLatencyTest on H100
(395.1 GB/s read, 397.5 written, 55.4 and 55.2 to and from the host, 37.3 without peer access, 45 to 53 both ways of it,
826 ns; 2.0, 2.8 and 17 us), NVIDIA/nvbandwidth#24 (kernels: 35.2 and 52.8 of 55.3 to and from the host),
NVIDIA/nccl#1264 (742 both ways), a full run of nvbandwidth 0.2 on H800 for copies that disturb each other. 1,190 ns to
host memory, 1,320 to that of the other socket: nvbandwidth on a cloud node with PCIe GPUs. Guesses: kernels that copy
both ways between host and GPU, how a low clock slows kernels, that the time between two copies is 2 us.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.kernel.random import hash64
from engine.physics import thermal
from engine.physics.paths import figures, near, nvlink, pcie
from engine.world.inventory import Gpu
from engine.world.world import World

BETWEEN_COPIES_NS = 2_000.0
"""What passes between two copies that were queued together."""

SPREAD_PPM = 3_000
"""Samples differ by up to so much from their mean."""

_KERNELS_TO_HOST_CLOCK = 0.5
_STAGED, _STAGED_BOTH_WAYS = 0.674, 1.4
_OVER_PCIE_BOTH_WAYS = 0.72
_FAR_LATENCY = 1.11
_HOST_LATENCY_NS, _PEER_LATENCY_NS = 1_190.0, 826.0


@dataclass(frozen=True, slots=True)
class Manner:
    """A way to copy: the share of what the path carries, and whether kernels do it (or copy engines)."""

    share: float
    kernels: bool = False


@dataclass(frozen=True, slots=True)
class Memory:
    """Where a program's host memory comes from: CPUs that it may run on and NUMA nodes of its memory, as lists ("":
    all), and whether it moves beside each GPU before it allocates (as nvbandwidth does).

    `confined` are the CPUs that it cannot leave ("": none); that it stays on them in silence where the GPU's are others
    is a guess.
    """

    cpus: str = ""
    nodes: str = ""
    moves: bool = True
    confined: str = ""


def sampled(rate: float, *name: object, spread_ppm: int = SPREAD_PPM) -> float:
    """A measurement of `rate`: the same for the same `name`."""
    off = hash64("copies", *name) % (2 * spread_ppm + 1) - spread_ppm
    return rate * (1_000_000 + off) / 1_000_000


def with_gaps(rate: float, size: int) -> float:
    """What copies of `size` bytes, one after another, get of `rate`."""
    return size / (size / rate + BETWEEN_COPIES_NS) if rate > 0 else 0.0


def kernels_to_host(clock: float) -> float:
    """What kernels that copy from or to the host keep when the SM clock is `clock` of the usual one."""
    return min(1.0, clock / _KERNELS_TO_HOST_CLOCK)


def both_ways(links: int, product: figures.GpuFigures) -> float:
    """GB/s of each of two copies between two GPUs in opposite directions, over that many NVLinks."""
    return nvlink.raw(links, product) * product.both_ways_share


def clock(world: World, gpu: Gpu, time: int) -> float:
    """The SM clock of a GPU as a part of the highest one."""
    return thermal.sm_clock(world, gpu.id, time) / gpu.product.clock_graphics_max


def is_near(world: World, gpu: Gpu, memory: Memory, process: int) -> bool:
    """Whether a program's host memory is on the GPU's socket. One that may run anywhere and stays where it is runs on
    one of the sockets, by its process id.
    """
    node = world.node(gpu.node)
    if memory.nodes:
        return any(_holds(part, gpu.numa) for part in memory.nodes.split(","))
    if memory.moves:
        return near.near(node, gpu.numa, memory.confined)
    if memory.cpus:
        return near.near(node, gpu.numa, memory.cpus)
    return hash64("socket", gpu.node, process) % node.cpu.sockets == gpu.numa


def _holds(part: str, number: int) -> bool:
    first, _, last = part.partition("-")
    return first.isdecimal() and int(first) <= number <= int(last or first)


def host_rate(
    world: World, gpu: Gpu, manner: Manner, *, beside: bool, time: int, together: Sequence[Gpu] = ()
) -> float:
    """GB/s between host memory and a GPU. `beside`: the memory is on its socket; `together`: GPUs that copy at the same
    time, itself included, and share the links that they have in common.
    """
    whole = pcie.host_copy(world, gpu.id, near=beside)
    part = manner.share * (kernels_to_host(clock(world, gpu, time)) if manner.kernels else 1.0)
    return min(whole * part, _shared(world, gpu, together)) if together else whole * part


def _shared(world: World, gpu: Gpu, together: Sequence[Gpu]) -> float:
    """GB/s of the part that a GPU gets of each link on its way, the worst of them."""
    paths = [pcie.cached_hops(world, each.node, each.address) for each in together]
    return min(
        pcie.copy(*pcie.slowest(world, gpu.node, (hop,))) / max(1, sum(hop in path for path in paths))
        for hop in pcie.cached_hops(world, gpu.node, gpu.address)
    )


def can_access(world: World, gpu: Gpu, peer: Gpu) -> bool:
    """Whether a GPU can use the memory of another: over NVLinks that the fabric routes."""
    return nvlink.joined(world, gpu.id, peer.id) > 0


def peer_rate(world: World, gpu: Gpu, peer: Gpu, manner: Manner, *, time: int) -> float:
    """GB/s of a copy between two GPUs, one way."""
    part = nvlink.clock_share(clock(world, gpu, time)) if manner.kernels else 1.0
    return nvlink.peer_copy(world, gpu.id, peer.id) * manner.share * part


def peer_rate_both_ways(world: World, gpu: Gpu, peer: Gpu, manner: Manner, *, time: int) -> float:
    """GB/s of each of two copies between two GPUs in opposite directions."""
    links = nvlink.joined(world, gpu.id, peer.id)
    part = nvlink.clock_share(clock(world, gpu, time)) if manner.kernels else 1.0
    if links:
        return both_ways(links, figures.gpu_figures(gpu.product.name)) * manner.share * part
    return nvlink.peer_copy(world, gpu.id, peer.id) * _OVER_PCIE_BOTH_WAYS * manner.share * part


def pooled_rate(world: World, gpu: Gpu, peers: Sequence[Gpu], manner: Manner, *, time: int) -> float:
    """GB/s of copies between a GPU and several peers at once, all together: its own links are what limits them, and
    each peer's share of its links.
    """
    product = figures.gpu_figures(gpu.product.name)
    own = nvlink.peer(nvlink.working(world, gpu.id), product)
    total = min(own, sum(nvlink.peer_copy(world, gpu.id, peer.id) for peer in peers))
    return total * manner.share * (nvlink.clock_share(clock(world, gpu, time)) if manner.kernels else 1.0)


def staged_rate(world: World, gpu: Gpu, peer: Gpu) -> float:
    """GB/s of a copy between two GPUs without peer access: through host memory, in pieces."""
    return min(pcie.host_copy(world, gpu.id), pcie.host_copy(world, peer.id)) * _STAGED


def staged_rate_both_ways(world: World, gpu: Gpu, peer: Gpu) -> float:
    """GB/s of two such copies in opposite directions, together."""
    return staged_rate(world, gpu, peer) * _STAGED_BOTH_WAYS


def memory_rate(world: World, gpu: Gpu) -> float:
    """GB/s that a GPU reads and writes together in its own memory."""
    left = world.gpus[gpu.id].memory_permille / 1000
    return figures.gpu_figures(gpu.product.name).memory_rate * left


def local_rate(world: World, gpu: Gpu) -> float:
    """GB/s of a copy within a GPU: every byte is read and written."""
    return memory_rate(world, gpu) / 2


def host_latency(beside: bool) -> float:
    """ns until a GPU has a word of host memory."""
    return _HOST_LATENCY_NS * (1.0 if beside else _FAR_LATENCY)


def peer_latency() -> float:
    """ns until a GPU has a word of another's memory over NVLink."""
    return _PEER_LATENCY_NS
