"""The books of links: what is asked of each, by whom, what passes per second and what has passed.

Every change of a rate first adds what has passed since the last one to the totals, exactly.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence

from engine.kernel.units import SECOND
from engine.physics import links, optics
from engine.physics.ethernet import profile as ports
from engine.physics.ethernet.service import Senders
from engine.physics.traffic import capacity
from engine.physics.traffic.profiles import INFINIBAND, PLAIN, Profile
from engine.physics.traffic.routes import end_of_unseen
from engine.world.records import WHOLE, Bundle, Flow, PortQos, PortTraffic, RoceVolume, ServiceClass, Volume
from engine.world.world import World

BYTE = 8 * SECOND
"""A byte in bit/s x ns, in which what was moved is kept."""

_NOTICED = 12
"""One spoilt bit in 10^12 is about a packet in two seconds at 400 Gb/s."""

Volumes = Mapping[int, Volume]
_NOTHING = Volume()


def profile(world: World, port: str) -> Profile:
    """How a port treats classes of traffic."""
    if not capacity.ethernet(world, port):
        return INFINIBAND
    if end_of_unseen(port) is not None:
        return PLAIN
    known: dict[str, tuple[PortQos, Profile]] = world.inventory.once(("profiles",), dict)
    qos, entry = world.port_qos[port], known.get(port)
    if entry is None or entry[0] is not qos:
        rate = links.place(world.inventory, port).device.rate * capacity.GIGA
        entry = known[port] = (qos, ports.profile(qos, rate))
    return entry[1]


def host_behind(world: World, link: str) -> str | None:
    """The host's port at the far end of an egress port, or None."""
    far = end_of_unseen(link) or links.peer(world.inventory, link)
    return far if far and capacity.of_a_host(far) else None


def far_end(world: World, link: str) -> str | None:
    """The port of the site at the far end of an egress port, or None."""
    return end_of_unseen(link) or links.peer(world.inventory, link)


def at_host(port: str) -> str:
    """The entry under which stands what a host's port received and could not pass on to its memory."""
    return f"host>{port}"


def told_by(port: str) -> str:
    """The entry under which stands what a host's port sends of congestion notifications (CNPs)."""
    return f"told>{port}"


def heard_at(port: str) -> str:
    """The entry of the notifications that come to a host's port."""
    return f"heard>{port}"


def limit(world: World, link: str) -> int:
    """Payload in bit/s that passes an egress port at most, with what the host behind it can take."""
    wire, host = capacity.sends(world, link), host_behind(world, link)
    return min(wire, takes(world, host)) if host else wire


def takes(world: World, port: str) -> int:
    """Payload in bit/s that a host's port takes: what its bus moves, or less where its receiver is slow."""
    slow = world.ethernet_ports[port].takes if world.ethernet_ports.generation else None
    moves = capacity.moves(world, port)
    return moves if slow is None else min(slow, moves)


def sending(bundle: Bundle) -> tuple[Flow, ...]:
    """The flows of a bundle that send: none of a coupled bundle if one has no way."""
    ready = tuple(flow for flow in bundle.flows if flow.links)
    return () if bundle.coupled and len(ready) < len(bundle.flows) else ready


def full_shares(bundle: Bundle) -> tuple[int, ...]:
    """Shares of a bundle whose flows all get what they ask for, if they have a way."""
    if len(sending(bundle)) == len(bundle.flows):
        return (WHOLE,) * len(bundle.flows)
    return tuple(WHOLE if flow.links and not bundle.coupled else 0 for flow in bundle.flows)


