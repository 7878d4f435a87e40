"""What holds in every network: conservation, capacity, fairness, agreement, causes; random fabrics and faults."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.physics.traffic.observing import observe
from engine.physics.traffic.problem import Demand, Problem
from engine.physics.traffic.profiles import only
from engine.physics.traffic.solving import Solution, solve
from tests.engine.physics.traffic.fabric import GIGA, NIC, ROCE, TCP, Fabric

FEW = settings(max_examples=60)
SLACK = 10
"""Bit/s by which whole numbers may differ."""

FAULTS: tuple[dict[str, Any], ...] = (
    {"trust_dscp": False},
    {"marks": only()},
    {"pause_sent": only(4)},
    {"pause_obeyed": only()},
    {"headroom": 5_000},
    {"mark_from": 1000, "mark_top": 2000},
    {"mark_from": 9_000_000, "mark_top": 20_000_000},
)


@st.composite
def problems(draw: st.DrawFn, faults: bool = True, tcp: bool = True, reacts: bool | None = None) -> Problem:
    leaves, per_leaf = draw(st.integers(1, 4)), draw(st.integers(2, 5))
    pause = only(3) if not faults or draw(st.booleans()) else only()
    switch = replace(ROCE, pause_sent=pause, pause_obeyed=pause, marks=draw(st.sampled_from([only(0, 3), only()])))
    if reacts:
        switch = replace(switch, marks=only(0, 3))
    nic = replace(NIC, pause_sent=pause, pause_obeyed=pause)
    speeds = st.sampled_from([100, 400])
    nodes = leaves * per_leaf
    net = Fabric(nodes, per_leaf, draw(st.integers(1, 3)), draw(speeds), draw(speeds), switch=switch, nic=nic)
    if faults:
        devices = [f"l{number}" for number in range(leaves)] + ["s0"]
        for device in draw(st.lists(st.sampled_from(devices), max_size=2)):
            net.own[device] = replace(switch, **draw(st.sampled_from(FAULTS)))
        for node in draw(st.lists(st.integers(0, nodes - 1), max_size=2)):
            net.drains[f"n{node}"] = draw(st.sampled_from([5, 50])) * GIGA
        if draw(st.integers(0, 4)) == 0:
            net.stopped = frozenset({(f"l0>n{draw(st.integers(0, per_leaf - 1))}", 3)})
    flows: list[Demand] = []
    for number in range(draw(st.integers(1, 20))):
        source, target = draw(st.permutations(range(nodes)))[:2]
        wanted = draw(st.sampled_from([None, None, 10, 77]))
        if tcp and draw(st.integers(0, 3)) == 0:
            flows.append(net.flow(source, target, wanted, number, dscp=TCP, tcp=True, reacts=False))
        else:
            slows = draw(st.booleans()) if reacts is None else reacts
            flows.append(net.flow(source, target, wanted, number, reacts=slows))
    return net.problem(flows)


def loads(solution: Solution) -> dict[str, int]:
    """Bit/s that enter each link."""
    found: dict[str, int] = {}
    for steps, rates in zip(solution.layout.steps, observe(solution).rates, strict=True):
        for step, rate in zip(steps, rates, strict=True):
            channel = solution.layout.channels[step.channel]
            name = f"{channel.link} drain" if channel.drain else channel.link
            found[name] = found.get(name, 0) + rate
    return found


@FEW
@given(problems())
def test_what_is_sent_arrives_or_is_dropped(problem: Problem) -> None:
    seen = observe(solve(problem))
    for demand, rates, drops in zip(problem.demands, seen.rates, seen.drops, strict=True):
        assert rates[0] == rates[-1] + sum(drops)
        assert rates[0] <= demand.rate and min(rates) >= 0
        assert all(before >= after - SLACK for before, after in pairwise(rates))


@FEW
@given(problems())
def test_nothing_carries_more_than_it_can(problem: Problem) -> None:
    for name, load in loads(solve(problem)).items():
        link, _, drain = name.partition(" ")
        most = problem.drains[link] if drain else problem.links[link].capacity
        assert load <= most * 1.00011 + SLACK


@FEW
@given(problems(faults=False, tcp=False))
def test_right_maps_never_drop(problem: Problem) -> None:
    assert not any(drop for drops in observe(solve(problem)).drops for drop in drops)


@FEW
@given(problems(faults=False, tcp=False, reacts=True))
def test_senders_that_react_share_fairly(problem: Problem) -> None:
    """Each has what it asked for, or a full link on its way on which nobody is faster (max-min)."""
    solution = solve(problem)
    carried = loads(solution)
    fastest: dict[str, int] = {}
    for number, demand in enumerate(problem.demands):
        for link in demand.links:
            fastest[link] = max(fastest.get(link, 0), solution.delivered(number))
    for number, demand in enumerate(problem.demands):
        rate = solution.delivered(number)
        limits = [
            link
            for link in demand.links
            if carried[link] >= problem.links[link].capacity * 0.99999 and fastest[link] <= rate * 1.00001 + SLACK
        ]
        assert rate >= demand.rate - SLACK or limits


@st.composite
def contended(draw: st.DrawFn) -> Problem:
    """RoCE that reacts, TCP, and at times a strict class that wants little, on many links at once."""
    shares = draw(st.sampled_from([(50, 1, 1, 50, 1, 1, 1, 1), (20, 1, 1, 80, 1, 1, 1, 1)]))
    switch, nic = replace(ROCE, weights=shares), replace(NIC, weights=shares, strict=only(6))
    net = Fabric(12, 4, draw(st.integers(1, 3)), up=draw(st.sampled_from([200, 400])), switch=switch, nic=nic)
    flows: list[Demand] = []
    for number in range(draw(st.integers(2, 40))):
        source, target = draw(st.permutations(range(12)))[:2]
        dscp = draw(st.sampled_from([26, 26, TCP, TCP, 48]))
        most = 5 if dscp == 48 else draw(st.sampled_from([None, None, 30, 120]))
        flows.append(net.flow(source, target, most, number, dscp=dscp, tcp=dscp != 26, reacts=dscp == 26))
    return net.problem(flows)


@settings(max_examples=25)
@given(contended())
def test_every_class_has_its_part_of_every_link(problem: Problem) -> None:
    """Each flow has what it asked for, or a full link on its way on which nobody of its class is faster, and where its
    class has no less for its weight than any other (none beside what strict ones take).
    """
    solution = solve(problem)
    loads, fastest = dict[tuple[str, int], float](), dict[tuple[str, int], int]()
    for steps, rates in zip(solution.layout.steps, solution.rates, strict=True):
        for step, rate in zip(steps, rates, strict=True):
            key = (solution.layout.channels[step.channel].link, solution.layout.channels[step.channel].traffic_class)
            loads[key], fastest[key] = loads.get(key, 0) + rate, max(fastest.get(key, 0), rate)

    def fair(link: str, number: int) -> bool:
        sender = problem.links[link].sender
        others = [(other, load) for (name, other), load in loads.items() if name == link and not sender.strict[other]]
        total = sum(load for (name, _), load in loads.items() if name == link)
        mine = loads[link, number] / sender.weights[number]
        return total > problem.links[link].capacity * 0.999 and all(
            load / sender.weights[other] <= mine * 1.01 for other, load in others
        )

    for flow, demand in enumerate(problem.demands):
        rate = solution.delivered(flow)
        queues = [solution.layout.channels[step.channel] for step in solution.layout.steps[flow]]
        assert rate >= demand.rate * 0.999 or any(
            rate >= fastest[queue.link, queue.traffic_class] * 0.999 and fair(queue.link, queue.traffic_class)
            for queue in queues
        )


@FEW
@given(problems(), st.randoms(use_true_random=False))
def test_the_order_of_demands_does_not_matter(problem: Problem, random: object) -> None:
    order = list(range(len(problem.demands)))
    random.shuffle(order)  # type: ignore[attr-defined]
    one = solve(problem)
    other = solve(replace(problem, demands=tuple(problem.demands[number] for number in order)))
    for place, number in enumerate(order):
        assert other.delivered(place) == one.delivered(number)
        assert other.filling.kinds[place] == one.filling.kinds[number]


@FEW
@given(problems())
def test_every_pause_has_a_cause_and_every_victim_a_pause(problem: Problem) -> None:
    solution = solve(problem)
    filling, seen = solution.filling, observe(solution)
    waits = {waiting for waiting, _ in filling.edges}
    for number, paused in enumerate(filling.paused):
        assert not paused or number in waits
    for flow, victim in enumerate(filling.victims):
        assert not victim or any(filling.paused[step.channel] for step in solution.layout.steps[flow])
    for part in seen.stopped:
        assert 0 <= part <= 1


@FEW
@given(problems(faults=False, tcp=False, reacts=False))
def test_pause_travels_from_a_full_queue_to_the_senders(problem: Problem) -> None:
    solution = solve(problem)
    for flow, kind in enumerate(solution.filling.kinds):
        if kind == "held":
            channels = [step.channel for step in solution.layout.steps[flow]]
            before = channels[: channels.index(solution.filling.bottlenecks[flow])]
            assert all(solution.filling.paused[channel] for channel in before)
