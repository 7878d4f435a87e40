"""What p2pBandwidthLatencyTest measures for a pair of GPUs: GB/s one way or both ways, and us of a small copy on the
GPU and on the processor that queues it.

Latencies are those of a capture of eight H100 (spread included); by the GPU without peer access 14 to 19 us. That its
simple copy kernel reaches 0.85 of the copy engine is a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.workloads import gpu_copies
from engine.workloads.gpu_copies import Manner
from engine.world.inventory import Gpu
from engine.world.world import World

INT_BYTES = 4
REPEATS = 5
LATENCY_REPEATS = 100

_ENGINE, _KERNEL = Manner(1.0), Manner(0.85, kernels=True)
_TWO_AT_ONCE = 1.02  # two local copies fill memory better than one


@dataclass(frozen=True, slots=True)
class Latency:
    """A small copy in us, and by how much (ppm) measurements differ."""

    gpu: float
    processor: float
    gpu_ppm: int
    processor_ppm: int = 30_000


_OWN = Latency(2.03, 2.12, 40_000)
_PEER = Latency(2.77, 1.88, 60_000)
_STAGED = Latency(16.8, 6.85, 120_000)


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of GPUs as process `process` measures them with copies of `elements` integers."""

    world: World
    gpus: Sequence[Gpu]
    process: int
    elements: int
    kernels: bool = False

    def access(self, here: int, there: int) -> bool:
        """Whether two different GPUs can use each other's memory."""
        return gpu_copies.can_access(self.world, self.gpus[here], self.gpus[there])

    def bandwidth(self, here: int, there: int, title: str, *, peers: bool, reads: bool, time: int) -> float:
        """GB/s of a copy one way; a GPU's own copies count what they read and what they write. `title` names the
        matrix.
        """
        gpu, peer = self.gpus[here], self.gpus[there]
        if here == there:
            rate = self._sized(gpu_copies.local_rate(self.world, gpu)) * 2
        elif peers and self.access(here, there):
            worker, other = (peer, gpu) if reads else (gpu, peer)
            manner = _KERNEL if self.kernels else _ENGINE
            rate = self._sized(gpu_copies.peer_rate(self.world, worker, other, manner, time=time))
        else:
            rate = self._sized(gpu_copies.staged_rate(self.world, gpu, peer))
        return self._sampled(rate, title, here, there)

    def both_ways(self, here: int, there: int, title: str, *, peers: bool, time: int) -> float:
        """GB/s of two copies in opposite directions, together."""
        gpu, peer = self.gpus[here], self.gpus[there]
        if here == there:
            rate = self._sized(gpu_copies.local_rate(self.world, gpu)) * 2 * _TWO_AT_ONCE
        elif peers and self.access(here, there):
            manner = _KERNEL if self.kernels else _ENGINE
            rate = 2 * self._sized(gpu_copies.peer_rate_both_ways(self.world, gpu, peer, manner, time=time))
        else:
            rate = self._sized(gpu_copies.staged_rate_both_ways(self.world, gpu, peer))
        return self._sampled(rate, title, here, there)

    def latency(self, here: int, there: int, title: str, *, peers: bool) -> tuple[float, float]:
        """us of a copy of 16 bytes by the GPU's clock, and us that queueing it takes."""
        own = here == there
        kind = _OWN if own else _PEER if peers and self.access(here, there) else _STAGED
        name = (self.world.seed, self.gpus[here].node, self.process, title, here, there)
        return (
            gpu_copies.sampled(kind.gpu, *name, "GPU", spread_ppm=kind.gpu_ppm),
            gpu_copies.sampled(kind.processor, *name, "CPU", spread_ppm=kind.processor_ppm),
        )

    def _sized(self, rate: float) -> float:
        return gpu_copies.with_gaps(rate, self.elements * INT_BYTES)

    def _sampled(self, rate: float, *name: object) -> float:
        return gpu_copies.sampled(rate, self.world.seed, self.gpus[0].node, self.process, *name)
