"""NVLinks inside a node: how many of a GPU's work, and what rings, copies and NVLink SHARP get from them.

All links of a GPU run to NVSwitches and carry equal parts, so a rate is links x rate of one x what of it is reached.
NVLink SHARP sends S out and S/n of results, and the same in, over each GPU's links: that explains why it gains with n
and loses against a ring below five GPUs (measured on H200). Guess: a clock below 0.65 of the usual one slows the
kernels that move data; a copy without NVLink reaches 0.62 of PCIe, 0.55 where the driver stages it through the host.
"""

from __future__ import annotations

from engine.physics.paths import figures as tables
from engine.physics.paths import pcie
from engine.physics.paths.figures import GpuFigures
from engine.world.world import World

_CLOCK_HEADROOM = 0.65
_OVER_PCIE, _STAGED = 0.62, 0.55


def raw(links: int, figures: GpuFigures) -> float:
    """GB/s of a GPU's links in one direction."""
    return links * figures.link


def ring(links: int, figures: GpuFigures) -> float:
    """Bus bandwidth of a ring through GPUs with that many links."""
    return raw(links, figures) * figures.ring_share


def peer(links: int, figures: GpuFigures) -> float:
    """GB/s of a copy between two GPUs by a copy engine."""
    return raw(links, figures) * figures.peer_share


def nvls(links: int, figures: GpuFigures, gpus: int) -> float:
    """Algorithm bandwidth (bytes summed per time) of an all-reduce by NVLink SHARP among that many GPUs."""
    return raw(links, figures) * figures.nvls_share * gpus / (gpus + 1)


def clock_share(clock: float) -> float:
    """What kernels that move data keep when the SM clock is `clock` of the usual one."""
    return min(1.0, clock / _CLOCK_HEADROOM)


def working(world: World, gpu_id: str) -> int:
    """How many NVLinks of a GPU are up."""
    product = world.inventory.gpu(gpu_id).product
    return sum(link not in world.nvlinks[gpu_id].down for link in range(product.nvlinks))


def routed(world: World, gpu_id: str) -> bool:
    """Whether NVSwitches route traffic of a GPU: the fabric manager's partition is in force, and has a place for it."""
    host = gpu_id.partition("/")[0]
    state = world.nvlink_fabric[host]
    return bool(world.node(host).nvswitches) and state.peer_access and gpu_id not in state.refused


def joined(world: World, gpu_a: str, gpu_b: str) -> int:
    """How many NVLinks carry traffic between two GPUs: 0 on different nodes, and where no NVSwitch routes it."""
    together = gpu_a.partition("/")[0] == gpu_b.partition("/")[0] and gpu_a != gpu_b
    if not together or not routed(world, gpu_a) or not routed(world, gpu_b):
        return 0
    return min(working(world, gpu_a), working(world, gpu_b))


def peer_copy(world: World, gpu_a: str, gpu_b: str) -> float:
    """GB/s of a large copy from one GPU of a node to another, one way, by a copy engine: over NVLink, over PCIe where a
    GPU has no link, staged through the host where the fabric gives no access.
    """
    links = joined(world, gpu_a, gpu_b)
    if links:
        return peer(links, tables.gpu_figures(world.inventory.gpu(gpu_a).product.name))
    slower = min(pcie.host_copy(world, gpu_a), pcie.host_copy(world, gpu_b))
    access = world.nvlink_fabric[gpu_a.partition("/")[0]].peer_access
    return slower * (_OVER_PCIE if access else _STAGED)
