"""The report on an attempt: totals, domains, objectives, readiness, time, confidence, changes. As data.

exams/report_text.py tells it, exams/html.py prints it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import Any, get_args

from exams.answer_text import told_answer, written_answer
from exams.answers import answer_data, right_answer
from exams.attempt import Attempt, Confidence, Response
from exams.marking import Mark, mark, rules_told
from exams.paper import Part
from exams.scores import HOW_READINESS, Readiness, Score, missing_for_readiness, readiness, score

ENOUGH_TIMES = 4
"""Below so many items, nothing is said about the time that half of them took."""

CHANGES = ("wrong to right", "right to wrong", "wrong to wrong", "right to right")


@dataclass(frozen=True)
class Line:
    """One item of the report; `number` counts from 1."""

    number: int
    item: str
    uuid: str
    kind: str
    domain: str
    objective: str
    mark: Mark
    answered: bool
    flagged: bool
    seen: bool
    confidence: Confidence | None
    milliseconds: int
    change: str | None

    @property
    def verdict(self) -> str:
        """`right`, `wrong`, `partly right (60 %)`, or `not answered`."""
        if not self.answered:
            return "not answered"
        if self.mark.right:
            return "right"
        return f"partly right ({round(100 * self.mark.points / self.mark.of)} %)" if self.mark.points else "wrong"


@dataclass(frozen=True)
class Group:
    """The score of a domain, an objective, a level of confidence."""

    id: str
    title: str
    weight: int
    score: Score


@dataclass(frozen=True)
class Report:
    """Everything that can be said about an attempt."""

    attempt: Attempt
    lines: tuple[Line, ...]
    total: Score
    domains: tuple[Group, ...]
    objectives: tuple[Group, ...]
    confidence: tuple[Group, ...]
    labs: Score
    readiness: Readiness | None

    @property
    def changes(self) -> dict[str, int]:
        """How often an answer was changed, by what became of it."""
        return {name: sum(line.change == name for line in self.lines) for name in CHANGES}

    @property
    def missing(self) -> int:
        """How many more items have to be answered before anything is said about readiness."""
        return missing_for_readiness(sum(line.answered for line in self.lines))

    @property
    def median_time(self) -> int | None:
        """Milliseconds for the item in the middle, of those that were seen; None where they are too few."""
        times = [line.milliseconds for line in self.lines if line.seen]
        return int(median(times)) if len(times) >= ENOUGH_TIMES else None

    @property
    def notes(self) -> tuple[str, ...]:
        """What has to be known with the numbers."""
        attempt, found = self.attempt, list(self.attempt.paper.shortfalls)
        if attempt.ended == "time":
            found.append("The time ran out; it was handed in as it stood.")
        if attempt.set_back:
            found.append(f"The clock was set back by {attempt.set_back // 1000} s during the exam.")
        if attempt.paper.extra:
            found.append(f"With {attempt.paper.extra} % extra time.")
        if self.readiness and self.readiness.weight < 100:
            found.append(f"Domains with {100 - self.readiness.weight} % of the exam's weight had no items.")
        return tuple(found)

    def select(self, which: str, domain: str | None = None) -> tuple[Line, ...]:
        """The items to look at again: all, wrong, flagged or unsure ones, of all domains or of one."""
        return tuple(line for line in self.lines if SELECTIONS[which](line) and domain in (None, line.domain))


SELECTIONS: dict[str, Callable[[Line], bool]] = {
    "all": lambda line: True,
    "wrong": lambda line: not line.mark.right,
    "flagged": lambda line: line.flagged,
    "unsure": lambda line: line.confidence in ("unsure", "guess"),
}


def report(attempt: Attempt) -> Report:
    """The report on an attempt as it stands."""
    lines = tuple(_line(attempt, number) for number in attempt.counted)
    domains = _groups(attempt.paper.domains, lines, "domain")
    enough = not missing_for_readiness(sum(line.answered for line in lines))
    return Report(
        attempt=attempt,
        lines=lines,
        total=score(line.mark for line in lines),
        domains=domains,
        objectives=tuple(one for one in _groups(attempt.paper.objectives, lines, "objective") if one.score.n),
        confidence=_groups([Part(level, level) for level in get_args(Confidence)], lines, "confidence", others=False),
        labs=score(line.mark for line in lines if line.kind == "hands-on"),
        readiness=readiness([(group.weight, group.score) for group in domains]) if enough else None,
    )


def _line(attempt: Attempt, number: int) -> Line:
    item, response = attempt.items[number], attempt.responses[number]
    return Line(
        number=number + 1,
        item=item.item,
        uuid=item.uuid,
        kind=item.kind,
        domain=item.domain,
        objective=item.objective,
        mark=attempt.mark(number),
        answered=response.answer is not None,
        flagged=response.flagged,
        seen=response.seen,
        confidence=response.confidence,
        milliseconds=response.milliseconds,
        change=_change(attempt, number, response),
    )


def _change(attempt: Attempt, number: int, response: Response) -> str | None:
    """What became of the first answer with which the item was left; None if it was the last as well."""
    given = [answer for answer in [*response.settled, response.answer] if answer is not None]
    if len(given) < 2 or given[0] == given[-1]:
        return None
    marks = [mark(attempt.items[number], answer, attempt.paper.rules) for answer in (given[0], given[-1])]
    before, after = ("right" if one.right else "wrong" for one in marks)
    return f"{before} to {after}"


def _groups(parts: Sequence[Part], lines: Sequence[Line], key: str, *, others: bool = True) -> tuple[Group, ...]:
    """The lines by a key: in the order of the parts, then what belongs to none of them."""
    known = [part.id for part in parts]
    more = dict.fromkeys(getattr(line, key) for line in lines if getattr(line, key) not in known) if others else {}
    return tuple(
        Group(part.id, part.title, part.weight, score(line.mark for line in lines if getattr(line, key) == part.id))
        for part in [*parts, *(Part(id, id) for id in more)]
    )


def as_data(found: Report) -> dict[str, Any]:
    """The report for JSON. Points are exact while they are whole, else rounded to four places."""
    attempt, paper = found.attempt, found.attempt.paper
    ready = found.readiness
    return {
        "exam": paper.blueprint,
        "code": paper.code,
        "title": paper.title,
        "mode": paper.mode,
        "seed": paper.seed,
        "ended": attempt.ended,
        "answered": attempt.answered,
        "total": _score(found.total),
        "domains": [_group(group) for group in found.domains],
        "objectives": [_group(group) for group in found.objectives],
        "hands_on": _score(found.labs),
        "readiness": ready
        and {
            "estimate": round(ready.estimate, 4),
            "low": round(ready.low, 4),
            "high": round(ready.high, 4),
            "weight": ready.weight,
            "how": HOW_READINESS,
        },
        "missing_for_readiness": found.missing,
        "time": {"spent_ms": attempt.spent, "limit_ms": paper.time, "median_ms": found.median_time},
        "confidence": [_group(group) for group in found.confidence],
        "changes": found.changes,
        "rules": rules_told(paper.rules),
        "notes": list(found.notes),
        "items": [_item(found, line) for line in found.lines],
    }


def _item(found: Report, line: Line) -> dict[str, Any]:
    rendered = found.attempt.items[line.number - 1]
    answer = found.attempt.responses[line.number - 1].answer
    return {
        "number": line.number,
        "id": line.item,
        "uuid": line.uuid,
        "kind": line.kind,
        "domain": line.domain,
        "objective": line.objective,
        "seed": rendered.seed,
        "points": _number(line.mark.points),
        "of": _number(line.mark.of),
        "note": line.mark.note,
        "answer": answer_data(answer),
        "written": written_answer(rendered, answer),
        "told": list(told_answer(rendered, answer)),
        "right": list(told_answer(rendered, right_answer(rendered))),
        "flagged": line.flagged,
        "confidence": line.confidence,
        "ms": line.milliseconds,
        "change": line.change,
    }


def _group(group: Group) -> dict[str, Any]:
    weight = {"weight": group.weight} if group.weight else {}
    return {"id": group.id, "title": group.title, **weight, **_score(group.score)}


def _score(one: Score) -> dict[str, Any]:
    share = one.share
    percent = None if share is None else round(float(share * 100), 2)
    return {"points": _number(one.points), "of": _number(one.of), "n": one.n, "percent": percent, "note": one.note}


def _number(value: Fraction) -> int | float:
    return value.numerator if value.denominator == 1 else round(float(value), 4)


def worst_first(groups: Iterable[Group]) -> list[Group]:
    """Groups with items, those with the smallest share first: what to study next."""
    return sorted((group for group in groups if group.score.n), key=lambda group: group.score.share or Fraction(0))
