"""Who sends what, and what each gets: owners open, change and close bundles of flows; the links divide themselves.

Nothing is solved where no link is asked for more than it carries and nobody there is short: everybody gets what he
asks. Otherwise the links that are connected by flows with the change are solved as one problem, and the result is kept
as whole numbers until something changes again. Reading never changes anything. The solver is imported when it is
needed, so that nobody else waits for it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from engine.kernel.simulation import Simulation
from engine.physics.traffic import ledger
from engine.physics.traffic.routes import Router
from engine.world.events import TrafficChanged
from engine.world.records import WHOLE, Bundle, Flow
from engine.world.world import World


def open_bundle(
    simulation: Simulation[World], owner: str, flows: Sequence[Flow], *, coupled: bool = False, since: int | None = None
) -> int:
    """`owner` begins to send, or from now on sends this instead of what it sent. Returns its share (ppm).

    Flows without links are given the shortest way. For an owner that never sent before, `since` may lie in the past:
    counters then include what has been sent meanwhile. Others hear TrafficChanged if they get another share.
    """
    new = simulation.world.bundles[owner] == Bundle()
    bundle = _routed(Router(simulation.world), Bundle(tuple(flows), coupled))
    _replace(simulation, {owner: bundle}, opener=owner)
    if new and since is not None and since < simulation.now:
        _credit(simulation.world, owner, simulation.now - since)
    return share(simulation.world, owner)


def close_bundle(simulation: Simulation[World], owner: str) -> int:
    """`owner` sends no more. Returns the payload in bytes that it has moved in all."""
    _replace(simulation, {owner: Bundle()}, opener=owner)
    return moved(simulation.world, owner, simulation.now)


def share(world: World, owner: str) -> int:
    """What the owner gets now of what it asks for, in ppm: over all flows together, by their demands.

    The whole for an owner that asks for nothing.
    """
    bundle = world.bundles[owner]
    asked = sum(flow.rate for flow in bundle.flows)
    return ledger.rate(bundle) * WHOLE // asked if asked else WHOLE


def moved(world: World, owner: str, time: int) -> int:
    """Payload in bytes that has arrived for the owner until `time`."""
    return ledger.moved_until(world.bundles[owner], time) // ledger.BYTE


def offer(world: World, flow: Flow) -> int:
    """Bit/s that a newcomer would get with this flow, given the shortest way if it has none."""
    from engine.physics.traffic.settlement import newcomers_rate

    return newcomers_rate(world, _routed(Router(world), Bundle((flow,))))


def reroute(simulation: Simulation[World], owners: Iterable[str], down: Iterable[str] = ()) -> None:
    """Give these owners' flows the ways that are there now; `down` are ports that are about to go."""
    router, moving = Router(simulation.world, down), dict[str, Bundle]()
    for owner in owners:
        bundle = simulation.world.bundles[owner]
        fresh = _routed(router, bundle, again=True)
        if fresh.flows != bundle.flows:
            moving[owner] = fresh
        elif fresh.detoured != bundle.detoured:
            simulation.world.bundles.update(owner, detoured=fresh.detoured)
    if moving:
        _replace(simulation, moving)


def break_off(simulation: Simulation[World], ports: Iterable[str]) -> None:
    """These ports have got other LIDs: connections between queue pairs go on sending to the old ones, and IP asks anew
    (Linux: ipoib_event flushes its paths at a change of LID).
    """
    ends, bundles = set(ports), simulation.world.bundles
    for owner in bundles.changed():
        flows = tuple(_stale(flow, ends) for flow in bundles[owner].flows)
        if flows != bundles[owner].flows:
            bundles.update(owner, flows=flows)


def _stale(flow: Flow, ends: set[str]) -> Flow:
    hit = not flow.service.tcp and (flow.source in ends or flow.destination in ends)
    return dataclasses.replace(flow, stale=True) if hit else flow


def review(simulation: Simulation[World], links: Iterable[str]) -> None:
    """Divide links again whose capacity may have changed although they stayed up."""
    owners = sorted({owner for link in links for owner in simulation.world.traffic[link].owners})
    if owners:
        _tell(simulation, _settle(simulation, owners))


