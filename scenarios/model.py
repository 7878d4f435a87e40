"""The scenario format: what a scenario file may say. docs/scenarios.md explains it to authors.

Times are written as durations (`-40m`, `1h30m`) and count from the learner's arrival; what lies before it is negative
and fits into `lead`. Texts, targets and lines may hold `{name}` for what the seed chose.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PrivateAttr

from engine.kernel.validation import StrictModel
from engine.sites.model import StandingModel
from scenarios.ground import Ground
from scenarios.patterns import TextPattern

Kind = Literal["drill", "lab", "incident", "healthy"]
Outcome = Literal["repair", "escalate", "nothing"]

Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$", max_length=60)]
Cause = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*([.-][a-z0-9_]+)*$", max_length=80)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=30)]
Uuid = Annotated[str, Field(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
Short = Annotated[str, Field(min_length=1, max_length=300)]
Text = Annotated[str, Field(min_length=1, max_length=20_000)]
Script = Annotated[str, Field(min_length=1, max_length=20_000)]
FactText = Annotated[str, Field(min_length=1, max_length=2_000)]
Weight = Annotated[int, Field(ge=1, le=10)]


class Briefing(StrictModel):
    """What the learner is told: a ticket, an alert, a user's complaint or a colleague's handover."""

    form: Literal["ticket", "alert", "complaint", "handover"] = "ticket"
    sender: Short
    subject: Short
    text: Text


class ComponentChoice(StrictModel):
    """A component that the seed chooses: of a kind, at a place, for which `where` holds at the site's start."""

    kind: Literal[
        "host", "node", "gpu", "nvswitch", "hca", "port", "fan", "psu", "drive", "switch", "rack", "pdu", "strip",
        "user", "job",
    ]  # fmt: skip
    in_: Annotated[str | None, Field(alias="in", description="a host or the name of one chosen before")] = None
    where: FactText | None = None
    prefer: Annotated[
        FactText | None, Field(description="a fact that should hold as well, where there is such a one")
    ] = None


class TimeChoice(StrictModel):
    """A time that the seed chooses, in whole steps from `low` to `high`."""

    kind: Literal["time"]
    low: Short
    high: Short
    step: Short = "1m"


class NumberChoice(StrictModel):
    """A whole number that the seed chooses."""

    kind: Literal["number"]
    low: int
    high: int


class WordChoice(StrictModel):
    """One of some texts."""

    kind: Literal["word"]
    of: Annotated[tuple[Short, ...], Field(min_length=1)]


Choice = Annotated[ComponentChoice | TimeChoice | NumberChoice | WordChoice, Field(discriminator="kind")]


class FaultUse(StrictModel):
    """A fault of the catalogue, where it strikes, and when.

    With `when` it strikes at the first moment from `onset` on at which that fact holds: what spreads unless somebody
    stops it, and what a wrong repair brings about.
    """

    fault: Cause
    target: Short
    onset: Short = "0s"
    when: FactText | None = None
    parameters: Annotated[dict[str, str], Field(default_factory=dict)]


class Workload(StrictModel):
    """A job that a user has submitted, besides the site's standing jobs."""

    user: Short
    at: Short
    line: Annotated[Short, Field(description="the sbatch line, run on the login host")]


class OtherMove(StrictModel):
    """Something that another person does: a line on a host, or a message to the learner.

    With `when` it is done at the first moment from `at` on at which that fact holds.
    """

    at: Short
    when: FactText | None = None
    who: Short
    host: Short | None = None
    line: Short | None = None
    message: Short | None = None


class WrongCause(StrictModel):
    """A plausible cause that is not the one, what would stand instead of the faults, and the evidence against it.

    What stands there are faults, or what somebody did before the learner came.
    """

    cause: Cause
    component: Short
    instead: tuple[FaultUse, ...] = ()
    moves: Annotated[tuple[OtherMove, ...], Field(description="what somebody did before, if it is that")] = ()
    refuted_by: Annotated[tuple[Id, ...], Field(min_length=1)]
    because: Text


class Answer(StrictModel):
    """A component and a cause that are accepted as exact."""

    component: Short
    cause: Cause


class Broken(StrictModel):
    """Something else that is broken at the same time."""

    component: Short
    cause: Cause
    accept: tuple[Answer, ...] = ()
    near: Annotated[dict[Cause, int], Field(default_factory=dict, description="points out of 20 for close causes")]


class Diagnosis(StrictModel):
    """The truth: which component, which cause; what else is accepted; what is plausible and wrong.

    Where several things are broken, `also` names the others; the learner gives a diagnosis for each.
    """

    component: Short
    cause: Cause
    accept: tuple[Answer, ...] = ()
    also: Annotated[tuple[Broken, ...], Field(max_length=5, description="what else is broken")] = ()
    near: Annotated[dict[Cause, int], Field(default_factory=dict, description="points out of 20 for close causes")]
    wrong: tuple[WrongCause, ...] = ()


class Evidence(StrictModel):
    """Something to be seen: a fact, and texts any of which, or all of which together, reveal it.

    What shows it by something that is missing (a log without an error) names with `without` what must not stand there.
    A fact of normality names with `against` the wrong cause that it refutes.
    """

    id: Id
    says: Short
    fact: FactText
    patterns: tuple[TextPattern, ...] = ()
    every: Annotated[tuple[TextPattern, ...], Field(description="patterns that one output must show all of")] = ()
    without: Annotated[tuple[TextPattern, ...], Field(description="patterns that it must show none of")] = ()
    weight: Weight = 1
    against: Cause | None = None


class Goal(StrictModel):
    """A condition on the end state, after the settling time."""

    id: Id
    says: Short
    fact: FactText
    weight: Weight = 1


