"""Receivers that take less than comes: how long the ports on the way wait for them.

An adapter whose way to its host's memory is slower than its wire (a PCI Express link that runs narrow or slow; small
read requests slow only what it sends) gives no more credits than it drains. A packet then takes its time at the
receiver's rate instead of the wire's, and for the difference the port of the switch before it has data and no credits;
so have those before it, back to the sender. Of two ends that are equally slow the sender's is what limits, and nobody
waits.
Source: credits of the InfiniBand architecture; that the whole way waits alike is a simplification.
"""

from __future__ import annotations

from engine.physics import links
from engine.physics.paths import network, pcie
from engine.physics.traffic import capacity
from engine.world.inventory import Hca
from engine.world.world import World

_MILLION = 1_000_000
_BITS = 8 * capacity.GIGA
_CLEARLY = 0.98
_FULL = 0.85


def held(world: World, source: str, destination: str, rate: int, *, steady: bool = False) -> int:
    """Part of the time (ppm) in which ports wait for the receiver of `rate` bit/s. What comes `steady` is held only if
    it is about all that the receiver takes; collectives come in bursts at the rate of the wire.
    """
    if source == destination or capacity.ethernet(world, destination):
        return 0
    wire, takes, sends = capacity.carries(world, destination), _writes(world, destination), _reads(world, source)
    if not wire or takes >= min(wire, sends) * _CLEARLY or (steady and rate < takes * _FULL):
        return 0
    return max(0, min(_MILLION, int(rate / takes * _MILLION)) - int(rate / wire * _MILLION))


def _writes(world: World, port: str) -> float:
    """Bit/s that an adapter writes to the memory of its host."""
    hca = _adapter(world, port)
    return pcie.rdma(*pcie.slowest(world, hca.node, pcie.cached_hops(world, hca.node, hca.address))) * _BITS


def _reads(world: World, port: str) -> float:
    """Bit/s that an adapter reads from there."""
    return network.host_memory(world, _adapter(world, port).id) * _BITS


def _adapter(world: World, port: str) -> Hca:
    hca = links.place(world.inventory, port).device
    assert isinstance(hca, Hca)
    return hca
