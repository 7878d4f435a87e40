"""The queue pairs of a collective between two adapters: where switches choose ways by a hash, each goes its own.

NCCL makes a queue pair for each channel and connection (NCCL_IB_QPS_PER_CONNECTION 1); four on an adapter is a guess.
"""

from __future__ import annotations

from dataclasses import replace

from engine.physics import links
from engine.physics.traffic import capacity
from engine.world.records import Flow
from engine.world.world import World

_QUEUE_PAIRS = 4


def queue_pairs(world: World, flow: Flow) -> list[Flow]:
    """The flows that one between two adapters consists of: itself, unless its first switch hashes."""
    far = links.peer(world.inventory, flow.source) if capacity.ethernet(world, flow.source) else None
    switch = (far or "").partition("/")[0]
    if switch not in world.inventory.switches or world.ethernet_switches[switch].adaptive:
        return [flow]
    part = flow.rate // _QUEUE_PAIRS
    rates = [flow.rate - part * (_QUEUE_PAIRS - 1), *[part] * (_QUEUE_PAIRS - 1)]
    return [replace(flow, rate=rate, entropy=number) for number, rate in enumerate(rates) if rate]
