"""Leaves and spines for tests of the solver: links by name, profiles of RoCE, and ways through them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.physics.traffic.layout import Layout
from engine.physics.traffic.problem import UNLIMITED, Demand, Link, Problem
from engine.physics.traffic.profiles import Profile, only
from engine.physics.traffic.solving import Solution, solve

GIGA = 1_000_000_000
RDMA, TCP = 26, 0

ROCE = Profile(
    trust_dscp=True,
    classes=(0, 0, 0, 3, 0, 0, 6, 0),
    pause_sent=only(3),
    pause_obeyed=only(3),
    marks=only(0, 3),
    weights=(50, 1, 1, 50, 1, 1, 1, 1),
    strict=only(6),
)
"""A lossless switch, as `nv set qos roce` makes it."""

UNMARKED = replace(ROCE, marks=only())
LOSSY = replace(ROCE, pause_sent=only(), pause_obeyed=only())
LOSSY_UNMARKED = replace(LOSSY, marks=only())
NIC = replace(
    ROCE, classes=tuple(range(8)), marks=only(), strict=only(), pause_at=180_000, resume_at=150_000, headroom=60_000
)
LOSSY_NIC = replace(NIC, pause_sent=only(), pause_obeyed=only())


@dataclass
class Fabric:
    """Nodes `n0`.. filling leaves `l0`.. in turn, each leaf joined to every spine `s0`.. `uplinks` times. Gb/s."""

    nodes: int = 4
    per_leaf: int = 4
    spines: int = 1
    gbps: int = 400
    up: int = 400
    uplinks: int = 1
    switch: Profile = ROCE
    nic: Profile = NIC

    def __post_init__(self) -> None:
        self.own: dict[str, Profile] = {}
        self.drains: dict[str, int] = {}
        self.mtus: dict[str, int] = {}
        self.stopped: frozenset[tuple[str, int]] = frozenset()

    def profile(self, device: str) -> Profile:
        return self.own.get(device, self.nic if device.startswith("n") else self.switch)

    def leaf(self, node: int) -> str:
        return f"l{node // self.per_leaf}"

    def _link(self, source: str, target: str, number: int = 0) -> str:
        name = f"{source}>{target}" + (f".{number}" if number else "")
        edge = source.startswith("n") or target.startswith("n")
        self.links[name] = Link(
            (self.gbps if edge else self.up) * GIGA,
            self.profile(source),
            self.profile(target),
            5 if edge else 30,
            self.mtus.get(name, 9216),
        )
        return name

    def build(self) -> dict[str, Link]:
        self.links: dict[str, Link] = {}
        for node in range(self.nodes):
            self._link(f"n{node}", self.leaf(node))
            self._link(self.leaf(node), f"n{node}")
        for leaf in range(-(-self.nodes // self.per_leaf)):
            for spine in range(self.spines):
                for number in range(self.uplinks):
                    self._link(f"l{leaf}", f"s{spine}", number)
                    self._link(f"s{spine}", f"l{leaf}", number)
        return self.links

    def way(self, source: int, target: int, choice: int = 0) -> tuple[str, ...]:
        near, far = self.leaf(source), self.leaf(target)
        if near == far:
            return (f"n{source}>{near}", f"{near}>n{target}")
        spine, number = choice % self.spines, choice // self.spines % self.uplinks
        tail = f".{number}" if number else ""
        return (f"n{source}>{near}", f"{near}>s{spine}{tail}", f"s{spine}>{far}{tail}", f"{far}>n{target}")

    def flow(self, source: int, target: int, gbps: float | None = None, choice: int = 0, **more: object) -> Demand:
        more = {"dscp": RDMA, "reacts": True, **more}
        rate = UNLIMITED if gbps is None else int(gbps * GIGA)
        return Demand(self.way(source, target, choice), rate, **more)  # type: ignore[arg-type]

    def problem(self, flows: Sequence[Demand]) -> Problem:
        drains = {f"{self.leaf(int(node[1:]))}>{node}": rate for node, rate in self.drains.items()}
        return Problem(self.build(), tuple(flows), drains, self.stopped)

    def solve(self, *flows: Demand) -> Solution:
        return solve(self.problem(flows))


def gbps(solution: Solution) -> list[float]:
    """What arrives of each flow."""
    return [round(solution.delivered(flow) / GIGA, 1) for flow in range(len(solution.rates))]


def names(layout: Layout, channels: Sequence[int]) -> set[str]:
    return {layout.channels[channel].link for channel in channels}