@contextmanager
def rearranging(simulation: Simulation[World], links: Iterable[str]) -> Iterator[None]:
    """Whatever changes meanwhile in how the ports of these links treat traffic: flows over them are sent anew."""
    world, now, around = simulation.world, simulation.now, list(links)
    owners = sorted({owner for link in around for owner in world.traffic[link].owners})
    before = {owner: world.bundles[owner] for owner in owners}
    for owner, bundle in before.items():
        ledger.leave(world, owner, bundle, now)
    yield
    for owner, bundle in before.items():
        ledger.enter(world, owner, bundle, now)
    for link in around:
        if not world.traffic[link].owners:
            ledger.put(world, link, ledger.at_rest(world, link), now)
    if owners:
        _tell(simulation, _settle(simulation, owners))


def _replace(simulation: Simulation[World], bundles: Mapping[str, Bundle], opener: str | None = None) -> None:
    """Put `bundles` in the place of what their owners sent before, divide anew what has to do with either, and tell
    everybody but the opener who gets another share.
    """
    world, now = simulation.world, simulation.now
    before = {owner: world.bundles[owner] for owner in bundles}
    for owner, old in before.items():
        ledger.leave(world, owner, old, now)
    for owner, new in bundles.items():
        arrived = ledger.moved_until(before[owner], now)
        world.bundles[owner] = dataclasses.replace(new, since=now, shares=ledger.full_shares(new), moved=arrived)
        ledger.enter(world, owner, new, now)
    flows = (flow for bundle in (*before.values(), *bundles.values()) for flow in bundle.flows)
    touched = list(dict.fromkeys(link for flow in flows for link in flow.links))
    owners = sorted({*bundles, *(owner for link in touched for owner in world.traffic[link].owners)})
    short = any(part < WHOLE for old in before.values() for part in old.shares)
    changed = _settle(simulation, owners) if short or ledger.scarce(world, touched, owners) else []
    told = [owner for owner in changed if owner not in bundles]
    told += [owner for owner, old in before.items() if owner != opener and world.bundles[owner].shares != old.shares]
    _tell(simulation, sorted(told))


def _settle(simulation: Simulation[World], owners: Sequence[str]) -> list[str]:
    """Divide links anew; Ethernet ports then see which of their queues are stuck. Gives owners with another share."""
    from engine.physics.traffic.settlement import settle

    outcome = settle(simulation.world, owners, simulation.now)
    if outcome.paused or outcome.circles or simulation.world.ethernet_ports.generation:
        from engine.physics.ethernet import locks, watchdog

        locks.look(simulation, outcome.circles)
        watchdog.look(simulation, outcome.paused)
    return outcome.changed


def _tell(simulation: Simulation[World], owners: Sequence[str]) -> None:
    if owners:
        simulation.publish(TrafficChanged(tuple(owners)))


def _credit(world: World, owner: str, duration: int) -> None:
    """Count what a bundle that began in the past has sent since."""
    bundle = world.bundles[owner]
    for flow, part in zip(bundle.flows, bundle.shares, strict=True):
        ledger.credit(world, flow, flow.rate * part // WHOLE, duration)
    world.bundles[owner] = dataclasses.replace(bundle, moved=bundle.moved + ledger.rate(bundle) * duration)


def _way(router: Router, flow: Flow) -> tuple[tuple[str, ...], int]:
    """A flow's way, and how many links at its end are a circle."""
    found = router.path(flow.source, flow.destination, flow.key_index, flow.rate, flow.entropy)
    return found or (), router.loop


def _routed(router: Router, bundle: Bundle, *, again: bool = False) -> Bundle:
    """The bundle with a way for each flow that has none, or for all of them."""
    detours, flows = router.detours, []
    for flow in bundle.flows:
        links, loop = flow.links, flow.loop
        if again or not links:
            links, loop = ((), 0) if flow.stale else _way(router, flow)
        same = links == flow.links and loop == flow.loop
        flows.append(flow if same else dataclasses.replace(flow, links=links, loop=loop))
    return dataclasses.replace(bundle, flows=tuple(flows), detoured=router.detours > detours)
