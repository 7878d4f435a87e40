"""What the parts of a score are worth, by how a scenario should end. Each column sums to 100."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from scenarios.model import Scenario


@dataclass(frozen=True, slots=True)
class Weights:
    """Points for each part: the diagnosis's for component and cause, the evidence's for seen and pinned."""

    diagnosis: int = 0
    repair: int = 0
    evidence: int = 0
    safety: int = 0
    record: int = 0
    answers: int = 0


WEIGHTS: Mapping[str, Weights] = MappingProxyType({
    "repair": Weights(diagnosis=35, repair=25, evidence=20, safety=15, record=5),
    "escalate": Weights(diagnosis=40, repair=10, evidence=25, safety=15, record=10),
    "nothing": Weights(diagnosis=35, repair=15, evidence=30, safety=15, record=5),
    "lab": Weights(repair=60, answers=40),
    "lab without questions": Weights(repair=100),
})  # fmt: skip

REVISION_COST = 10
"""Points that each diagnosis after the first costs."""

MOST_DIAGNOSES = 4
"""A session with more diagnoses than this is not passed: they spend all that a first one can earn."""

COMPONENT_SHARE = 3 / 7
"""The component's part of the diagnosis's points; the rest is the cause's."""

NEAR_COMPONENT = 1 / 3
"""What another part of the right machine earns of the component's points."""

CAUSE_SCALE = 20
"""`near` in scenarios gives points out of this many."""

NEEDLESS_ESCALATION = 0.4
"""The part of the repair's points that it costs to bother the vendor with what needs no vendor."""

ENOUGH = 0.5
"""The share of the evidence without which what was true from the start proves nothing."""


def weights_of(scenario: Scenario) -> Weights:
    """The weights that hold for a scenario."""
    if scenario.kind == "lab":
        return WEIGHTS["lab" if scenario.questions else "lab without questions"]
    return WEIGHTS[scenario.ending]
