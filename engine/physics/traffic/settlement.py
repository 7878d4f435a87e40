"""From owners that share scarce links to a solved problem, and its result to the books.

What has to do with a change are all owners that are connected with it by links, directly or over others: a pause may
travel along any of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.kernel.units import SECOND
from engine.physics.ethernet import goodput
from engine.physics.ethernet.service import Senders
from engine.physics.paths import network
from engine.physics.traffic import capacity, ledger
from engine.physics.traffic.layout import Channel
from engine.physics.traffic.observing import Observation, observe
from engine.physics.traffic.problem import Demand, Link, Problem
from engine.physics.traffic.profiles import Profile
from engine.physics.traffic.routes import end_of_unseen
from engine.physics.traffic.solving import Solution, solve
from engine.world.records import WHOLE, Bundle, Flow, RoceVolume, ServiceClass, Volume
from engine.world.world import World

NEWCOMER = ""
"""The owner of a bundle that is only tried out."""

_MILLION = 1_000_000
_TIME_TO_LIVE = 64
"""Hops of an IP packet that RDMA devices send (mlx5's default)."""

_NOTIFICATION_BITS = 16 * 8
_MUCH = 0.5
_DROP, _FORWARD = "drop", "forward"
_UNKNOWN_LENGTH = 5


@dataclass(frozen=True, slots=True)
class Settled:
    """What owners that are connected get: their flows in order and what they are sent as, and the solution of their
    demands.
    """

    flows: tuple[tuple[str, Flow], ...]
    sent: tuple[ServiceClass, ...]
    solution: Solution
    seen: Observation

    def delivered(self, world: World, number: int) -> int:
        """Bit/s of a flow's payload that arrive and are of use."""
        (_, flow), sent, rates = self.flows[number], self.sent[number], self.seen.rates[number]
        if flow.loop:
            return 0
        if sent.tcp or not capacity.ethernet(world, flow.source):
            return rates[-1]
        return goodput.in_order(rates[0], rates[-1], sent.mtu)

    def paused(self) -> list[tuple[str, int]]:
        """Queues, as (egress port, traffic class), that their receivers stop for half of the time or more."""
        layout, waiting = self.solution.layout, self.seen.stopped
        found = {step.channel for steps in layout.steps for step in steps if waiting[step.channel] >= _MUCH}
        return sorted((layout.channels[each].link, layout.channels[each].traffic_class) for each in found)

    def circles(self) -> list[tuple[tuple[str, int], ...]]:
        """Queues that wait for each other."""
        channels = self.solution.layout.channels
        return [
            tuple((channels[each].link, channels[each].traffic_class) for each in circle if not channels[each].drain)
            for circle in self.seen.deadlocks
        ]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a settlement changed: owners whose share is another one, queues that are paused most of the time, and those
    that wait for each other in circles.
    """

    changed: list[str]
    paused: list[tuple[str, int]]
    circles: list[tuple[tuple[str, int], ...]]


def connected(world: World, owners: Iterable[str]) -> list[str]:
    """These owners and all that share a link with one of them, or with one that does; sorted."""
    found, todo, links = set[str](), list(owners), set[str]()
    while todo:
        owner = todo.pop()
        if owner in found:
            continue
        found.add(owner)
        for flow in ledger.sending(world.bundles[owner]):
            for link in flow.links:
                if link not in links:
                    links.add(link)
                    todo += world.traffic[link].owners
    return sorted(found)


def settled(world: World, bundles: dict[str, Bundle]) -> Settled:
    """The solution of what these bundles ask. Channels of InfiniBand that wait for each other in a circle carry
    nothing; on Ethernet they do so once they are locked (engine.physics.ethernet.locks).
    """
    flows = tuple((owner, flow) for owner, bundle in bundles.items() for flow in ledger.sending(bundle))
    senders = Senders(world)
    sent = tuple(senders.sent_as(flow) for _, flow in flows)
    groups = {owner for owner, bundle in bundles.items() if bundle.coupled}
    demands = tuple(
        Demand(
            flow.links,
            flow.rate,
            service.dscp,
            service.tcp,
            service.reacts and not flow.loop,
            service.mtu,
            owner if owner in groups else None,
            senders.late(flow, service),
            flow.loop,
            _TIME_TO_LIVE // flow.loop if flow.loop else 0,
            service.capable,
        )
        for (owner, flow), service in zip(flows, sent, strict=True)
    )
    names = dict.fromkeys(link for _, flow in flows for link in flow.links)
    links = {name: _link(world, name) for name in names}
    problem = _with_latches(world, Problem(links, demands, _drains(world, links)))
    solution = solve(problem)
    seen = observe(solution)
    if seen.deadlocks:
        stuck = [solution.layout.channels[number] for circle in seen.deadlocks for number in circle]
        locked = {(each.link, each.traffic_class) for each in stuck if not each.drain}
        fresh = {each for each in locked if not capacity.ethernet(world, each[0])}
        if fresh:
            solution = solve(dataclasses.replace(problem, stopped=problem.stopped | fresh))
            seen = observe(solution)
    return Settled(flows, sent, solution, seen)


def _with_latches(world: World, problem: Problem) -> Problem:
    """With what is latched in Ethernet ports: pause without end, locked queues, queues that a watchdog has in hand."""
    if not world.ethernet_ports.generation:
        return problem
    stopped, deaf, sinks = set[tuple[str, int]](), set[tuple[str, int]](), set[tuple[str, int]]()
    for name, link in problem.links.items():
        own, far = world.ethernet_ports[name], ledger.far_end(world, name)
        stopped |= {(name, each) for each in own.locked}
        floods = world.ethernet_ports[far].floods if far else ()
        stopped |= {(name, link.sender.classes[each]) for each in floods if link.sender.pause_obeyed[each]}
        for queue in own.stormed:
            if queue.action in (_DROP, _FORWARD):
                (sinks if queue.action == _DROP else deaf).add((name, queue.traffic_class))
    return dataclasses.replace(problem, stopped=frozenset(stopped - deaf), deaf=frozenset(deaf), sinks=frozenset(sinks))


def settle(world: World, owners: Iterable[str], now: int) -> Outcome:
    """Divide all links that have to do with these owners and enter the result."""
    bundles = {owner: world.bundles[owner] for owner in connected(world, owners)}
    found = settled(world, bundles)
    _enter_onsets(world, found)
    _enter_volumes(world, found, now)
    _enter_notices(world, found, now)
    delivered: dict[str, list[int]] = {owner: [] for owner in bundles}
    for number, (owner, flow) in enumerate(found.flows):
        arrived = found.delivered(world, number)
        delivered[owner].append(arrived * WHOLE // flow.rate if flow.rate else WHOLE)
    changed = []
    for owner, bundle in bundles.items():
        shares = _shares(bundle, delivered[owner])
        if shares != bundle.shares:
            arrived = ledger.moved_until(bundle, now)
            since = max(bundle.since, now)
            world.bundles[owner] = dataclasses.replace(bundle, shares=shares, since=since, moved=arrived)
            changed.append(owner)
    return Outcome(changed, found.paused(), found.circles())


def newcomers_rate(world: World, newcomer: Bundle) -> int:
    """Bit/s that the only flow of a bundle would get if it was opened now."""
    flow = newcomer.flows[0]
    touched = flow.links
    if not touched:
        return 0
    owners = sorted({owner for link in touched for owner in world.traffic[link].owners})
    asked = max(world.traffic[link].asked + flow.rate - ledger.limit(world, link) for link in touched)
    if asked <= 0 and not ledger.scarce(world, (), owners):
        return flow.rate
    bundles = {owner: world.bundles[owner] for owner in connected(world, owners)} | {NEWCOMER: newcomer}
    found = settled(world, bundles)
    return found.delivered(world, len(found.flows) - 1)


def _shares(bundle: Bundle, delivered: list[int]) -> tuple[int, ...]:
    if not delivered:
        return ledger.full_shares(bundle)
    if bundle.coupled:
        return (min(delivered),) * len(bundle.flows)
    rest = iter(delivered)
    return tuple(next(rest) if flow.links else 0 for flow in bundle.flows)


def _link(world: World, name: str) -> Link:
    found = world.inventory.cables.get(name)
    far = found.other(name) if found else end_of_unseen(name) or name
    length = found.length_m if found else _UNKNOWN_LENGTH
    receiver = _flooding(world, far, ledger.profile(world, far))
    mtu = ledger.passes(world, name)
    return Link(capacity.sends(world, name), ledger.profile(world, name), receiver, length, mtu)


def _flooding(world: World, port: str, profile: Profile) -> Profile:
    """The profile of a port that sends pause for some priorities whatever it was set to."""
    floods = world.ethernet_ports[port].floods if world.ethernet_ports.generation else ()
    if not floods:
        return profile
    sent = tuple(on or number in floods for number, on in enumerate(profile.pause_sent))
    return dataclasses.replace(profile, pause_sent=sent)


def _drains(world: World, links: Mapping[str, Link]) -> dict[str, int]:
    """Receivers that are slower than the link before them."""
    hosts = ((name, link, ledger.host_behind(world, name)) for name, link in links.items())
    drained = ((name, link, ledger.takes(world, host)) for name, link, host in hosts if host)
    return {name: rate for name, link, rate in drained if rate < link.capacity}


def _enter_volumes(world: World, found: Settled, now: int) -> None:
    """What passes each link from now on, and what each receiver throws away."""
    books: dict[str, dict[int, Volume]] = {}
    layout, seen = found.solution.layout, found.seen
    for number, (_, flow) in enumerate(found.flows):
        books.setdefault(ledger.at_host(flow.destination), {})
        for hop, step in enumerate(layout.steps[number]):
            channel = layout.channels[step.channel]
            name = ledger.at_host(flow.destination) if channel.drain else channel.link
            one = ledger.volume(flow, found.sent[number], 0 if channel.drain else seen.rates[number][hop])
            marked = (
                int(one.packets * seen.marks[step.channel])
                if found.sent[number].reacts or found.sent[number].capable
                else 0
            )
            book = books.setdefault(name, {})
            more = dataclasses.replace(one, dropped=seen.drops[number][hop], marked=marked)
            book[step.priority] = book.get(step.priority, Volume()).plus(more)
    for (name, priority), pause in seen.pauses.items():
        frames = int(pause.frames) if capacity.ethernet(world, end_of_unseen(name) or name) else 0
        waiting = int(pause.fraction * _MILLION) if pause.obeyed else 0
        book = books.setdefault(name, {})
        book[priority] = book.get(priority, Volume()).plus(Volume(waiting=waiting, pauses=frames))
    for name, book in books.items():
        ledger.put(world, name, book, now)


def _spoilt(world: World, flow: Flow, mtu: int) -> float:
    """The share of a flow's packets that cables on its way spoil; what that costs is in what the flow asks for."""
    bad = [link for link in flow.links if ledger.spoils(world, link)]
    return min(1.0, sum(network.cable_loss(world, link, mtu) for link in bad))


def _enter_onsets(world: World, found: Settled) -> None:
    """What the beginning of congestion leaves behind on links that were calm before."""
    congested = {channel.link for channel, full in _queues(found) if full and capacity.ethernet(world, channel.link)}
    if not congested:
        return
    from engine.physics.traffic.onsets import onsets

    calm = {link: not any(each.marked for _, each in world.traffic[link].now) for link in congested}
    for onset in onsets(found.solution, calm):
        ledger.add(world, onset.link, onset.priority, onset.volume)
        if onset.packets:
            flow, lost = found.flows[onset.flow][1], onset.packets * SECOND
            ledger.add_notice(world, flow.source, RoceVolume(resent=lost))
            ledger.add_notice(world, flow.destination, RoceVolume(gaps=lost * goodput.GAPS))


def _queues(found: Settled) -> Iterable[tuple[Channel, bool]]:
    return zip(found.solution.layout.channels, found.solution.filling.full, strict=True)


def _enter_notices(world: World, found: Settled, now: int) -> None:
    """What hosts' RoCE ports notice of marks and losses from now on, and the notifications that they exchange."""
    sending, receiving = dict[str, RoceVolume](), dict[str, RoceVolume]()
    for number, (_, flow) in enumerate(found.flows):
        sent, rates = found.sent[number], found.seen.rates[number]
        if not sent.tcp and capacity.ethernet(world, flow.source):
            arrived = 0 if flow.loop else rates[-1]
            kept = arrived - int(arrived * _spoilt(world, flow, sent.mtu))
            sender, receiver = goodput.noticed(rates[0], kept, sent, found.seen.marked[number])
            sending[flow.source] = sending.get(flow.source, RoceVolume()).plus(sender)
            receiving[flow.destination] = receiving.get(flow.destination, RoceVolume()).plus(receiver)
    for port, volume in sending.items():
        ledger.notice_sending(world, port, volume, now)
        priority = world.port_qos[port].classified(world.roce[port].cnp_dscp)
        ledger.put(world, ledger.heard_at(port), _notifications(priority, volume.heard), now)
    for port, volume in receiving.items():
        ledger.notice_receiving(world, port, volume, now)
        told = _notifications(world.roce[port].cnp_priority, volume.told)
        ledger.put(world, ledger.told_by(port), told, now)


def _notifications(priority: int, count: int) -> dict[int, Volume]:
    """So many CNPs: a base transport header and 16 bytes each, which are taken for payload."""
    return {priority: Volume(bits=_NOTIFICATION_BITS * count, packets=count)} if count else {}
