"""From owners that share scarce links to a solved problem, and its result to the books.

What has to do with a change are all owners that are connected with it by links, directly or over others: a pause may
travel along any of them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.physics.traffic import capacity, ledger
from engine.physics.traffic.observing import Observation, observe
from engine.physics.traffic.problem import Demand, Link, Problem
from engine.physics.traffic.routes import end_of_unseen
from engine.physics.traffic.solving import Solution, solve
from engine.world.records import WHOLE, Bundle, Flow, Volume
from engine.world.world import World

NEWCOMER = ""
"""The owner of a bundle that is only tried out."""

_MILLION = 1_000_000
_UNKNOWN_LENGTH = 5


@dataclass(frozen=True, slots=True)
class Settled:
    """What owners that are connected get: their flows in order, and the solution of their demands."""

    flows: tuple[tuple[str, Flow], ...]
    solution: Solution
    seen: Observation


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
    """The solution of what these bundles ask. Channels that wait for each other in a circle carry nothing."""
    flows = tuple((owner, flow) for owner, bundle in bundles.items() for flow in ledger.sending(bundle))
    groups = {owner for owner, bundle in bundles.items() if bundle.coupled}
    demands = tuple(
        Demand(
            flow.links,
            flow.rate,
            flow.service.dscp,
            flow.service.tcp,
            flow.service.reacts,
            flow.service.mtu,
            owner if owner in groups else None,
        )
        for owner, flow in flows
    )
    names = dict.fromkeys(link for _, flow in flows for link in flow.links)
    links = {name: _link(world, name) for name in names}
    problem = Problem(links, demands, _drains(world, links))
    solution = solve(problem)
    seen = observe(solution)
    if seen.deadlocks:
        stuck = [solution.layout.channels[number] for circle in seen.deadlocks for number in circle]
        stopped = frozenset((channel.link, channel.traffic_class) for channel in stuck if not channel.drain)
        solution = solve(dataclasses.replace(problem, stopped=stopped))
        seen = observe(solution)
    return Settled(flows, solution, seen)


def settle(world: World, owners: Iterable[str], now: int) -> list[str]:
    """Divide all links that have to do with these owners and enter the result. Returns owners whose share changed."""
    bundles = {owner: world.bundles[owner] for owner in connected(world, owners)}
    found = settled(world, bundles)
    _enter_volumes(world, found, now)
    delivered: dict[str, list[int]] = {owner: [] for owner in bundles}
    for (owner, flow), rates in zip(found.flows, found.seen.rates, strict=True):
        delivered[owner].append(rates[-1] * WHOLE // flow.rate if flow.rate else WHOLE)
    changed = []
    for owner, bundle in bundles.items():
        shares = _shares(bundle, delivered[owner])
        if shares != bundle.shares:
            arrived = ledger.moved_until(bundle, now)
            since = max(bundle.since, now)
            world.bundles[owner] = dataclasses.replace(bundle, shares=shares, since=since, moved=arrived)
            changed.append(owner)
    return changed


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
    return settled(world, bundles).seen.rates[-1][-1]


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
    return Link(capacity.sends(world, name), ledger.profile(world, name), ledger.profile(world, far), length)


def _drains(world: World, links: Mapping[str, Link]) -> dict[str, int]:
    """Receivers that are slower than the link before them."""
    hosts = ((name, link, ledger.host_behind(world, name)) for name, link in links.items())
    drained = ((name, link, capacity.moves(world, host)) for name, link, host in hosts if host)
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
            one = ledger.volume(flow, 0 if channel.drain else seen.rates[number][hop])
            marked = int(one.packets * seen.marks[step.channel]) if flow.service.reacts else 0
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
