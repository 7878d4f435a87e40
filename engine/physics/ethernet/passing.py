"""Whether anything of a RoCE flow gets through: its packets fit every port on the way, and no queue on it stands still
for good, by pause without end, in a circle of queues that wait for each other, or emptied by a watchdog.

A connection of which nothing gets through ends as one whose cable is gone: no answer comes.
"""

from __future__ import annotations

from engine.physics.ethernet.service import Senders
from engine.physics.traffic import capacity, ledger
from engine.world.records import WHOLE, Flow
from engine.world.world import World

_ALWAYS = WHOLE * 999 // 1000


def shut(world: World, flow: Flow) -> bool:
    """Whether nothing of a flow that has a way arrives. Other networks than Ethernet always let something through."""
    if flow.loop:
        return True
    if not (world.ethernet_ports.generation or world.ports.generation) or not capacity.ethernet(world, flow.source):
        return False
    sent = Senders(world).sent_as(flow)
    size = sent.mtu + capacity.largest_packet() - capacity.MTU
    priorities = ledger.priorities(world, flow, sent.dscp)
    return any(
        ledger.passes(world, link) < size or _stands(world, link, priority)
        for link, priority in zip(flow.links, priorities, strict=True)
    )


def _stands(world: World, link: str, priority: int) -> bool:
    """Whether nothing of a priority leaves a port any more."""
    traffic_class = world.port_qos[link].classes[priority]
    if any(queue.traffic_class == traffic_class for queue in world.ethernet_ports[link].stormed):
        return True
    volumes = world.traffic[link].now
    return any(number == priority and each.waiting >= _ALWAYS and not each.bits for number, each in volumes)
