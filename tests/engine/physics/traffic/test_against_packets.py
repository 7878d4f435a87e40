"""The fluid solver agrees with a simulation of packets: rates of flows and time in which ports are stopped."""

from __future__ import annotations

from dataclasses import replace
from statistics import median

import pytest

from engine.kernel.random import Stream
from engine.physics.traffic.observing import observe
from engine.physics.traffic.problem import Demand, Problem
from engine.physics.traffic.solving import solve
from tests.engine.physics.traffic.fabric import GIGA, NIC, UNMARKED, Fabric
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