def volume(flow: Flow, sent: ServiceClass, bits: int) -> Volume:
    """`bits` per second of a flow's payload, with its packets, and the waiting for its receiver if that is all that it
    asks for: where it is short, the solution tells who waits.
    """
    return Volume(bits, bits // (8 * sent.mtu), flow.held if bits >= flow.rate else 0)


def priorities(world: World, flow: Flow, dscp: int) -> list[int]:
    """The priority of a flow's packets where they leave each of its egress ports: by the port that they came in by."""
    came = [flow.links[0], *(links.peer(world.inventory, link) or link for link in flow.links[:-1])]
    return [profile(world, port).priority(dscp) for port in came]


def scarce(world: World, touched: Iterable[str], owners: Iterable[str]) -> bool:
    """Whether one of the links is asked for more than it carries, or one of the owners is short already."""
    if any(part < WHOLE for owner in owners for part in world.bundles[owner].shares):
        return True
    if world.ethernet_switches.generation and any(flow.loop for owner in owners for flow in world.bundles[owner].flows):
        return True
    return any(world.traffic[link].asked > limit(world, link) or disturbed(world, link) for link in touched)


def disturbed(world: World, link: str) -> bool:
    """Whether something other than too much traffic may stop packets on a link: pause without end, a queue that is
    locked or in the hands of a watchdog, or a port that takes small packets alone.
    """
    far = links.peer(world.inventory, link)
    if world.ethernet_ports.generation:
        own = world.ethernet_ports[link]
        if own.locked or own.stormed or (far and world.ethernet_ports[far].floods):
            return True
    return passes(world, link) < capacity.largest_packet() or spoils(world, link)


def spoils(world: World, link: str) -> bool:
    """Whether an Ethernet link spoils so many packets that its receivers notice."""
    cable = links.cable(world.inventory, link)
    if cable is None or not (world.cables.generation or world.connectors.generation or world.optics.generation):
        return False
    return capacity.ethernet(world, link) and optics.worst_exponent(world, cable) <= _NOTICED


def passes(world: World, link: str) -> int:
    """Bytes of the largest packet that passes an Ethernet link: the smaller of what its ends were set to."""
    if not world.ports.generation or not capacity.ethernet(world, link):
        return capacity.JUMBO
    far = links.peer(world.inventory, link)
    return min(world.ports[end].mtu or capacity.JUMBO for end in ([link, far] if far else [link]))


def at_rest(world: World, link: str) -> dict[int, Volume]:
    """What passes a link without any flow: pause frames that its far end sends without end."""
    far = links.peer(world.inventory, link) if world.ethernet_ports.generation else None
    floods = world.ethernet_ports[far].floods if far else ()
    obeyed = profile(world, link).pause_obeyed
    frames = capacity.pause_frames(world, link) if floods else 0
    return {each: Volume(waiting=WHOLE if obeyed[each] else 0, pauses=frames) for each in floods}


def rate(bundle: Bundle) -> int:
    """Bit/s of payload that arrives for a bundle now."""
    return sum(flow.rate * part // WHOLE for flow, part in zip(bundle.flows, bundle.shares, strict=True))


def moved_until(bundle: Bundle, time: int) -> int:
    """What has arrived for a bundle until `time` (bit/s x ns)."""
    return bundle.moved + rate(bundle) * max(time - bundle.since, 0)


def enter(world: World, owner: str, bundle: Bundle, now: int) -> None:
    """Enter a bundle's flows on their links, as if each got what it asks for."""
    for link, (asked, volumes) in _by_link(world, sending(bundle)).items():
        entry = folded(world.traffic[link], now)
        owners = tuple(sorted({*entry.owners, owner}))
        passing = _added(entry.now, volumes, 1)
        world.traffic[link] = dataclasses.replace(entry, now=passing, asked=entry.asked + asked, owners=owners)


def leave(world: World, owner: str, bundle: Bundle, now: int) -> None:
    """Take a bundle's flows off their links. If it was short, what still passes has to be worked out anew."""
    whole = all(part == WHOLE for part in bundle.shares)
    for link, (asked, volumes) in _by_link(world, sending(bundle)).items():
        entry = folded(world.traffic[link], now)
        owners = tuple(one for one in entry.owners if one != owner)
        passing = _added(entry.now, volumes, -1) if whole else entry.now
        world.traffic[link] = dataclasses.replace(entry, now=passing, asked=entry.asked - asked, owners=owners)
        if not owners:
            put(world, link, at_rest(world, link), now)
    for flow in bundle.flows:
        for entered in (at_host(flow.destination), told_by(flow.destination), heard_at(flow.source)):
            put(world, entered, {}, now)
        notice_sending(world, flow.source, RoceVolume(), now)
        notice_receiving(world, flow.destination, RoceVolume(), now)


def put(world: World, link: str, volumes: Volumes, now: int) -> None:
    """What passes a link from now on."""
    passing = tuple(sorted((number, volume) for number, volume in volumes.items() if volume != _NOTHING))
    if passing != world.traffic[link].now:
        world.traffic[link] = dataclasses.replace(folded(world.traffic[link], now), now=passing)


def notice_sending(world: World, port: str, volume: RoceVolume, now: int) -> None:
    """What a host's port notices as sender from now on; what it receives may have nothing to do with that."""
    own = {"heard": volume.heard, "resent": volume.resent, "timeouts": volume.timeouts}
    _notice(world, port, dataclasses.replace(world.roce_traffic[port].now, **own), now)


def notice_receiving(world: World, port: str, volume: RoceVolume, now: int) -> None:
    """What a host's port notices as receiver from now on."""
    own = {"marked": volume.marked, "told": volume.told, "gaps": volume.gaps}
    _notice(world, port, dataclasses.replace(world.roce_traffic[port].now, **own), now)


def _notice(world: World, port: str, volume: RoceVolume, now: int) -> None:
    entry = world.roce_traffic[port]
    if volume != entry.now:
        total = entry.total.plus(entry.now, now - entry.since)
        world.roce_traffic[port] = dataclasses.replace(entry, since=now, now=volume, total=total)


def add(world: World, link: str, priority: int, volume: Volume) -> None:
    """Count what passed a link in a moment (in total, times ns)."""
    entry = world.traffic[link]
    world.traffic[link] = dataclasses.replace(entry, total=_added(entry.total, {priority: volume}, 1))


def add_notice(world: World, port: str, volume: RoceVolume) -> None:
    """Count what a host's port noticed in a moment (in total, times ns)."""
    entry = world.roce_traffic[port]
    world.roce_traffic[port] = dataclasses.replace(entry, total=entry.total.plus(volume))


def credit(world: World, flow: Flow, bits: int, duration: int) -> None:
    """Count what a flow has sent at `bits` per second for `duration` ns before now."""
    sent = Senders(world).sent_as(flow)
    for link, priority in zip(flow.links, priorities(world, flow, sent.dscp), strict=True):
        entry = world.traffic[link]
        past = {priority: _NOTHING.plus(volume(flow, sent, bits), duration)}
        world.traffic[link] = dataclasses.replace(entry, total=_added(entry.total, past, 1))


def folded(entry: PortTraffic, now: int) -> PortTraffic:
    """The same entry with what has passed until `now` in its totals."""
    if entry.since == now:
        return entry
    return dataclasses.replace(entry, since=now, total=totals(entry, now))


def totals(entry: PortTraffic, time: int) -> tuple[tuple[int, Volume], ...]:
    """What has passed until `time`, by priority (per second x ns)."""
    return _added(entry.total, dict(entry.now), time - entry.since)


def _by_link(world: World, flows: Sequence[Flow]) -> dict[str, tuple[int, dict[int, Volume]]]:
    """What flows ask of each link, in all and by priority."""
    found: dict[str, tuple[int, dict[int, Volume]]] = {}
    senders = Senders(world)
    for flow in flows:
        sent = senders.sent_as(flow)
        one = volume(flow, sent, flow.rate)
        for link, priority in zip(flow.links, priorities(world, flow, sent.dscp), strict=True):
            asked, volumes = found.get(link) or (0, {})
            volumes[priority] = volumes[priority].plus(one) if priority in volumes else one
            found[link] = (asked + flow.rate, volumes)
    return found


def _added(before: tuple[tuple[int, Volume], ...], more: Volumes, times: int) -> tuple[tuple[int, Volume], ...]:
    volumes = dict(before)
    for priority, one in more.items():
        volumes[priority] = volumes.get(priority, _NOTHING).plus(one, times)
    return tuple(sorted((priority, one) for priority, one in volumes.items() if one != _NOTHING))