class SafetyRule(StrictModel):
    """Something that must still hold at the end; a critical breach fails the drill."""

    id: Id
    says: Short
    fact: FactText
    weight: Weight = 1
    critical: bool = False


class RecordWords(StrictModel):
    """What a good drain reason or note names: any text of each list, in capitals or not, and a time of day.

    Where nothing is broken there is no time to name.
    """

    component: Annotated[tuple[Short, ...], Field(min_length=1)]
    cause: Annotated[tuple[Short, ...], Field(min_length=1)]


class Hint(StrictModel):
    """Help, from vague to plain."""

    text: Text
    cost: Annotated[int, Field(ge=0, le=30)] = 4


class GuideSign(StrictModel):
    """A sign that a step of a guide is done. All that is given must hold of one thing that the learner did.

    `line`: a line typed in a terminal; `shown`: what a line printed, or what a move says (the pinned line, the note's
    text, `replace dgx-02/fan3`); `move`: a move of that kind; `told`: a message that came; `opened`: a part of the
    full-screen program; `answer`: the question of that id was answered rightly; `fact`: that this holds in the world.
    """

    line: TextPattern | None = None
    shown: TextPattern | None = None
    move: Literal["pin", "note", "hint", "hands", "diagnose", "answer", "wait", "submit"] | None = None
    told: TextPattern | None = None
    opened: Literal["map", "commands", "time", "help"] | None = None
    answer: Id | None = None
    fact: FactText | None = None


class GuideStep(StrictModel):
    """A step of a guide: what to do and why. `{key:drill.note}` in its text stands for the key of that action.

    `do` is how, as in a script; `done` lists signs, any of which is enough. With `in_order` they count only when the
    steps before it are done. `learned` is told when the step is done.
    """

    title: Short
    text: Text
    do: Script | None = None
    done: Annotated[tuple[GuideSign, ...], Field(min_length=1)]
    in_order: bool = False
    learned: Text | None = None


class Question(StrictModel):
    """Something that a lab asks; `:answer ID TEXT` answers it. `because` is told with the right answer, `hint` with a
    wrong one.
    """

    id: Id
    text: Text
    accept: Annotated[tuple[TextPattern, ...], Field(min_length=1)]
    because: Text | None = None
    hint: Text | None = None


class WrongFix(StrictModel):
    """Something that people do and should not, and the goals or safety rules that fail by it, those alone."""

    id: Id
    says: Short
    lines: Script
    breaks: Annotated[tuple[Id, ...], Field(min_length=1)]


class Scenario(StrictModel):
    """A scenario file."""

    format: Annotated[Literal[1], Field(description="write 1")]
    id: Annotated[Id, Field(description="the file's name without .yaml")]
    uuid: Annotated[Uuid, Field(description="a random UUID that stays when the scenario is renamed")]
    title: Short
    authors: Annotated[tuple[Short, ...], Field(min_length=1)]
    sources: tuple[Short, ...] = ()
    licence: Short
    kind: Annotated[Kind, Field(description="drill, lab, incident or healthy")]
    outcome: Outcome | None = None
    site: Annotated[Short, Field(description="one of `breakfix list sites`, or a file beside this one: ./my-site.yaml")]
    settings: Annotated[dict[str, str], Field(default_factory=dict)]
    standing: Annotated[StandingModel | None, Field(description="jobs (and partitions) in place of the site's own")] = (
        None
    )
    objectives: Annotated[tuple[Short, ...], Field(min_length=1, description="what it practises")]
    difficulty: Annotated[int, Field(ge=1, le=5, description="1 (first steps) to 5")]
    minutes: Annotated[int, Field(ge=1, le=480, description="how long it takes")]
    lead: Short = "0s"
    settle: Short = "5m"
    briefing: Briefing
    vary: Annotated[dict[Name, Choice], Field(default_factory=dict)]
    workloads: Annotated[tuple[Workload, ...], Field(max_length=200)] = ()
    faults: Annotated[tuple[FaultUse, ...], Field(max_length=20)] = ()
    noise: Annotated[tuple[FaultUse, ...], Field(max_length=20)] = ()
    moves: Annotated[tuple[OtherMove, ...], Field(max_length=200)] = ()
    causes: Annotated[dict[Cause, Short], Field(default_factory=dict, description="other causes, with titles")]
    diagnosis: Diagnosis | None = None
    evidence: Annotated[tuple[Evidence, ...], Field(max_length=60)] = ()
    goals: tuple[Goal, ...] = ()
    safety: tuple[SafetyRule, ...] = ()
    record: RecordWords | None = None
    questions: tuple[Question, ...] = ()
    hints: tuple[Hint, ...] = ()
    guide: Annotated[tuple[GuideStep, ...], Field(description="steps that are told one after the other")] = ()
    solution: Annotated[Script, Field(description="the reference solution, a script")]
    wrong_fixes: tuple[WrongFix, ...] = ()
    debrief: Text

    _ground: Ground | None = PrivateAttr(None)

    @property
    def ground(self) -> Ground:
        """The site that it stands on."""
        return self._ground or Ground(self.site)

    def on(self, ground: Ground) -> Scenario:
        """The scenario with the site that its `site` names."""
        self._ground = ground
        return self

    @property
    def truths(self) -> tuple[Diagnosis | Broken, ...]:
        """Everything that a full diagnosis names; nothing for a lab without one."""
        return (self.diagnosis, *self.diagnosis.also) if self.diagnosis else ()

    @property
    def ending(self) -> Outcome:
        """How it should end: with a repair, with an escalation, or with nothing done."""
        return self.outcome or ("nothing" if self.kind == "healthy" else "repair")
