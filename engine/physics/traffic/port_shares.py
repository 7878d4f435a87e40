"""Shares of a queue that only pause divides: equal by the ports that feed it, not by flows.

Every ingress port is stopped at the same level, so the queue holds equal amounts of each and drains them equally (the
unfairness shown in figure 3 of the DCQCN paper, SIGCOMM 2015; on InfiniBand an arbiter takes ports in turn). Walking
from each such queue up to the senders gives weights for a second filling; a sender's own port divides by flow.
"""

from __future__ import annotations

from math import inf

from engine.physics.traffic.filling import Filling
from engine.physics.traffic.layout import Layout

MOST_FLOWS = 1000
"""Held flows beyond which shares stay equal by flow: a refinement that costs time."""

_LEAST = 1e-3


def port_weights(layout: Layout, filling: Filling) -> list[float] | None:
    """A weight for each demand; None where nothing would change."""
    held = [flow for flow, kind in enumerate(filling.kinds) if kind == "held"]
    asked = sorted({channel for channels in filling.asks.values() for channel in channels})
    roots = [channel for channel in asked if not filling.paused[channel] and filling.loads[channel] > 0]
    if not roots or not 0 < len(held) <= MOST_FLOWS:
        return None
    best = _Walk(layout, held).walk(roots)
    weights = [max(best.get(flow, 1.0), _LEAST) for flow in range(len(filling.kinds))]
    chosen = [weights[flow] for flow in held]
    return weights if max(chosen) - min(chosen) > 1e-9 else None


class _Walk:
    """From full queues up to the senders of held flows."""

    def __init__(self, layout: Layout, held: list[int]) -> None:
        self.inside: dict[int, list[int]] = {}
        self.before: dict[tuple[int, int], int] = {}
        self.best: dict[int, float] = {}
        for flow in held:
            came = -1
            for step in layout.steps[flow]:
                self.inside.setdefault(step.channel, []).append(flow)
                self.before[step.channel, flow] = came
                came = step.channel

    def walk(self, roots: list[int]) -> dict[int, float]:
        """The smallest part that any of the queues gives each flow."""
        for root in roots:
            flows = self.inside.get(root, [])
            self._split(root, float(len(flows)), flows, frozenset((root,)))
        return self.best

    def _split(self, channel: int, total: float, flows: list[int], seen: frozenset[int]) -> None:
        by_port: dict[int, list[int]] = {}
        for flow in flows:
            by_port.setdefault(self.before[channel, flow], []).append(flow)
        part = total / max(len(by_port), 1)
        for port, some in by_port.items():
            if port < 0:
                for flow in some:
                    self.best[flow] = min(self.best.get(flow, inf), part / len(some))
            elif port not in seen:
                everyone = self.inside[port]
                self._split(port, part * len(everyone) / len(some), everyone, seen | {port})
