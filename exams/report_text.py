"""The report on an attempt as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import wrap

from exams.marking import rules_told
from exams.report import Group, Report, worst_first
from exams.scores import ENOUGH, HOW_READINESS, Readiness, Score

WIDTH = 78


def report_text(found: Report) -> str:
    """Everything but the items themselves."""
    parts = (_head, _domains, _objectives, _readiness, _confidence, _time, _changes, _notes, _rules)
    return "\n\n".join("\n".join(lines) for part in parts if (lines := list(part(found)))) + "\n"


def percent(score: Score) -> str:
    """`75 %`, or a dash where there is nothing."""
    return "-" if score.share is None else f"{round(score.share * 100)} %"


def points(score: Score) -> str:
    """`7.5 of 10`."""
    return f"{_decimal(score.points)} of {_decimal(score.of)}"


def readiness_text(ready: Readiness) -> str:
    """`60 %, likely between 31 % and 83 %`."""
    estimate, low, high = (f"{round(share * 100)} %" for share in (ready.estimate, ready.low, ready.high))
    return f"{estimate}, likely between {low} and {high}"


def missing_text(missing: int) -> str:
    """Why nothing is said about readiness yet."""
    told = f"It is told once {ENOUGH} items are answered; {missing} {'is' if missing == 1 else 'are'} missing."
    return f"{told} No pass mark is published."


def time_text(found: Report) -> str:
    """`25:10 of 1:00:00; half of the items took less than 0:52`."""
    limit, middle = found.attempt.paper.time, found.median_time
    of = f" of {clock(limit)}" if limit is not None else ""
    half = f"; half of the items took less than {clock(middle)}" if middle else ""
    return f"{clock(found.attempt.spent)}{of}{half}"


def rules_used(found: Report) -> dict[str, str]:
    """The rules of marking for the kinds of items that there are, and for what is not answered."""
    kinds = {line.kind for line in found.lines}
    told = rules_told(found.attempt.paper.rules)
    return {kind: rule for kind, rule in told.items() if kind in kinds or (kinds and kind == "not answered")}


def clock(milliseconds: int) -> str:
    """`1:02:05`, `4:07`."""
    minutes, seconds = divmod(milliseconds // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _head(found: Report) -> Iterator[str]:
    paper = found.attempt.paper
    yield f"{paper.code}  {paper.title}  ({paper.mode}, seed {paper.seed})"
    yield f"Total: {points(found.total)} points, {percent(found.total)}"
    if found.labs.n:
        yield f"of which hands-on labs: {points(found.labs)}"


def _domains(found: Report) -> Iterator[str]:
    yield "By domain (points, share, weight in the exam)"
    yield from _table(found.domains)


def _objectives(found: Report) -> Iterator[str]:
    if found.objectives:
        yield "By objective, those to study first at the top (few items each: a hint, not a measure)"
        yield from _table(worst_first(found.objectives), notes=False)


def _table(groups: Iterable[Group], *, notes: bool = True) -> Iterator[str]:
    for group in groups:
        weight = f"{group.weight:>3} %" if group.weight else ""
        head = f"  {points(group.score):>12}  {percent(group.score):>6}  {weight:<5}  "
        note = f" ({group.score.note})" if group.score.note and notes else ""
        yield from wrap(group.title + note, WIDTH, initial_indent=head, subsequent_indent=" " * len(head))


def _readiness(found: Report) -> Iterator[str]:
    ready = found.readiness
    if ready:
        yield f"Readiness: {readiness_text(ready)}"
        yield from wrap(HOW_READINESS, WIDTH)
    elif found.missing:
        yield f"Readiness: {missing_text(found.missing)}"


def _confidence(found: Report) -> Iterator[str]:
    known = [group for group in found.confidence if group.score.n]
    if known:
        yield "How sure you were, and how right"
        yield from (f"  {group.title:<8}{points(group.score):>12}  {percent(group.score):>6}" for group in known)
    wrong = [str(line.number) for line in found.lines if line.confidence == "sure" and not line.mark.right]
    if wrong:
        yield f"  sure and wrong: {', '.join(wrong)}"


def _time(found: Report) -> Iterator[str]:
    if not found.attempt.spent:
        return
    yield f"Time: {time_text(found)}"
    slowest = sorted(found.lines, key=lambda line: -line.milliseconds)[:3]
    if slowest and slowest[0].milliseconds:
        yield "  longest: " + ", ".join(f"item {line.number} took {clock(line.milliseconds)}" for line in slowest)


def _changes(found: Report) -> Iterator[str]:
    changed = [f"{count} {what}" for what, count in found.changes.items() if count]
    if changed:
        yield f"Answers changed: {', '.join(changed)}"


def _notes(found: Report) -> Iterator[str]:
    yield from (line for note in found.notes for line in wrap(note, WIDTH))


def _rules(found: Report) -> Iterator[str]:
    if found.lines:
        yield "How it is marked"
        for kind, rule in rules_used(found).items():
            yield from wrap(f"{kind}: {rule}", WIDTH, initial_indent="  ", subsequent_indent="    ")


def _decimal(value: object) -> str:
    return f"{float(value):.2f}".rstrip("0").rstrip(".")  # type: ignore[arg-type]
