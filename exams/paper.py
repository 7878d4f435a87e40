"""The paper of an exam or of a study session: everything that is settled before the first answer, as data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from engine.kernel.random import hash64
from exams.catalogue import Course
from exams.drawing import Seen, draw
from exams.exhibits import Exhibits
from exams.item import Item
from exams.marking import Rules
from exams.rendered import Rendered
from exams.rendering import render_near

Mode = Literal["exam", "study"]
Told = Callable[[int, int], None]

MINUTE = 60_000


@dataclass(frozen=True, slots=True)
class Part:
    """A domain or an objective by its name; `weight` is the domain's in percent."""

    id: str
    title: str
    weight: int = 0


@dataclass(frozen=True, slots=True)
class Paper:
    """What is asked, in which time, and how it is marked. Times are milliseconds; `started` counts seconds since 1970.

    `time` is None where there is no limit. In an `assigned` exam time runs on while the program does not. `shortfalls`
    say where the bank had too few items.
    """

    mode: Mode
    blueprint: str
    code: str
    title: str
    seed: int
    started: int
    items: tuple[Rendered, ...] = ()
    time: int | None = None
    assigned: bool = False
    extra: int = 0
    rules: Rules = field(default_factory=Rules)
    domains: tuple[Part, ...] = ()
    objectives: tuple[Part, ...] = ()
    shortfalls: tuple[str, ...] = ()

    @property
    def deadline(self) -> int | None:
        """When an assigned exam ends, in seconds since 1970."""
        return self.started + self.time // 1000 if self.assigned and self.time is not None else None

    def pace(self, item: Rendered) -> int | None:
        """Milliseconds that there are for an item: a lab's own minutes, an equal part of the rest for a question."""
        if item.kind == "hands-on":
            return item.minutes * MINUTE
        labs = [one for one in self.items if one.kind == "hands-on"]
        questions = len(self.items) - len(labs)
        if self.time is None or not questions:
            return None
        return max(self.time - sum(lab.minutes for lab in labs) * MINUTE, 0) // questions


@dataclass(frozen=True, slots=True)
class Terms:
    """How somebody takes an exam: how much of it, with how much extra time (percent), assigned or as practice."""

    count: int | None = None
    labs: int | None = None
    extra: int = 0
    assigned: bool = False
    rules: Rules = field(default_factory=Rules)


async def exam_paper(
    course: Course,
    seed: int,
    terms: Terms | None = None,
    *,
    started: int = 0,
    seen: Seen | None = None,
    exhibits: Exhibits | None = None,
    told: Told | None = None,
) -> Paper:
    """An exam drawn from a course. `told(done, all)` hears how far the rendering is. Raises BreakfixError."""
    asked = terms or Terms()
    drawn = draw(course.blueprint, course.items, seed, count=asked.count, labs=asked.labs, seen=seen)
    items = await _render(drawn.items, seed, exhibits or Exhibits(), told)
    return Paper(
        mode="exam",
        blueprint=course.blueprint.id,
        code=course.blueprint.code,
        title=course.blueprint.title,
        seed=seed,
        started=started,
        items=items,
        time=exam_time(course, items, asked.extra),
        assigned=asked.assigned,
        extra=asked.extra,
        rules=asked.rules,
        domains=_domains(course),
        objectives=_objectives(course),
        shortfalls=drawn.shortfalls,
    )


def study_paper(course: Course, seed: int, *, started: int = 0, rules: Rules | None = None) -> Paper:
    """A study session without items yet; they come one by one (`study_item`) as events of the attempt."""
    return Paper(
        mode="study",
        blueprint=course.blueprint.id,
        code=course.blueprint.code,
        title=course.blueprint.title,
        seed=seed,
        started=started,
        rules=rules or Rules(),
        domains=_domains(course),
        objectives=_objectives(course),
    )


async def study_item(paper: Paper, item: Item, exhibits: Exhibits | None = None) -> Rendered:
    """An item for a study session."""
    return await render_near(item, _seed(paper.seed, item), exhibits)


def exam_time(course: Course, items: Sequence[Rendered], extra: int = 0) -> int:
    """The time for these items, in milliseconds: the blueprint's, in proportion where they are fewer, with the extra
    percent. A hands-on lab has the minutes that are advised for it.
    """
    blueprint = course.blueprint
    labs = [item for item in items if item.kind == "hands-on"]
    advised = blueprint.hands_on.count * blueprint.hands_on.minutes if blueprint.hands_on else 0
    for_questions = max(blueprint.minutes - advised, 1) * MINUTE * (len(items) - len(labs)) // blueprint.items
    each = blueprint.hands_on.minutes if blueprint.hands_on else 0
    for_labs = sum(each or lab.minutes for lab in labs) * MINUTE
    whole_minutes = -(-(for_questions + for_labs) * (100 + extra) // (100 * MINUTE))
    return whole_minutes * MINUTE


async def _render(items: Sequence[Item], seed: int, exhibits: Exhibits, told: Told | None) -> tuple[Rendered, ...]:
    rendered = []
    for done, item in enumerate(items):
        if told:
            told(done, len(items))
        rendered.append(await render_near(item, _seed(seed, item), exhibits))
    return tuple(rendered)


def _seed(seed: int, item: Item) -> int:
    """The seed of an item: its own, so that two exhibits of one exam are not the same cluster."""
    return hash64(seed, "item", item.id) % 2**31


def _domains(course: Course) -> tuple[Part, ...]:
    return tuple(Part(domain.id, domain.title, domain.weight) for domain in course.blueprint.domains)


def _objectives(course: Course) -> tuple[Part, ...]:
    return tuple(Part(one.id, one.text) for domain in course.blueprint.domains for one in domain.objectives)
