"""Ethernet fabrics under RoCE: ports, queues and switches."""

from __future__ import annotations

from engine.facts.fact import View, fact
from engine.facts.kinds import Port
from engine.physics.ethernet import profile, service
from engine.physics.traffic import capacity, counters, headroom, ledger
from engine.world.world import World


def _priority(world: World, port: str) -> int:
    """The priority that a port gives packets with the site's DSCP of RoCE."""
    return world.port_qos[port].classified(service.dscp(world.inventory.first_roce, 0))


@fact("roce.floods")
def floods(view: View, port: Port) -> bool:
    """Whether it sends pause frames without end."""
    return bool(view.world.ethernet_ports[port].floods)


@fact("roce.receives_slowly")
def receives_slowly(view: View, port: Port) -> bool:
    """Whether an adapter's port takes less than its bus moves."""
    return view.world.ethernet_ports[port].takes is not None


@fact("roce.lossless")
def lossless(view: View, port: Port) -> bool:
    """Whether it knows the site's RoCE packets, and sends and obeys pause for them."""
    qos, priority = view.world.port_qos[port], _priority(view.world, port)
    return qos.pause_sent[priority] and qos.pause_obeyed[priority]


@fact("roce.marks")
def marks(view: View, port: Port) -> bool:
    """Whether it marks RoCE packets that meet congestion (a switch's port)."""
    qos = view.world.port_qos[port]
    return qos.marks[qos.classes[_priority(view.world, port)]]


@fact("roce.headroom_enough")
def headroom_enough(view: View, port: Port) -> bool:
    """Whether its headroom is enough for its rate and its cable; no cable needs none."""
    cable = view.world.inventory.cables.get(port)
    rate = capacity.carries(view.world, port)
    return cable is None or profile.room(view.world.port_qos[port], rate) >= headroom.needed(rate, cable.length_m)


@fact("roce.largest_packet")
def largest_packet(view: View, port: Port) -> int:
    """Bytes of the largest packet that passes its link: the smaller of what both ends were set to."""
    return ledger.passes(view.world, port)


@fact("roce.paused")
def paused(view: View, port: Port) -> bool:
    """Whether the far end keeps it from sending RoCE packets most of the time."""
    priority = _priority(view.world, port)
    return any(number == priority and each.waiting > 500_000 for number, each in view.world.traffic[port].now)


@fact("roce.pauses_sent")
def pauses_sent(view: View, port: Port) -> int:
    """How many pause frames it has sent for RoCE since the site's start."""
    return counters.pauses_sent(view.world, port, view.now, _priority(view.world, port))


@fact("roce.locked")
def locked(view: View, port: Port) -> bool:
    """Whether one of its queues stands still in a circle of queues that wait for each other."""
    return bool(view.world.ethernet_ports[port].locked)


@fact("roce.stormed")
def stormed(view: View, port: Port) -> bool:
    """Whether its PFC watchdog has a queue in hand."""
    return bool(view.world.ethernet_ports[port].stormed)


@fact("roce.watched")
def watched(view: View, port: Port) -> bool:
    """Whether its PFC watchdog is on."""
    return view.world.port_qos[port].watchdog.on
