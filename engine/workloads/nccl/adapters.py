"""The network adapters of a host as NCCL lists them, and which of them its GPUs use.

Rules of src/transport/net_ib.cc and src/graph: every active port counts, InfiniBand or Ethernet (so in-band and storage
ports are listed too), unless NCCL_IB_HCA leaves it out. Channels go over the adapters that are nearest to the GPUs that
take part; other GPUs reach them over NVLink (PXN). GPUDirect RDMA is used up to a distance of PXB, or what
NCCL_NET_GDR_LEVEL says.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.control import gpu_direct, verbs
from engine.kernel.quick_dataclass import dataclass
from engine.physics import links
from engine.physics.paths import topology
from engine.workloads.nccl.environment import Environment, parse_number
from engine.world.inventory import Gpu, Hca
from engine.world.records import LogicalState
from engine.world.world import World

_NEAR = (topology.SELF, topology.SAME_BRIDGE, topology.BRIDGES)
# NCCL's own order of path types (src/graph/topo.h), as far as one can ask for them by name.
LEVELS = ("LOC", "NVL", "NVB", "C2C", "PIX", "PXB", "P2C", "PXN", "PHB", "SYS")
_LEGACY_LEVELS = ("LOC", "PIX", "PXB", "PHB", "SYS", "SYS")
_PATH_TYPES = {"X": "LOC", "PIX": "PIX", "PXB": "PXB", "PHB": "PHB", "NODE": "PHB", "SYS": "SYS"}
_DEFAULT_GDR_LEVEL = "PXB"


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter that carries channels of a host, the GPU that it is reached from and how, and whether data goes to
    that GPU's memory directly.
    """

    hca: Hca
    gpu: Gpu
    distance: str
    direct: bool


def listed(world: World, host: str, environment: Environment, visible: bool = True) -> tuple[Hca, ...]:
    """The devices of `NET/IB : Using`, in its order; empty without access to them (`visible`: /dev/infiniband)."""
    if not visible or environment.number("NCCL_IB_DISABLE", 0):
        return ()
    wanted = environment.selection("NCCL_IB_HCA")
    found = [hca for hca in verbs.devices(world, host) if wanted.takes(hca.name, 1)]
    return tuple(hca for hca in found if links.logical_state(world, hca.port) is LogicalState.ACTIVE)


def used(
    world: World, gpus: Sequence[Gpu], devices: Sequence[Hca], environment: Environment, memory: str | None
) -> tuple[Adapter, ...]:
    """The adapters that channels of one host go over. `memory` says how adapters reach GPU memory (None: not)."""
    nearest = [_nearest(world, hca, gpus) for hca in devices]
    if not nearest:
        return ()
    near = [each for each in nearest if each[1] in _NEAR]
    least = min(topology.DISTANCES.index(distance) for _, distance, _ in nearest)
    chosen = near or [each for each in nearest if topology.DISTANCES.index(each[1]) == least][: len(gpus)]
    return tuple(
        Adapter(hca, gpu, distance, memory is not None and within_level(distance, environment))
        for hca, distance, gpu in chosen
    )


def memory_access(world: World, host: str, environment: Environment) -> str | None:
    """How adapters of a host reach GPU memory: `dmabuf`, `peermem`, or None: through the host's memory."""
    if environment.number("NCCL_DMABUF_ENABLE", 1) and gpu_direct.dma_buf(world, host):
        return "dmabuf"
    return "peermem" if gpu_direct.peermem(world, host) else None


def within_level(distance: str, environment: Environment) -> bool:
    """Whether GPUDirect RDMA is used at this distance."""
    level = level_named(environment.text("NCCL_NET_GDR_LEVEL")) or _DEFAULT_GDR_LEVEL
    return LEVELS.index(_PATH_TYPES[distance]) <= LEVELS.index(level)


def level_named(text: str | None) -> str | None:
    """A value of NCCL_NET_GDR_LEVEL or NCCL_P2P_LEVEL: a path type by name, or an old number from 0 (LOC) to 4 (SYS)
    and more (SYS); other words, and negative numbers, count as not set.
    """
    if not text or text in LEVELS:
        return text or None
    if text[0].isdecimal():
        return _LEGACY_LEVELS[min(parse_number(text, 0), len(_LEGACY_LEVELS) - 1)]
    return None


def _nearest(world: World, hca: Hca, gpus: Sequence[Gpu]) -> tuple[Hca, str, Gpu]:
    pattern = world.inventory.pattern(hca.node)
    key = ("nccl nearest", pattern, hca.address, tuple(gpu.address for gpu in gpus))
    distance, place = world.inventory.once(key, lambda: _place_of_nearest(world, pattern, hca.address, key[3]))
    return hca, distance, gpus[place]


def _place_of_nearest(world: World, host: str, hca: str, gpus: tuple[str, ...]) -> tuple[str, int]:
    node = world.node(host)
    distances = [topology.relation(node, gpu, hca) for gpu in gpus]
    place = min(range(len(gpus)), key=lambda index: topology.DISTANCES.index(distances[index]))
    return distances[place], place
