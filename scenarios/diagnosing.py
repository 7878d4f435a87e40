"""Points for a diagnosis: component and cause, with partial credit for what is near and the briefing did not tell."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.components import node_of
from scenarios.journal import Entry
from scenarios.model import Diagnosis
from scenarios.result import GivenDiagnosis, Part, Reason
from scenarios.stage import Stage
from scenarios.weights import CAUSE_SCALE, COMPONENT_SHARE, NEAR_COMPONENT, REVISION_COST


@dataclass(frozen=True)
class Truth:
    """What is accepted as exact, and the briefing's words."""

    answers: tuple[tuple[str, str], ...]
    near: dict[str, int]
    briefing: str

    @classmethod
    def of(cls, stage: Stage, diagnosis: Diagnosis) -> Truth:
        """The truth of a scenario at a seed; the first answer is the true one."""
        accepted = [(diagnosis.component, diagnosis.cause), *((one.component, one.cause) for one in diagnosis.accept)]
        given = stage.scenario.briefing
        briefing = stage.fill(f"{given.sender}\n{given.subject}\n{given.text}")
        return cls(tuple((stage.fill(component), cause) for component, cause in accepted), diagnosis.near, briefing)

    def exact(self, component: str, cause: str) -> bool:
        """Whether both are right."""
        return (component, cause) in self.answers


def given(truth: Truth, entries: list[tuple[int, Entry]]) -> tuple[GivenDiagnosis, ...]:
    """The diagnoses that were given, in order."""
    said = [(entry.started, entry.words[0], entry.words[1]) for _, entry in entries]
    return tuple(GivenDiagnosis(at, component, cause, truth.exact(component, cause)) for at, component, cause in said)


def diagnosis_part(truth: Truth, diagnoses: tuple[GivenDiagnosis, ...], weight: int) -> Part:
    """Points for the first diagnosis, less the cost of revisions: guessing on never earns more than the first."""
    if not diagnoses:
        return Part("diagnosis", 0.0, weight, (Reason(0.0, "no diagnosis was given"),))
    first = diagnoses[0]
    best = max(
        (_points(truth, answer, first, weight) for answer in truth.answers),
        key=lambda two: two[0].points + two[1].points,
    )
    reasons = [*best]
    revisions = len(diagnoses) - 1
    if revisions:
        reasons.append(Reason(-float(REVISION_COST * revisions), f"{revisions} revision{'s' * (revisions > 1)}"))
    return Part.summed("diagnosis", weight, reasons)


def _points(truth: Truth, answer: tuple[str, str], said: GivenDiagnosis, weight: int) -> tuple[Reason, Reason]:
    of_component = round(weight * COMPONENT_SHARE)
    component = _component(truth, answer[0], said.component, of_component)
    cause = _cause(truth, answer[1], said.cause, weight - of_component)
    if component.points == 0 and node_of(answer[0]) != node_of(said.component):
        cause = Reason(0.0, f"the cause {said.cause} is not credited elsewhere than where it stands")
    return component, cause


def _component(truth: Truth, right: str, said: str, weight: int) -> Reason:
    if said == right:
        return Reason(float(weight), f"component: {said} is right")
    if node_of(said) != node_of(right):
        return Reason(0.0, f"component: {said} is wrong")
    if node_of(right) in truth.briefing:
        return Reason(0.0, f"component: {said} is no nearer than the briefing")
    return Reason(round(weight * NEAR_COMPONENT, 1), f"component: {said} is near")


def _cause(truth: Truth, right: str, said: str, weight: int) -> Reason:
    if said == right:
        return Reason(float(weight), f"cause: {said} is right")
    if said in truth.near:
        return Reason(round(weight * truth.near[said] / CAUSE_SCALE, 1), f"cause: {said} is near")
    return Reason(0.0, f"cause: {said} is wrong")
