"""What Ethernet ports of a RoCE network had counted before the site's start, beside bytes and packets.

A network that has been at work for weeks has seen bursts: some pause frames, marks and notifications, now and then a
lost packet. All by hash of seed and port, the same in every run; both ends of a link agree. Only lossless priorities
know pause. Figures are guesses: one pause in some million packets, notifications for one in some ten thousand.
"""

from __future__ import annotations

from engine.kernel.random import hash64
from engine.physics import counter_history, links
from engine.world.records import RoceVolume
from engine.world.records.ethernet import PRIORITIES
from engine.world.world import World

_PACKET = 4158
_PACKETS_A_PAUSE, _PACKETS_A_MARK, _MARKS_A_NOTICE = 3_000_000, 12_000, 3
_MICROSECONDS_A_PAUSE = 9


def lossless(world: World, port: str) -> int | None:
    """The priority that a port kept lossless when the site began, or None."""
    obeyed = world.plan.first_qos(port).pause_obeyed
    return next((priority for priority in range(PRIORITIES) if obeyed[priority]), None)


def rdma_priority(world: World, port: str) -> int:
    """The priority in which the port of an adapter had sent RDMA."""
    qos, asked = world.plan.first_qos(port), world.plan.first_roce.traffic_class or 0
    return qos.priorities[asked >> 2] if qos.trust == "dscp" else qos.default_priority


def packets(world: World, port: str, *, sent: bool) -> int:
    """Packets that had left or reached a port."""
    return 4 * counter_history.words(world, port, sent=sent) // _PACKET


def pauses(world: World, port: str, priority: int) -> int:
    """Pause frames that had come in by a port, to stop what leaves it."""
    far = links.peer(world.plan, port)
    if far is None or priority not in (lossless(world, port), lossless(world, far)):
        return 0
    if lossless(world, port) != lossless(world, far):
        return 0
    chance = hash64(world.seed, "pauses before", port)
    return packets(world, port, sent=True) // (_PACKETS_A_PAUSE + chance % (20 * _PACKETS_A_PAUSE))


def paused(world: World, port: str, priority: int) -> int:
    """Microseconds in which the far end had kept a port from sending."""
    return pauses(world, port, priority) * _MICROSECONDS_A_PAUSE


def notices(world: World, port: str) -> RoceVolume:
    """What an adapter's port had noticed; nothing where no priority was lossless (nobody had set RoCE up)."""
    if lossless(world, port) is None or not counter_history.in_use(world.plan, port):
        return RoceVolume()
    chance = hash64(world.seed, "notices before", port)
    marked = packets(world, port, sent=False) // (_PACKETS_A_MARK + chance % (30 * _PACKETS_A_MARK))
    heard = packets(world, port, sent=True) // ((_PACKETS_A_MARK + (chance >> 20) % (30 * _PACKETS_A_MARK)) * 3)
    lost = (chance >> 40) % 9
    return RoceVolume(
        marked=marked,
        told=marked // _MARKS_A_NOTICE,
        gaps=3 * ((chance >> 44) % 7),
        heard=heard,
        resent=lost,
        timeouts=lost // 3,
    )
