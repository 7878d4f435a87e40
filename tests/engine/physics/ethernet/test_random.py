"""What holds on the pod whatever is sent: lossless classes lose nothing, links carry what they can, ends agree."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.kernel.units import SECOND
from engine.physics import links
from engine.physics.ethernet import settings as ethernet
from engine.physics.traffic import capacity, counters, exchange
from engine.world.records import WHOLE, Flow
from engine.world.records.ethernet import NONE, only
from tests.support.roce_fabric import GIGA, leaf_port, nic, pod

PAIRS = st.lists(st.tuples(st.integers(1, 16), st.integers(1, 15), st.integers(0, 7)), min_size=1, max_size=24)
FEW = settings(max_examples=25, deadline=None)


def flows(chosen: list[tuple[int, int, int]], gbps: int = 390) -> list[Flow]:
    """A flow for each choice of node, distance to the other, and rail."""
    pairs = [(nic(node, rail), nic((node + far - 1) % 16 + 1, rail)) for node, far, rail in chosen]
    return [Flow(here, there, gbps * GIGA) for here, there in pairs]


@FEW
@given(PAIRS, st.booleans())
def test_lossless_classes_lose_nothing(chosen: list[tuple[int, int, int]], marks: bool) -> None:
    sim = pod()
    world = sim.world
    ports = tuple(port for port in world.inventory.cables if port.count("/") == 1)
    if not marks:
        sim.apply(ethernet.SetPortQos(ports, (("marks", NONE),)))
    for number, flow in enumerate(flows(chosen)):
        exchange.open_bundle(sim, f"f{number}", [flow])
    sim.advance(SECOND)
    for port in world.traffic.changed():
        assert counters.dropped(world, port, sim.now) == 0
    gaps = [
        world.roce_traffic[port].total.gaps + world.roce_traffic[port].now.gaps for port in world.roce_traffic.changed()
    ]
    assert not any(gaps)


@FEW
@given(PAIRS)
def test_no_link_carries_more_than_it_can_and_ends_agree(chosen: list[tuple[int, int, int]]) -> None:
    sim = pod()
    world = sim.world
    for number, flow in enumerate(flows(chosen)):
        exchange.open_bundle(sim, f"f{number}", [flow])
    sim.advance(SECOND)
    for port, cable in world.inventory.cables.items():
        assert sum(volume.bits for _, volume in world.traffic[port].now) <= capacity.carries(world, port) + 100
        far = cable.other(port)
        assert counters.sent(world, port, sim.now) == counters.received(world, far, sim.now)
        assert counters.pauses_sent(world, far, sim.now, 3) == counters.pauses_received(world, port, sim.now, 3)


@FEW
@given(PAIRS)
def test_senders_that_are_told_share_fairly(chosen: list[tuple[int, int, int]]) -> None:
    """Max-min: who is short is held at a link that is full, where nobody gets more than he."""
    sim = pod()
    world = sim.world
    for number, flow in enumerate(flows(chosen)):
        exchange.open_bundle(sim, f"f{number}", [flow])
    rates = {}
    for owner in world.bundles.changed():
        (flow,), (share,) = world.bundles[owner].flows, world.bundles[owner].shares
        rates[owner] = flow.rate * share // WHOLE
    for owner, rate in rates.items():
        (flow,) = world.bundles[owner].flows
        if rate >= flow.rate * 999 // 1000:
            continue
        assert any(
            sum(rates[one] for one in world.traffic[link].owners) >= capacity.carries(world, link) * 0.999
            and rate >= max(rates[one] for one in world.traffic[link].owners) * 0.999
            for link in flow.links
        ), owner


@FEW
@given(PAIRS, st.data())
def test_whatever_is_set_and_set_back_leaves_all_as_it_was(
    chosen: list[tuple[int, int, int]], data: st.DataObject
) -> None:
    sim = pod()
    world = sim.world
    for number, flow in enumerate(flows(chosen)):
        exchange.open_bundle(sim, f"f{number}", [flow])
    before = {owner: world.bundles[owner].shares for owner in world.bundles.changed()}
    passing = {link: world.traffic[link].now for link in world.traffic.changed()}
    port = leaf_port(world, data.draw(st.sampled_from(flows(chosen))).destination)
    usual = world.port_qos[port]
    change, back = data.draw(
        st.sampled_from(
            [
                ((("marks", NONE),), (("marks", usual.marks),)),
                ((("pause_sent", NONE),), (("pause_sent", usual.pause_sent),)),
                (
                    (("mark_from", 1000), ("mark_top", 2000)),
                    (("mark_from", usual.mark_from), ("mark_top", usual.mark_top)),
                ),
                ((("classes", (0,) * 8),), (("classes", usual.classes),)),
                ((("pause_obeyed", only(5)),), (("pause_obeyed", usual.pause_obeyed),)),
            ]
        )
    )
    sim.apply(ethernet.SetPortQos((port,), change))
    assert all(getattr(world.port_qos[port], name) == value for name, value in change)
    sim.apply(ethernet.SetPortQos((port,), back))
    assert {owner: world.bundles[owner].shares for owner in world.bundles.changed()} == before
    assert {link: world.traffic[link].now for link in passing} == passing
    assert links.link_up(world, port)
