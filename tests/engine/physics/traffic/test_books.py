"""Books that are kept by change say the same as books that are made at once, whatever happened before."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.events import Bus
from engine.kernel.simulation import Simulation
from engine.kernel.units import SECOND
from engine.physics import links
from engine.physics.traffic import changes, exchange
from engine.world.records import Flow, PortTraffic, ServiceClass
from engine.world.world import World
from tests.support.worlds import inventory

GIGA = 1_000_000_000
PORTS = [f"dgx-0{node}/mlx5_{hca}/1" for node in range(1, 5) for hca in (0, 2, 3, 6, 9)]
OWNERS = ("a", "b", "c", "d")
CUT = ("leaf-01/33", "spine-01/12", "leaf-02/41", "dgx-02/mlx5_6/1", "dgx-03/mlx5_0/1")


def flows(pairs: list[tuple[str, str, int]], tcp: bool) -> list[Flow]:
    service = ServiceClass(tcp=tcp)
    return [Flow(source, target, rate * GIGA, service=service) for source, target, rate in pairs if source != target]


def simulation() -> Simulation[World]:
    return Simulation(World(inventory(), 1), 1, Bus(changes.HANDLERS))


def books(world: World) -> dict[str, PortTraffic]:
    """What passes now: links that nothing passes left out, and what has passed before."""
    found = {link: world.traffic[link] for link in world.traffic.changed()}
    return {
        link: PortTraffic(now=entry.now, asked=entry.asked, owners=entry.owners)
        for link, entry in found.items()
        if entry.now or entry.asked or entry.owners
    }


one_flow = st.tuples(st.sampled_from(PORTS), st.sampled_from(PORTS), st.sampled_from([20, 150, 390]))
opening = st.tuples(
    st.just("open"), st.sampled_from(OWNERS), st.lists(one_flow, min_size=1, max_size=6), st.booleans(), st.booleans()
)
closing = st.tuples(st.just("close"), st.sampled_from(OWNERS))
switching = st.tuples(st.just("switch"), st.sampled_from(CUT), st.booleans())


@settings(max_examples=60)
@given(st.lists(st.one_of(opening, opening, closing, switching), max_size=14))
def test_books_do_not_depend_on_what_happened_before(steps: list[tuple[object, ...]]) -> None:
    sim = simulation()
    for kind, about, *more in steps:
        if kind == "open":
            pairs, coupled, tcp = more
            exchange.open_bundle(sim, str(about), flows(pairs, bool(tcp)), coupled=bool(coupled))  # type: ignore[arg-type]
        elif kind == "close":
            exchange.close_bundle(sim, str(about))
        else:
            links.set_enabled(sim, str(about), bool(more[0]))
        sim.advance(SECOND)
    fresh = simulation()
    for port in sim.world.ports.changed():
        fresh.world.ports[port] = sim.world.ports[port]
    for owner in OWNERS:
        bundle = sim.world.bundles[owner]
        exchange.open_bundle(fresh, owner, bundle.flows, coupled=bundle.coupled)
    assert books(fresh.world) == books(sim.world)
    for owner in OWNERS:
        assert fresh.world.bundles[owner].shares == sim.world.bundles[owner].shares
    for owner in OWNERS:
        exchange.close_bundle(sim, owner)
    assert books(sim.world) == {}
