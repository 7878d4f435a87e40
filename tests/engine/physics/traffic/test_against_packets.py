"""The fluid solver agrees with a simulation of packets: rates of flows and time in which ports are stopped."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

import pytest

from engine.kernel.random import Stream
from engine.physics.traffic.observing import observe
from engine.physics.traffic.problem import Demand, Problem
from engine.physics.traffic.profiles import only
from engine.physics.traffic.solving import solve
from tests.engine.physics.traffic.fabric import GIGA, NIC, RDMA, UNMARKED, Fabric
from tests.engine.physics.traffic.packets import Packets

SHALLOW = {"pause_at": 100_000, "resume_at": 90_000, "headroom": 1_000_000}
SWITCH, HOST = replace(UNMARKED, **SHALLOW), replace(NIC, **SHALLOW)  # type: ignore[arg-type]


def fabric(nodes: int = 6, per_leaf: int = 3, spines: int = 1, up: int = 100) -> Fabric:
    return Fabric(nodes, per_leaf, spines, gbps=100, up=up, switch=SWITCH, nic=HOST)


def case(name: str) -> Problem:
    net = fabric()
    flows: list[Demand] = []
    if name == "victim":
        flows = [net.flow(0, 2), net.flow(1, 2), net.flow(0, 4, 60)]
    elif name == "slow receiver":
        net.drains["n3"] = 20 * GIGA
        flows = [net.flow(0, 3), net.flow(1, 4), net.flow(2, 5, 10)]
    elif name == "parking lot":
        flows = [net.flow(0, 3), net.flow(1, 3), net.flow(2, 3), net.flow(4, 3)]
    elif name == "incast":
        net = fabric(spines=2)
        flows = [net.flow(source, 0, choice=source) for source in range(1, 6)]
    return net.problem(flows)


@pytest.mark.parametrize("name", ["victim", "slow receiver", "parking lot", "incast"])
def test_rates_and_stops(name: str) -> None:
    problem = case(name)
    rates, stops = Packets(problem).run()
    solution = solve(problem)
    for flow, rate in enumerate(rates):
        assert solution.delivered(flow) / GIGA == pytest.approx(rate, rel=0.06, abs=0.5)
    seen = observe(solution)
    for channel, stopped in zip(solution.layout.channels, seen.stopped, strict=True):
        if not channel.drain:
            assert stopped == pytest.approx(stops[channel.link], abs=0.08)


def random_problem(seed: int) -> Problem:
    """Up to nine flows among six nodes on two leaves, some of them slow to receive."""
    draw = Stream(seed, "packets")
    net = fabric(spines=draw.choice((1, 2)), up=draw.choice((100, 200)))
    for node in range(6):
        if draw.chance(1, 5):
            net.drains[f"n{node}"] = draw.choice((15, 40)) * GIGA
    flows = []
    for number in range(draw.choice(range(3, 10))):
        source, target = draw.sample(range(6), 2)
        flows.append(net.flow(source, target, draw.choice((None, None, 20, 50)), choice=number))
    return net.problem(flows)


TWO = {"pause_sent": only(3, 4), "pause_obeyed": only(3, 4), "weights": (1, 1, 1, 70, 30, 1, 1, 1)}
TWO_CLASSES = replace(SWITCH, classes=(0, 0, 0, 3, 4, 0, 6, 0), **TWO)  # type: ignore[arg-type]
OTHER = 34
"""A DSCP of the second lossless class."""


def random_classes(seed: int) -> Problem:
    """As before, in two lossless classes that contend for every link."""
    draw = Stream(seed, "classes")
    net = fabric(spines=draw.choice((1, 2)), up=draw.choice((100, 200)))
    net.switch, net.nic = TWO_CLASSES, replace(HOST, **TWO)  # type: ignore[arg-type]
    flows = []
    for number in range(draw.choice(range(4, 12))):
        source, target = draw.sample(range(6), 2)
        dscp = OTHER if draw.chance(1, 2) else RDMA
        flows.append(net.flow(source, target, draw.choice((None, None, 20, 50)), choice=number, dscp=dscp))
    return net.problem(flows)


def loads_of_classes(problem: Problem, rates: list[float]) -> dict[tuple[str, int], float]:
    """Gb/s that arrive of each class over each last link."""
    loads: dict[tuple[str, int], float] = {}
    for demand, rate in zip(problem.demands, rates, strict=True):
        key = (demand.links[-1], demand.dscp)
        loads[key] = loads.get(key, 0.0) + rate
    return loads


@pytest.mark.slow
def test_random_networks() -> None:
    errors = []
    for seed in range(12):
        problem = random_problem(seed)
        rates, _ = Packets(problem).run()
        solution = solve(problem)
        errors += [abs(solution.delivered(flow) / GIGA - rate) / max(rate, 1) for flow, rate in enumerate(rates)]
    assert median(errors) < 0.05
    assert sorted(errors)[len(errors) * 85 // 100] < 0.3


@pytest.mark.slow
def test_classes_in_random_networks() -> None:
    """What each class gets at its receivers, where both want more than there is on many links."""
    errors = []
    for seed in range(12):
        problem = random_classes(seed)
        rates, _ = Packets(problem).run()
        solution = solve(problem)
        found = loads_of_classes(problem, [solution.delivered(flow) / GIGA for flow in range(len(rates))])
        errors += [abs(found[key] - load) / max(load, 1) for key, load in loads_of_classes(problem, rates).items()]
    assert sorted(errors)[len(errors) * 9 // 10] < 0.05
    assert max(errors) < 0.2
