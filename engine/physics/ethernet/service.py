"""How an adapter sends a RoCE flow as its settings are now: its DSCP, whether it slows down, how large its packets are.

A flow says what its program asked for. `traffic_class` of the port overrides that (MLNX_OFED: the file traffic_class of
an RDMA device is the class of all its packets). A sender slows down if its reaction point is on for the priority and
the receiver's notification point too; without the latter its packets are marked all the same. Notifications (CNPs) that
switches or the receiver put into the class of the data arrive late: by 100 us, a guess.
"""

from __future__ import annotations

from dataclasses import replace

from engine.kernel.quick_dataclass import dataclass
from engine.physics.paths import network
from engine.physics.traffic import capacity
from engine.world.records import Flow, PortQos, RoceSettings, ServiceClass
from engine.world.world import World

LATE_NS = 100_000
"""How much later a notification comes that has to wait in the class of the data. A guess."""


@dataclass(frozen=True, slots=True)
class Sender:
    """What a port of a host does with RDMA: its settings, and bytes of payload in its packets."""

    qos: PortQos
    roce: RoceSettings
    size: int


class Senders:
    """The ports of a world as it stands; for many flows in a row, between which nothing changes."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._known: dict[str, Sender | None] = {}
        self._alike: dict[tuple[int, int, int], Sender] = {}
        self._sent: dict[tuple[ServiceClass, int, int], ServiceClass] = {}

    def sent_as(self, flow: Flow) -> ServiceClass:
        """What a flow is sent as. InfiniBand and TCP: as it asks."""
        here = self._sender(flow.source)
        if flow.service.tcp or here is None:
            return flow.service
        there = self._sender(flow.destination) or here
        key = flow.service, id(here), id(there)
        found = self._sent.get(key)
        if found is None:
            found = self._sent[key] = _sent_as(flow.service, here, there)
        return found

    def late(self, flow: Flow, sent: ServiceClass) -> int:
        """ns by which notifications for a flow are late."""
        there = self._sender(flow.destination)
        if there is None or not sent.reacts:
            return 0
        if _mixed_by_receiver(there, sent.dscp):
            return LATE_NS
        marker, qos = there.roce.cnp_dscp, self._world.port_qos
        return LATE_NS if any(_mixed(qos[port], marker, sent.dscp) for port in flow.links[1:]) else 0

    def _sender(self, port: str) -> Sender | None:
        """How a port sends; ports that are set up alike share one."""
        if port not in self._known:
            world, found = self._world, None
            if capacity.ethernet(world, port):
                qos, roce, size = world.port_qos[port], world.roce[port], network.packet_size(world, port)
                found = self._alike.setdefault((id(qos), id(roce), size), Sender(qos, roce, size))
            self._known[port] = found
        return self._known[port]


def dscp(roce: RoceSettings, asked: int) -> int:
    """The DSCP of the RDMA packets of a port whose program asked for another one."""
    return asked if roce.traffic_class is None else roce.traffic_class >> 2


def _sent_as(asked: ServiceClass, here: Sender, there: Sender) -> ServiceClass:
    own = dscp(here.roce, asked.dscp)
    capable = here.roce.reacts[here.qos.classified(own)]
    reacts = capable and there.roce.notifies[there.qos.classified(own)]
    return replace(asked, dscp=own, reacts=reacts, mtu=min(asked.mtu, here.size, there.size), capable=capable)


def _mixed_by_receiver(there: Sender, data: int) -> bool:
    """Whether the receiver sends notifications in the class in which it sends data."""
    classes = there.qos.classes
    return classes[there.roce.cnp_priority] == classes[there.qos.classified(data)]


def _mixed(qos: PortQos, marker: int, data: int) -> bool:
    """Whether a switch's port puts notifications and data into one class."""
    return qos.classes[qos.classified(marker)] == qos.classes[qos.classified(data)]
