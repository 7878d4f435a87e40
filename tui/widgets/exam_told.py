"""What there is to say about an item once it may be said, and about a whole attempt, as rows."""

from __future__ import annotations

from collections.abc import Iterator

from exams.answer_text import told_answer
from exams.attempt import Response
from exams.feedback import Told, feedback
from exams.item_text import citation
from exams.marking import Mark
from exams.rendered import Rendered
from exams.report import Group, Report, worst_first
from exams.report_text import clock, missing_text, percent, points, readiness_text, time_text
from exams.scores import HOW_READINESS
from tui.live.exam_again import again_text, drawn_text
from tui.look.glyphs import Glyphs
from tui.widgets.rows import ACCENT, MUTED, STRONG, Piece, Row

_OK, _BAD, _HALF = "$state-ok", "$state-down", "$state-degraded"
_HEADING = f"bold {ACCENT}"
_BAR = 16


def mark_pieces(mark: Mark, glyphs: Glyphs) -> tuple[Piece, ...]:
    """Right, wrong, or in part: sign and word."""
    if mark.right:
        return ((f"{glyphs.tick} right  ", f"bold {_OK}"),)
    if mark.points:
        return ((f"{glyphs.degraded} in part, {round(mark.points * 100)} %  ", f"bold {_HALF}"),)
    return ((f"{glyphs.cross} {'not answered' if mark.note == 'not answered' else 'wrong'}  ", f"bold {_BAD}"),)


def item_told(item: Rendered, response: Response, mark: Mark, glyphs: Glyphs) -> list[Row]:
    """Everything about an answer: the mark, each possible answer with why, the sources."""
    note = mark.note if mark.note not in ("right", "wrong", "not answered") else ""
    rows = [Row(note, MUTED, mark_pieces(mark, glyphs))]
    if item.kind in ("ordering", "matching", "numeric", "hands-on") and response.answer is not None:
        rows.append(Row("Your answer:", MUTED))
        rows += [Row(text, "", (("  ", ""),)) for text in told_answer(item, response.answer)]
    rows.append(Row())
    for told in feedback(item, response.answer):
        rows += _possible(told, _sign(told, glyphs, placed=item.kind in ("ordering", "matching")))
    if response.note:
        rows += [Row(), Row(f"Your note: {response.note}")]
    rows.append(Row())
    rows += [Row(f"Source: {citation(source)}", MUTED) for source in item.sources]
    return rows


def _possible(told: Told, signed: Piece) -> Iterator[Row]:
    sign, style = signed
    word = f"[{told.word}] " if told.word else ""
    mark = f"{told.mark}  " if told.mark else ""
    yield Row(word + told.text, STRONG if told.right or told.given else "", ((f"{sign} ", style), (mark, ACCENT)))
    if told.because:
        yield Row(told.because, MUTED, ((" " * (2 + len(mark)), ""),))


def _sign(told: Told, glyphs: Glyphs, *, placed: bool) -> Piece:
    """Parts of an order or of a matching are told as they should be; where the answer differs, the sign says so."""
    if told.right:
        return (glyphs.degraded, _HALF) if placed and not told.given else (glyphs.tick, _OK)
    return (glyphs.cross, _BAD) if told.given else (" ", "")


# A whole attempt


def result_head(found: Report, again: str | None = None) -> list[Row]:
    """The total, and what it was; what matters least is cut where there is no room."""
    paper = found.attempt.paper
    total = f"{points(found.total)} points, {percent(found.total)}"
    return [
        Row(
            f"{paper.code} {paper.mode}, {drawn_text(paper, again)}, {paper.title}",
            MUTED,
            ((f"{total}   ", _HEADING),),
            cut=True,
        )
    ]


def result_rows(found: Report, glyphs: Glyphs, again: str | None = None) -> list[Row]:
    """The report but its items, section by section."""
    same = again_text(again)
    sections = (
        ("By domain", list(_domains(found, glyphs))),
        ("Readiness", list(_readiness(found))),
        ("To study first", list(_objectives(found))),
        ("How sure you were, and how right", list(_confidence(found))),
        ("Time", list(_time(found))),
        ("Notes", [Row(note) for note in (*found.notes, *([same] if same else []))]),
    )
    return [row for title, rows in sections if rows for row in (Row(title, _HEADING), *rows, Row())]


def _domains(found: Report, glyphs: Glyphs) -> Iterator[Row]:
    if found.labs.n:
        yield Row(f"of which hands-on labs {points(found.labs)}", MUTED)
    for group in found.domains:
        yield Row(group.title, "", tuple(_bar(group, glyphs)))
        weight = f"{group.weight} % of the exam" if group.weight else ""
        said = ", ".join(part for part in (weight, group.score.note) if part)
        yield Row(said, MUTED, ((" " * (_BAR + 21), ""),))


def _bar(group: Group, glyphs: Glyphs) -> Iterator[Piece]:
    filled = round(_BAR * (group.score.share or 0))
    yield glyphs.rule * filled, ACCENT
    yield glyphs.unknown * (_BAR - filled), MUTED
    yield f" {points(group.score):>12} {percent(group.score):>5}  ", STRONG


def _readiness(found: Report) -> Iterator[Row]:
    if found.readiness:
        yield Row(readiness_text(found.readiness), STRONG)
        yield Row(HOW_READINESS, MUTED)
    elif found.missing:
        yield Row(missing_text(found.missing), MUTED)


def _objectives(found: Report) -> Iterator[Row]:
    weak = [group for group in worst_first(found.objectives) if group.score.share != 1]
    for group in weak[:5]:
        yield Row(group.title, "", ((f"{points(group.score):>12} {percent(group.score):>5}  ", STRONG),))
    if weak:
        yield Row("Few items each: a hint, not a measure.", MUTED)


def _confidence(found: Report) -> Iterator[Row]:
    known = [group for group in found.confidence if group.score.n]
    for group in known:
        yield Row("", "", ((f"{group.title:<8}{points(group.score):>12} {percent(group.score):>5}", ""),))
    wrong = [str(line.number) for line in found.lines if line.confidence == "sure" and not line.mark.right]
    if wrong:
        yield Row(f"Sure and wrong: {', '.join(wrong)}", _HALF)


def _time(found: Report) -> Iterator[Row]:
    yield Row(f"{time_text(found)}.")
    slowest = [line for line in sorted(found.lines, key=lambda line: -line.milliseconds)[:3] if line.milliseconds]
    if slowest:
        yield Row(
            "Longest: " + ", ".join(f"item {line.number} took {clock(line.milliseconds)}" for line in slowest), MUTED
        )
    changed = [f"{count} {what}" for what, count in found.changes.items() if count]
    if changed:
        yield Row(f"Answers changed: {', '.join(changed)}.", MUTED)
