"""The worked examples: incast, storms, slow receivers, wrong maps, thresholds, classes, loops."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.physics.traffic.layout import DRAIN
from engine.physics.traffic.observing import circles, headroom_needed, observe
from engine.physics.traffic.problem import Demand, Link, Problem
from engine.physics.traffic.profiles import INFINIBAND, Profile, only
from engine.physics.traffic.solving import Solution, solve
from tests.engine.physics.traffic.fabric import (
    GIGA,
    LOSSY,
    LOSSY_NIC,
    LOSSY_UNMARKED,
    NIC,
    ROCE,
    TCP,
    UNMARKED,
    Fabric,
    gbps,
    names,
)

SWITCHES = {
    "pause and marks": (ROCE, NIC),
    "pause": (UNMARKED, NIC),
    "marks": (LOSSY, LOSSY_NIC),
    "nothing": (LOSSY_UNMARKED, LOSSY_NIC),
}


def incast(fan: int, switch: Profile, nic: Profile) -> Solution:
    """`fan` senders to one receiver, and a bystander beside the first of them."""
    net = Fabric(fan + 2, fan + 2, switch=switch, nic=nic)
    return net.solve(*[net.flow(sender, 0) for sender in range(1, fan + 1)], net.flow(1, fan + 1))


@pytest.mark.parametrize(
    ("name", "bystander", "queue", "frames", "lost"),
    [
        ("pause and marks", 350.0, 163_400, 0, 0),
        ("pause", 50.0, 7_800_000, 1_473_236, 0),
        ("marks", 350.0, 163_400, 0, 0),
        ("nothing", 200.0, 2_000_000, 0, 2600),
    ],
)
def test_incast(name: str, bystander: float, queue: int, frames: int, lost: int) -> None:
    solution = incast(8, *SWITCHES[name])
    seen = observe(solution)
    assert gbps(solution) == [50.0] * 8 + [bystander]
    assert seen.queues[solution.layout.index["l0>n0", 3]] == pytest.approx(queue, rel=0.01)
    assert sum(pause.frames for pause in seen.pauses.values()) == pytest.approx(frames, rel=0.01)
    assert sum(drop for drops in seen.drops for drop in drops) / GIGA == pytest.approx(lost)
    if frames:
        assert seen.pauses["n2>l0", 3].fraction == pytest.approx(0.875)


def test_why_flows_stop() -> None:
    assert incast(8, ROCE, NIC).filling.kinds == ["controlled"] * 8 + ["source"]
    assert incast(8, UNMARKED, NIC).filling.kinds == ["held"] * 9
    assert incast(8, UNMARKED, NIC).filling.victims == [False] * 8 + [True]
    assert set(incast(8, LOSSY_UNMARKED, LOSSY_NIC).filling.kinds[:8]) == {"dropped"}


def test_credits_hold_everything_and_mark_nothing() -> None:
    solution = incast(4, INFINIBAND, INFINIBAND)
    seen = observe(solution)
    assert gbps(solution) == [100.0] * 5
    assert not any(seen.marks) and not any(drop for drops in seen.drops for drop in drops)


def storm(switch: Profile, nic: Profile) -> tuple[Fabric, Solution]:
    """Sixteen NICs on four leaves, all to all; the first NIC never stops sending pause."""
    net = Fabric(16, 4, 2, switch=switch, nic=nic)
    net.stopped = frozenset({("l0>n0", 3)}) if switch.pause_obeyed[3] else frozenset()
    pairs = [(a, b) for a in range(16) for b in range(16) if a != b]
    return net, net.solve(*[net.flow(a, b, choice=a + b) for a, b in pairs])


def test_a_storm_stops_the_whole_fabric_where_pause_travels() -> None:
    _, solution = storm(ROCE, NIC)
    seen = observe(solution)
    ways = [demand.links for demand in solution.problem.demands]
    innocent = [flow for flow, way in enumerate(ways) if way[-1] != "l0>n0" and way[0] != "n0>l0"]
    assert len(innocent) == 210 and all(solution.delivered(flow) < GIGA for flow in innocent)
    assert seen.pauses["l0>n0", 3].fraction == 1.0
    assert seen.pauses["l0>n0", 3].frames == pytest.approx(23_842, rel=0.001)
    stopped = {channel.link for channel, part in zip(solution.layout.channels, seen.stopped, strict=True) if part == 1}
    assert {f"n{node}>l{node // 4}" for node in range(1, 16)} <= stopped


def test_without_pause_a_storm_is_nobodys_concern() -> None:
    _, solution = storm(LOSSY, LOSSY_NIC)
    assert min(solution.delivered(flow) for flow in range(len(solution.rates))) > 10 * GIGA


def test_a_slow_receiver_with_reacting_senders_is_shared_equally() -> None:
    net = Fabric(16, 4, 2, uplinks=2)
    net.drains["n0"] = 40 * GIGA
    solution = net.solve(*[net.flow(sender, 0, choice=sender) for sender in range(1, 16)])
    assert [solution.delivered(flow) / GIGA for flow in range(15)] == pytest.approx([40 / 15] * 15)


def test_a_slow_receiver_on_infiniband_starves_ports_up_to_the_senders() -> None:
    net = Fabric(6, 3, switch=INFINIBAND, nic=INFINIBAND)
    net.drains["n3"] = 50 * GIGA
    solution = net.solve(net.flow(0, 3), net.flow(1, 4, 10))
    seen = observe(solution)
    stopped = {
        channel.link: part
        for channel, part in zip(solution.layout.channels, seen.stopped, strict=True)
        if not channel.drain
    }
    assert gbps(solution) == [50.0, 10.0]
    assert stopped["l1>n3"] == stopped["n0>l0"] == pytest.approx(0.875)
    assert stopped["l0>s0"] == pytest.approx(1 - 60 / 400)
    assert solution.layout.channels[solution.filling.bottlenecks[0]].traffic_class == DRAIN


@pytest.mark.parametrize(("roce", "rest", "shares"), [(50, 50, (200, 200)), (70, 30, (280, 120)), (90, 10, (360, 40))])
def test_classes_share_by_weight_and_leave_what_they_do_not_want(
    roce: int, rest: int, shares: tuple[float, float]
) -> None:
    net = Fabric(switch=replace(ROCE, weights=(rest, 1, 1, roce, 1, 1, 1, 1)))
    tcp = {"dscp": TCP, "tcp": True, "reacts": False}
    first, *others = gbps(net.solve(net.flow(1, 0), net.flow(2, 0, **tcp), net.flow(3, 0, **tcp)))
    assert (first, sum(others)) == shares
    first, *others = gbps(net.solve(net.flow(1, 0), net.flow(2, 0, 20, **tcp), net.flow(3, 0, 20, **tcp)))
    assert first + sum(others) == 400 and sum(others) == 40


def test_a_strict_class_goes_first() -> None:
    net = Fabric(switch=replace(ROCE, strict=only(3)))
    solution = net.solve(net.flow(1, 0, 300), net.flow(2, 0, dscp=TCP, tcp=True, reacts=False))
    assert gbps(solution) == [300.0, 100.0]


def wrong(switches: Profile = ROCE, **own: Profile) -> tuple[Solution, list[float]]:
    """Eight senders to a receiver behind a spine, 50 Gb/s of TCP beside them, some devices with maps of their own.

    Returns also Gb/s lost before each device's egress: first leaf, spine, second leaf.
    """
    net = Fabric(10, 5, uplinks=4, switch=switches)
    net.own = own
    flows = [net.flow(sender, 9, choice=sender) for sender in range(8)]
    solution = net.solve(*flows, net.flow(8, 9, 50, dscp=TCP, tcp=True, reacts=False))
    drops = observe(solution).drops
    lost = dict.fromkeys(("l0", "s0", "l1"), 0.0)
    for steps, one in zip(solution.layout.steps, drops, strict=True):
        for step, drop in zip(steps, one, strict=True):
            device = solution.layout.channels[step.channel].link.split(">")[0]
            if drop:
                lost[device] += drop / GIGA
    return solution, list(lost.values())


def test_right_maps_lose_nothing() -> None:
    solution, lost = wrong()
    assert lost == [0, 0, 0]
    assert sum(gbps(solution)[:8]) == pytest.approx(350, abs=1) and gbps(solution)[8] == 50


def test_a_leaf_that_does_not_trust_and_does_not_mark_drops() -> None:
    _, lost = wrong(l1=replace(ROCE, trust_dscp=False, marks=only(3)))
    # Four uplinks and three neighbours bring 2,800 Gb/s; TCP takes its ninth of the port.
    assert lost[:2] == [0, 0] and lost[2] == pytest.approx(2800 - 400 * 8 / 9, abs=1)


def test_pause_on_the_wrong_priority_drops_there() -> None:
    _, lost = wrong(UNMARKED, l1=replace(UNMARKED, pause_sent=only(4), pause_obeyed=only(4)))
    assert lost[0] == 0 and lost[2] == pytest.approx(2800 - 350, abs=1)


def test_hosts_that_do_not_obey_pause_lose_at_their_leaf() -> None:
    deaf = replace(NIC, pause_obeyed=only())
    _, lost = wrong(UNMARKED, **{f"n{node}": deaf for node in range(10)})
    assert lost[0] > 1000 and lost[2] > 500


def test_too_little_headroom_loses_some_of_it() -> None:
    small = replace(UNMARKED, headroom=8_000)
    solution, lost = wrong(small)
    assert headroom_needed(solution, "n0>l0") > 8_000
    assert 0 < sum(lost) < 200
    assert sum(wrong(UNMARKED)[1]) == 0


def test_marks_that_begin_too_late_leave_it_to_pause() -> None:
    late = replace(ROCE, mark_from=12_000_000, mark_top=15_000_000)
    assert set(incast(8, late, NIC).filling.kinds) == {"held"}


def test_marks_that_begin_too_early_cost_throughput() -> None:
    totals = []
    for start, top in ((1000, 1000), (20_000, 200_000), (150_000, 1_500_000)):
        early = replace(ROCE, mark_from=start, mark_top=top)
        totals.append(sum(gbps(incast(8, early, NIC))[:8]))
    assert totals == pytest.approx([301.9, 336.5, 400.0], abs=1)


def test_a_packet_that_is_too_large_for_a_link_is_lost_there() -> None:
    net = Fabric(8, 4, 2)
    net.mtus["s1>l1"] = 1500
    solution = net.solve(net.flow(0, 4, choice=0), net.flow(1, 5, choice=1))
    assert gbps(solution) == [400.0, 0.0]
    assert solution.sent(1) == GIGA // 10 and solution.filling.kinds[1] == "lost"
    assert solution.layout.channels[solution.layout.steps[1][solution.filling.lost_at[1]].channel].link == "s1>l1"


def ring(switch: Profile, reacts: bool) -> Solution:
    """Four ways that bounce around leaf, spine, leaf, spine, each begun a hop later: they wait for each other."""
    order = ["l0", "s0", "l1", "s1"]
    around = [f"{a}>{b}" for a, b in zip(order, order[1:] + order[:1], strict=True)]
    hosts = {f"n{number}>{device}" for number, device in enumerate(order)}
    hosts |= {f"{device}>n{number}" for number, device in enumerate(order)}
    links = {name: Link(400 * GIGA, switch, switch) for name in [*around, *sorted(hosts)]}
    demands = []
    for number in range(4):
        last = (number + 3) % 4
        way = [f"n{number}>{order[number]}", *(around[(number + hop) % 4] for hop in range(3))]
        demands.append(Demand((*way, f"{order[last]}>n{last}"), 1 << 60, 26, reacts=reacts))
    return solve(Problem(links, tuple(demands)))


def test_pauses_in_a_circle_are_a_deadlock() -> None:
    solution = ring(UNMARKED, reacts=False)
    found = observe(solution).deadlocks
    assert [names(solution.layout, circle) for circle in found] == [{"l0>s0", "s0>l1", "l1>s1", "s1>l0"}]
    stuck = frozenset((solution.layout.channels[one].link, 3) for one in found[0])
    after = solve(replace(solution.problem, stopped=stuck))
    assert gbps(after) == [0.0] * 4


def test_reacting_senders_do_not_come_to_a_deadlock() -> None:
    solution = ring(ROCE, reacts=True)
    assert not observe(solution).deadlocks
    assert gbps(solution) == [133.3] * 4


@pytest.mark.parametrize(("inject", "deadlock"), [(5, False), (20, False), (26, True)])
def test_a_routing_loop_deadlocks_beyond_its_rate(inject: int, deadlock: bool) -> None:
    """A loop of n links with TTL T stands still beyond n x bandwidth / T: here 4 x 400 / 64 = 25 Gb/s."""
    order = ["l0", "s0", "l1", "s1"]
    around = tuple(f"{a}>{b}" for a, b in zip(order, order[1:] + order[:1], strict=True))
    links = {name: Link(400 * GIGA, UNMARKED, UNMARKED) for name in ("n0>l0", *around)}
    looping = Demand(("n0>l0", *around), inject * GIGA, 26, loop=4, laps=15)
    solution = solve(Problem(links, (looping,)))
    assert bool(observe(solution).deadlocks) is deadlock
    assert solution.delivered(0) == 0


def test_a_watchdog_frees_the_others() -> None:
    net = Fabric(8, 4)
    net.stopped = frozenset({("l1>n4", 3)})
    flows = [net.flow(0, 4), net.flow(0, 5), net.flow(1, 6)]
    assert gbps(net.solve(*flows)) == [0.0, 0.0, 0.0]
    problem = replace(net.problem(flows), stopped=frozenset(), sinks=net.stopped)
    after = solve(problem)
    assert gbps(after)[0] == 0 and min(gbps(after)[1:]) > 190
    assert after.sent(0) == GIGA // 10


def test_groups_run_at_the_share_of_their_slowest() -> None:
    net = Fabric(4, 4)
    flows = [net.flow(0, 1, 200, group="job"), net.flow(1, 2, 100, group="job"), net.flow(3, 1, 400)]
    slow = gbps(net.solve(*flows))
    assert slow[0] == 2 * slow[1] and slow[0] + slow[2] == 400


def test_circles() -> None:
    assert circles({(1, 2), (2, 3)}) == []
    assert circles({(1, 2), (2, 1), (2, 3), (4, 1)}) == [(1, 2)]
    assert circles({(1, 1), (5, 6), (6, 7), (7, 5)}) == [(1,), (5, 6, 7)]
