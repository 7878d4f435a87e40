"""Counters of ports: what has been sent, received, waited for, paused and dropped until a time.

One entry for each direction of a link serves both of its ends, so that they cannot disagree. Bytes are those that port
counters count: payload and headers (see `capacity`). XmitWait of Quantum switches and of ConnectX counts a tick for
each eight bytes that the port could have sent meanwhile (NVIDIA, ibdiagnet manual, "Congestion Assessment on InfiniBand
Links"; that ConnectX does it like Quantum is a guess). Congestion notifications (CNPs: BTH and 16 bytes, a packet each)
are counted on the links of hosts, in their own priority; between switches they are left out.
"""

from __future__ import annotations

from engine.kernel.units import SECOND
from engine.physics import links
from engine.physics.traffic import capacity, ledger
from engine.physics.traffic.routes import unseen
from engine.world.records import Volume
from engine.world.world import World

_TICK_BITS = 64
_MILLION = 1_000_000


def sent(world: World, port: str, time: int, priority: int | None = None) -> int:
    """Bytes that have left a port until `time`: of one priority, or of all."""
    return _bytes(world, port, _volume(world, port, time, priority))


def received(world: World, port: str, time: int, priority: int | None = None) -> int:
    """Bytes that have come in by a port."""
    return sent(world, _far(world, port), time, priority)


def packets_sent(world: World, port: str, time: int, priority: int | None = None) -> int:
    """Packets that have left a port."""
    return _volume(world, port, time, priority).packets // SECOND


def packets_received(world: World, port: str, time: int, priority: int | None = None) -> int:
    """Packets that have come in by a port."""
    return packets_sent(world, _far(world, port), time, priority)


def xmit_wait(world: World, port: str, time: int) -> int:
    """InfiniBand's PortXmitWait: ticks in which the port had data to send and no credits. They are ticks of the port at
    its full rate, so that the counter doesn't fall when the link does.
    """
    rate = links.place(world.inventory, port).device.rate * capacity.GIGA
    return _volume(world, port, time, None).waiting * rate // (_TICK_BITS * _MILLION * SECOND)


def paused(world: World, port: str, time: int, priority: int) -> int:
    """Microseconds in which the far end kept the port from sending: rx_prioN_pause_duration here, tx_... there."""
    return _volume(world, port, time, priority).waiting // (_MILLION * 1000)


def pauses_received(world: World, port: str, time: int, priority: int) -> int:
    """Pause frames that have come in by a port."""
    return _volume(world, port, time, priority).pauses // SECOND


def pauses_sent(world: World, port: str, time: int, priority: int) -> int:
    """Pause frames that have left a port, to stop what comes in by it."""
    return pauses_received(world, _far(world, port), time, priority)


def dropped(world: World, port: str, time: int, priority: int | None = None) -> int:
    """Bytes of payload that were to leave by a port and were discarded before."""
    return _volume(world, port, time, priority).dropped // ledger.BYTE


def dropped_at_host(world: World, port: str, time: int, priority: int | None = None) -> int:
    """Bytes of payload that came in by a host's port and found no room: rx_prioN_discards."""
    return _volume(world, ledger.at_host(port), time, priority).dropped // ledger.BYTE


def marked(world: World, port: str, time: int, priority: int | None = None) -> int:
    """Packets that left a port with a mark that it had put there."""
    return _volume(world, port, time, priority).marked // SECOND


def _far(world: World, port: str) -> str:
    """The entry of what comes in by a port: the far end's, or the network's that is left out."""
    return links.peer(world.inventory, port) or unseen(port)


def _volume(world: World, link: str, time: int, priority: int | None) -> Volume:
    total = Volume()
    for entry in (link, *_notifications(world, link)):
        for number, volume in ledger.totals(world.traffic[entry], time):
            if priority in (None, number):
                total = total.plus(volume)
    return total


def _notifications(world: World, link: str) -> tuple[str, ...]:
    """The entries of the notifications that leave a host by its port, or a switch for the host behind it."""
    if link not in world.inventory.cables or not world.roce_traffic.generation:
        return ()
    if capacity.of_a_host(link):
        return (ledger.told_by(link),)
    host = ledger.host_behind(world, link)
    return (ledger.heard_at(host),) if host else ()


def _bytes(world: World, link: str, volume: Volume) -> int:
    return (volume.bits + 8 * volume.packets * capacity.header(world, link)) // ledger.BYTE
