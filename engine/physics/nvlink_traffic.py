"""What the NVLinks of a GPU have carried since they were last trained: bytes that each link sent and received.

Law: a link carries the share of its rate that the kind of work asks for (gpu_traffic.py), for as long as the work
lasted; what ran when is in the GPU's thermal history, whose regimes name their load. All links of a GPU carry equal
parts, so a link that is down costs the GPU bandwidth and the others nothing; it has no counters. While NVSwitches route
nothing of the GPU, the load that it has now counts for nothing.

Figures: idle H800 that nothing had used for long showed 5.86 million KiB sent and received on every link, equal to
0.05 %, and 1.45 times that with protocol overhead; under training the overhead was 39 % of what was sent and 41 % of
what was received (transcripts of `nvidia-smi nvlink -gt`). What a link had carried before the site's first look is a
guess around that figure.
"""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.kernel.units import SECOND
from engine.physics import gpu_traffic
from engine.physics.load import kind_of
from engine.physics.paths import nvlink
from engine.world.world import World

_BEFORE, _BEFORE_SPREAD = 3_000_000 * 1024, 6_000_000 * 1024
_UNEVEN = 500  # millionths
_OVERHEAD_SENT, _OVERHEAD_RECEIVED = 390, 412  # permille


@dataclass(frozen=True, slots=True)
class Carried:
    """Bytes of payload that a link sent and received, and the same with the protocol's overhead."""

    sent: int
    received: int
    raw_sent: int
    raw_received: int


def carried(world: World, gpu_id: str, link: int, time: int) -> Carried:
    """What a link of a GPU has carried until `time`."""
    payload = _before(world, gpu_id) + _by_work(world, gpu_id, time)
    sent, received = (_uneven(world, gpu_id, link, way, payload) for way in ("sent", "received"))
    return Carried(
        sent, received, sent * (1000 + _OVERHEAD_SENT) // 1000, received * (1000 + _OVERHEAD_RECEIVED) // 1000
    )


def _trained(world: World, gpu_id: str) -> int | None:
    """When the links were last trained since the site's start, ns; None if they have not been."""
    return world.nvlinks[gpu_id].trained


def _before(world: World, gpu_id: str) -> int:
    """Bytes from the time before the history that is known; none since a reset."""
    if _trained(world, gpu_id) is not None:
        return 0
    return _BEFORE + hash64(world.seed, "nvlink carried", gpu_id) % _BEFORE_SPREAD


def _by_work(world: World, gpu_id: str, time: int) -> int:
    """Bytes that the work since then has put on each link, one way."""
    since = _trained(world, gpu_id)
    start = world.nodes[gpu_id.partition("/")[0]].booted_at if since is None else since
    rate = world.inventory.gpu(gpu_id).product.nvlink_mbytes_per_second * 1_000_000
    total, end = 0, time
    routed = nvlink.routed(world, gpu_id)
    for held in reversed(world.thermal[gpu_id].regimes):
        begin = max(start, held.since)
        if begin < end and routed:
            share = gpu_traffic.nvlink_share(kind_of(held.load)) * held.load.sm
            total += rate * share // 100_000 * (end - begin) // SECOND
        routed, end = True, min(end, begin)
    return total


def _uneven(world: World, gpu_id: str, link: int, way: str, payload: int) -> int:
    """Links differ by some hundredths of a percent."""
    return payload * (1_000_000 - hash64(world.seed, "nvlink uneven", gpu_id, link, way) % _UNEVEN) // 1_000_000
