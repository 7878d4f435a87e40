"""The counters of an Ethernet adapter's port, under the names of mlx5: one reading for ethtool, sysfs and rdma.

Data is that of the traffic model (engine.physics.traffic.counters), of what was before the site's start, and of the
host's own small traffic, which rides in priority 0. Pause, drops and marks are those of the link, so the switch at the
other end counts the same. Meanings: Linux's ethtool counters of mlx5 (Documentation/networking), rdma's hw_counters.
Guesses: a pause has one transition; a storm warning comes for each three seconds of pause sent; a write request for
each 16 packets; the share of symbol errors among lanes.
"""

from __future__ import annotations

from collections.abc import Mapping

from engine.control import network
from engine.kernel.units import SECOND
from engine.physics import host_interfaces, link_quality, links, port_counters
from engine.physics.ethernet import past
from engine.physics.traffic import capacity, counters
from engine.world.inventory import Hca
from engine.world.records import RoceVolume
from engine.world.records.ethernet import PRIORITIES
from engine.world.world import World

_WORD = 4
_MICROSECONDS_A_WARNING = 3_000_000
_PACKETS_A_REQUEST = 16
_LANES = 4
_NOTICE_BYTES = 78
_HEADERS = 62


class Reading:
    """A port's counters at a time; each is worked out when it is asked for."""

    def __init__(self, world: World, hca: Hca, now: int) -> None:
        self.world, self.hca, self.now, self.port = world, hca, now, hca.port
        self.kernel = network.counters(world, hca.node, hca.netdev, now)
        self.far = links.peer(world.inventory, hca.port)

    def rdma_bytes(self, *, sent: bool) -> int:
        """Bytes of all flows since the counters began."""
        name = "port_xmit_data" if sent else "port_rcv_data"
        return _WORD * port_counters.value(self.world, self.port, name, self.now)

    def rdma_packets(self, *, sent: bool) -> int:
        """Packets of all flows; those from before the site's start were large ones."""
        known = counters.packets_sent if sent else counters.packets_received
        older = max(0, self.rdma_bytes(sent=sent) - self._flows(sent=sent))
        size = host_interfaces.roce_payload(host_interfaces.port_mtu(self.world, self.hca)) + _HEADERS
        return known(self.world, self.port, self.now) + older // size

    def _flows(self, *, sent: bool, priority: int | None = None) -> int:
        known = counters.sent if sent else counters.received
        return known(self.world, self.port, self.now, priority)

    def bytes_of(self, priority: int, *, sent: bool) -> int:
        """Bytes of one priority; what was before the site's start is in the one that RDMA had then."""
        found = self._flows(sent=sent, priority=priority)
        if priority == past.rdma_priority(self.world, self.port):
            found += max(0, self.rdma_bytes(sent=sent) - self._flows(sent=sent))
            found -= _NOTICE_BYTES * self._older_notices(sent=sent)
        if priority == self.world.plan.first_roce.cnp_priority:
            found += _NOTICE_BYTES * self._older_notices(sent=sent)
        if priority == 0:
            found += self.kernel.tx_bytes if sent else self.kernel.rx_bytes
        return found

    def packets_of(self, priority: int, *, sent: bool) -> int:
        """Packets of one priority."""
        known = counters.packets_sent if sent else counters.packets_received
        found = known(self.world, self.port, self.now, priority)
        if priority == past.rdma_priority(self.world, self.port):
            found += self.rdma_packets(sent=sent) - known(self.world, self.port, self.now)
            found -= self._older_notices(sent=sent)
        if priority == self.world.plan.first_roce.cnp_priority:
            found += self._older_notices(sent=sent)
        if priority == 0:
            found += self.kernel.tx_packets if sent else self.kernel.rx_packets
        return found

    def _older_notices(self, *, sent: bool) -> int:
        """Congestion notifications of before the site's start."""
        found = past.notices(self.world, self.port)
        return found.told if sent else found.heard

    def pauses(self, priority: int, *, sent: bool) -> int:
        """Pause frames; those that are sent stop the far end."""
        if not sent:
            before = past.pauses(self.world, self.port, priority)
            return before + counters.pauses_received(self.world, self.port, self.now, priority)
        before = past.pauses(self.world, self.far, priority) if self.far else 0
        return before + counters.pauses_sent(self.world, self.port, self.now, priority)

    def paused(self, priority: int, *, sent: bool) -> int:
        """Microseconds in which this end (or, of pause that is sent, the far end) kept still."""
        end = self.far if sent else self.port
        if end is None:
            return 0
        return past.paused(self.world, end, priority) + counters.paused(self.world, end, self.now, priority)

    def dropped(self, priority: int | None = None) -> int:
        """Packets that came in and found no room."""
        octets = counters.dropped_at_host(self.world, self.port, self.now, priority)
        return octets // host_interfaces.roce_payload(host_interfaces.port_mtu(self.world, self.hca))

    def total(self, count: str, *, sent: bool) -> int:
        """Of `pauses` or `paused`, over all priorities."""
        return sum(getattr(self, count)(priority, sent=sent) for priority in range(PRIORITIES))

    def errors(self) -> Mapping[str, int]:
        """Errors of the link, under the names of sysfs."""
        return port_counters.errors(self.world, self.port, self.now)

    def corrected_bits(self) -> int:
        """Bits that error correction mended: the rate of the bare signal over the time since the adapter began."""
        raw = link_quality.before_correction(self.world, self.port)
        seconds = max(0, self.now - self.world.nodes[self.hca.node].booted_at) // SECOND
        rate = links.rate(self.world, self.port) * capacity.GIGA
        return raw.hundredths * rate * seconds // (100 * 10**raw.exponent) if raw.hundredths else 0

    def corrected_of(self, lane: int) -> int:
        """The part of one lane."""
        parts = (28, 23, 26, 23)
        return self.corrected_bits() * parts[lane % _LANES] // 100

    def stalled(self) -> int:
        """Percent of the time in which the bus to the host had no room for what came in, now."""
        wire = capacity.carries(self.world, self.port)
        moved = capacity.moves(self.world, self.port)
        slow = self.world.ethernet_ports[self.port].takes
        takes = min(moved, slow) if slow is not None else moved
        if takes >= wire or not self.far or not self.world.traffic[self.far].now:
            return 0
        passing = sum(volume.bits for _, volume in self.world.traffic[self.far].now)
        return 100 * (wire - takes) // wire if passing * 10 >= takes * 9 else 0

    def noticed(self) -> RoceVolume:
        """What the port has noticed of marks and losses in all."""
        entry = self.world.roce_traffic[self.port]
        here = entry.total.plus(entry.now, self.now - entry.since)
        found = past.notices(self.world, self.port)
        return RoceVolume(
            marked=found.marked + here.marked // SECOND,
            told=found.told + here.told // SECOND,
            gaps=found.gaps + here.gaps // SECOND,
            heard=found.heard + here.heard // SECOND,
            resent=found.resent + here.resent // SECOND,
            timeouts=found.timeouts + here.timeouts // SECOND,
        )


def hardware(world: World, hca: Hca, now: int) -> dict[str, int]:
    """The counters of rdma's hw_counters that something makes, by name; all others of an Ethernet port are 0."""
    reading = Reading(world, hca, now)
    seen = reading.noticed()
    return {
        "np_ecn_marked_roce_packets": seen.marked,
        "np_cnp_sent": seen.told,
        "rp_cnp_handled": seen.heard,
        "out_of_sequence": seen.gaps,
        "packet_seq_err": seen.resent,
        "local_ack_timeout_err": seen.timeouts,
        "rx_write_requests": reading.rdma_packets(sent=False) // _PACKETS_A_REQUEST,
        "lifespan": 12,
    }


def storm_warnings(reading: Reading) -> int:
    """How often the adapter noticed that it had sent pause for long."""
    before = sum(past.paused(reading.world, reading.far, each) for each in range(PRIORITIES)) if reading.far else 0
    return (reading.total("paused", sent=True) - before) // _MICROSECONDS_A_WARNING
