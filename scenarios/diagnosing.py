"""Points for a diagnosis: component and cause, with partial credit for what is near and the briefing did not tell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scenarios.components import HEALTHY, NOTHING, node_of
from scenarios.journal import Entry
from scenarios.model import Broken, Diagnosis
from scenarios.result import GivenDiagnosis, Part, Reason
from scenarios.stage import Stage
from scenarios.weights import CAUSE_SCALE, COMPONENT_SHARE, NEAR_COMPONENT, REVISION_COST

Answer = tuple[str, str]
"""A component and a cause."""


@dataclass(frozen=True)
class Trouble:
    """One thing that is broken: the answers that are exact, the true one first, and causes that are near."""

    answers: tuple[Answer, ...]
    near: Mapping[str, int]


@dataclass(frozen=True)
class Truth:
    """Everything that is broken (or the one answer that nothing is), and the briefing's words."""

    troubles: tuple[Trouble, ...]
    briefing: str

    @classmethod
    def of(cls, stage: Stage) -> Truth:
        """The truth of a scenario at a seed."""
        given = stage.scenario.briefing
        briefing = stage.fill(f"{given.sender}\n{given.subject}\n{given.text}")
        truths = stage.scenario.truths or (Diagnosis(component=NOTHING, cause=HEALTHY, near={}),)
        return cls(tuple(_trouble(stage, one) for one in truths), briefing)

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The true component and cause of each trouble."""
        return tuple(trouble.answers[0] for trouble in self.troubles)

    def exact(self, component: str, cause: str) -> bool:
        """Whether both are right for one of the troubles."""
        return any((component, cause) in trouble.answers for trouble in self.troubles)

    def named(self, diagnoses: Sequence[GivenDiagnosis]) -> bool:
        """Whether every trouble was named exactly, and the last word was no mistake."""
        said = {(one.component, one.cause) for one in diagnoses}
        return all(said & set(trouble.answers) for trouble in self.troubles) and diagnoses[-1].exact


def _trouble(stage: Stage, one: Diagnosis | Broken) -> Trouble:
    accepted = [(one.component, one.cause), *((other.component, other.cause) for other in one.accept)]
    return Trouble(tuple((stage.fill(component), cause) for component, cause in accepted), one.near)


def given(truth: Truth, entries: list[tuple[int, Entry]]) -> tuple[GivenDiagnosis, ...]:
    """The diagnoses that were given, in order."""
    said = [(entry.started, entry.words[0], entry.words[1]) for _, entry in entries]
    return tuple(GivenDiagnosis(at, component, cause, truth.exact(component, cause)) for at, component, cause in said)


def diagnosis_part(truth: Truth, diagnoses: tuple[GivenDiagnosis, ...], weight: int) -> Part:
    """Points for the first diagnosis of each trouble, less the cost of what was said besides: guessing on never earns
    more than the first.
    """
    if not diagnoses:
        return Part("diagnosis", 0.0, weight, (Reason(0.0, "no diagnosis was given"),))
    count = len(truth.troubles)
    worth = weight / count
    reasons: list[Reason] = []
    for trouble, said in _assigned(truth, diagnoses[:count]):
        if said is None:
            reasons.append(Reason(0.0, f"not named in the first {count}: {trouble.answers[0][1]}"))
            continue
        reasons += _best(truth, trouble, said, worth)
    revisions = len(diagnoses) - count
    if revisions > 0:
        reasons.append(Reason(-float(REVISION_COST * revisions), f"{revisions} revision{'s' * (revisions > 1)}"))
    return Part.summed("diagnosis", weight, reasons)


def _assigned(truth: Truth, diagnoses: Sequence[GivenDiagnosis]) -> list[tuple[Trouble, GivenDiagnosis | None]]:
    """Which diagnosis is meant for which trouble: those that are exact, then in turn those that come nearest."""
    left = list(diagnoses)
    meant: dict[int, GivenDiagnosis] = {}
    for number, trouble in enumerate(truth.troubles):
        exact = next((one for one in left if (one.component, one.cause) in trouble.answers), None)
        if exact is not None:
            meant[number] = exact
            left.remove(exact)
    for number, trouble in enumerate(truth.troubles):
        if number not in meant and left:
            nearest = max(left, key=lambda one: _sum(_best(truth, trouble, one, 100.0)))
            meant[number] = nearest
            left.remove(nearest)
    return [(trouble, meant.get(number)) for number, trouble in enumerate(truth.troubles)]


def _best(truth: Truth, trouble: Trouble, said: GivenDiagnosis, weight: float) -> tuple[Reason, Reason]:
    """What a diagnosis earns for a trouble, held against the answer that it comes nearest to."""
    tried = [_points(truth, trouble, answer, said, weight) for answer in trouble.answers]
    return max(tried, key=_sum)


def _sum(reasons: tuple[Reason, Reason]) -> float:
    return reasons[0].points + reasons[1].points


def _points(
    truth: Truth, trouble: Trouble, answer: Answer, said: GivenDiagnosis, weight: float
) -> tuple[Reason, Reason]:
    of_component = round(weight * COMPONENT_SHARE, 1)
    component = _component(truth, answer[0], said.component, of_component)
    cause = _cause(trouble, answer[1], said.cause, weight - of_component)
    if component.points == 0 and node_of(answer[0]) != node_of(said.component):
        cause = Reason(0.0, f"the cause {said.cause} is not credited elsewhere than where it stands")
    return component, cause


def _component(truth: Truth, right: str, said: str, weight: float) -> Reason:
    if said == right:
        return Reason(weight, f"component: {said} is right")
    if node_of(said) != node_of(right):
        return Reason(0.0, f"component: {said} is wrong")
    if node_of(right) in truth.briefing:
        return Reason(0.0, f"component: {said} is no nearer than the briefing")
    return Reason(round(weight * NEAR_COMPONENT, 1), f"component: {said} is near")


def _cause(trouble: Trouble, right: str, said: str, weight: float) -> Reason:
    if said == right:
        return Reason(weight, f"cause: {said} is right")
    if said in trouble.near:
        return Reason(round(weight * trouble.near[said] / CAUSE_SCALE, 1), f"cause: {said} is near")
    return Reason(0.0, f"cause: {said} is wrong")
