"""What a debrief tells, section by section, as rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from engine.kernel.units import MINUTE, format_duration
from scenarios.components import NOTHING, causes
from scenarios.debrief import hints_told, paragraphs, points_text, same_for_others, signed_points
from scenarios.result import EvidenceResult, GivenDiagnosis, Moment, Part, Result
from scenarios.script import Answer, Diagnose, Hands, Hint, Line, Move, Note, Pin, Wait, parse_move, script_lines
from tui.learning import next_drill, packaged_drills
from tui.live.drill import LiveDrill
from tui.look.glyphs import Glyphs
from tui.played import results
from tui.widgets.rows import ACCENT, MUTED, STRONG, Piece, Row

_BAR = 20
_OK, _BAD, _HALF = "$state-ok", "$state-down", "$state-degraded"


@dataclass(frozen=True)
class Debriefing:
    """A drill, its result, and the signs to draw with."""

    drill: LiveDrill
    result: Result
    glyphs: Glyphs

    @property
    def titles(self) -> dict[str, str]:
        """The causes with their titles."""
        return causes(self.drill.session.scenario)

    def words(self, cause: str, component: str) -> str:
        """A diagnosis in words."""
        words = self.titles.get(cause, cause)
        return words if component == NOTHING else f"{words}: {component}"

    def clock(self, time: int) -> str:
        """A time as the site's clocks show it."""
        return self.drill.session.clock(time)


Section = Callable[[Debriefing], Iterator[Row]]


def head(told: Debriefing) -> Iterator[Row]:
    """The score, whether it is passed, and what the parts earned."""
    result, glyphs = told.result, told.glyphs
    sign, word, style = (glyphs.tick, "passed", _OK) if result.passed else (glyphs.cross, "not passed", _BAD)
    hints = f"hints -{points_text(result.score.hints)}, " if result.score.hints else ""
    score = f"{points_text(result.score.total)} / 100"
    yield Row(
        f"{hints}{result.title}, seed {result.seed}",
        MUTED,
        ((f"{score}   ", f"bold {ACCENT}"), (f"{sign} {word}   ", f"bold {style}")),
        cut=True,
    )
    parts = [f"{part.name} {points_text(part.points)}/{part.of}" for part in result.score.parts]
    yield Row(", ".join(parts))


def truth(told: Debriefing) -> Iterator[Row]:
    """What was wrong, what the learner said, and why it is not passed."""
    result = told.result
    for component, cause in result.truths:
        yield Row(told.words(cause, component), STRONG)
        yield Row(cause, MUTED)
    yield Row()
    if not result.diagnoses:
        yield Row("You gave no diagnosis.", lead=_mark(told.glyphs.cross, _BAD))
    for one in result.diagnoses:
        yield _said(told, one)
    for why in result.not_passed:
        yield Row(f"not passed: {why}", lead=_mark(told.glyphs.cross, _BAD))


def _said(told: Debriefing, one: GivenDiagnosis) -> Row:
    text = f"You said: {told.words(one.cause, one.component)}"
    if one.exact:
        return Row(f"{text} (right)", lead=_mark(told.glyphs.tick, _OK))
    return Row(f"{text} (not it)", lead=_mark(told.glyphs.cross, _BAD))


def lesson(told: Debriefing) -> Iterator[Row]:
    """The teaching text."""
    for number, text in enumerate(paragraphs(told.drill.session)):
        yield from [Row()] if number else []
        yield Row(" ".join(text.split()))


def other_causes(told: Debriefing) -> Iterator[Row]:
    """What else it could have been, and what ruled that out."""
    session, glyphs = told.drill.session, told.glyphs
    known = {one.id: one for one in told.result.evidence}
    for wrong in session.scenario.diagnosis.wrong if session.scenario.diagnosis else ():
        yield Row(told.words(wrong.cause, session.stage.fill(wrong.component)), STRONG)
        yield Row(" ".join(session.stage.fill(wrong.because).split()), lead=_INSET)
        for one in (known[id] for id in wrong.refuted_by if id in known):
            yield Row(one.says, MUTED, (*_INSET, *_evidence_mark(one, glyphs)))


def reference(told: Debriefing) -> Iterator[Row]:
    """The reference solution."""
    session, result = told.drill.session, told.result
    moves = [parse_move(line) for _, line in script_lines(session.stage.fill(session.scenario.solution))]
    own = f"{result.lines} commands in {format_duration(_whole_minutes(result.ended - result.arrival))}"
    yield Row(f"{sum(isinstance(move, Line) for move in moves)} commands; you took {own}.", MUTED)
    for move in moves:
        if isinstance(move, Line):
            yield Row(move.text, lead=(("$ ", MUTED),))
        else:
            yield Row(_move_words(told, move), lead=((f"{told.glyphs.bullet} ", ACCENT),))


def _move_words(told: Debriefing, move: Move) -> str:
    """A move beside the shell as the screen calls it."""
    match move:
        case Pin(text):
            return f"pin: {text}"
        case Note(text):
            return f"note: {text}"
        case Diagnose(component, cause):
            return f"diagnosis: {told.words(cause, component)}"
        case Hands(action, target):
            return f"remote hands: {action} {target}"
        case Wait(duration):
            return f"wait {format_duration(duration)}"
        case Answer(question, text):
            return f"answer to {question}: {text}"
        case Hint():
            return "take a hint"
    return "hand in"


def _whole_minutes(time: int) -> int:
    return max(round(time / MINUTE), 1) * MINUTE


def points(told: Debriefing) -> Iterator[Row]:
    """What each part earned, and why."""
    for part in told.result.score.parts:
        yield Row(lead=_bar(part, told.glyphs))
        for reason in part.reasons:
            yield Row(reason.text, lead=((f"{signed_points(reason)}  ", _sign_style(reason.points)),))
    for hints in hints_told(told.result):
        yield Row(hints, STRONG)


def _bar(part: Part, glyphs: Glyphs) -> tuple[Piece, ...]:
    earned = round(_BAR * part.points / part.of)
    return (
        (f"{part.name:<10} ", STRONG),
        (glyphs.rule * earned, ACCENT),
        (glyphs.unknown * (_BAR - earned), MUTED),
        (f"  {points_text(part.points)}/{part.of}", STRONG),
    )


def _sign_style(value: float) -> str:
    return _OK if value > 0 else _BAD if value < 0 else MUTED


def evidence(told: Debriefing) -> Iterator[Row]:
    """What there was to see: pinned, seen or missed, with the line that showed it."""
    for one in told.result.evidence:
        yield Row(one.says, lead=_evidence_mark(one, told.glyphs))
        if one.at is not None:
            yield Row(one.text, ACCENT, _UNDER_MARK, cut=True)
            yield Row(f"{told.clock(one.at)}  {one.line}", MUTED, _UNDER_MARK, cut=True)


def _evidence_mark(one: EvidenceResult, glyphs: Glyphs) -> tuple[Piece, ...]:
    if one.pinned:
        return ((f"{glyphs.pin} pinned  ", _OK),)
    return ((f"{glyphs.unchosen} seen    ", _HALF),) if one.seen else ((f"{glyphs.cross} missed  ", _BAD),)


def timeline(told: Debriefing) -> Iterator[Row]:
    """What happened when, and by whom."""
    came = False
    for one in told.result.timeline:
        if not came and one.at >= told.result.arrival:
            came = True
            yield Row("you came", MUTED, ((f"{told.clock(told.result.arrival)}  ", MUTED), ("        ", "")))
        yield _moment(told, one)


def _moment(told: Debriefing, one: Moment) -> Row:
    glyphs = told.glyphs
    signs = {
        "fault": (glyphs.down, _BAD),
        "harm": (glyphs.degraded, _HALF),
        "you": (glyphs.arrow, ACCENT),
        "room": (glyphs.tick, _OK),
    }
    sign, style = signs.get(one.who, (glyphs.bullet, MUTED))
    lead = ((f"{told.clock(one.at)}  ", MUTED), (f"{sign} ", style), (f"{one.who:<6}  "[:8], MUTED))
    return Row(" ".join(one.text.split()), lead=lead)


def further(told: Debriefing) -> Iterator[Row]:
    """What to read, the line that gives somebody else the same, and what to play next."""
    scenario = told.drill.session.scenario
    for source in scenario.sources:
        yield Row(source, lead=_mark(told.glyphs.bullet, MUTED))
    yield Row()
    yield Row(f"The same for somebody else: {same_for_others(told.drill.source, told.result.seed, scenario.kind)}")
    coming = next_drill(packaged_drills(), list(results()))
    if coming is not None and coming.drill.name != scenario.id:
        yield Row(f"Next for you: {coming.drill.title}. {coming.reason}")


def _mark(glyph: str, style: str) -> tuple[Piece, ...]:
    return ((f"{glyph} ", style),)


_INSET: tuple[Piece, ...] = (("  ", ""),)
_UNDER_MARK: tuple[Piece, ...] = ((" " * 10, ""),)

LEFT: Sequence[tuple[str, Section]] = (
    ("What was wrong", truth),
    ("Looking back", lesson),
    ("What ruled out the other causes", other_causes),
    ("One way to do it", reference),
    ("Read and play on", further),
)
RIGHT: Sequence[tuple[str, Section]] = (
    ("Points", points),
    ("Evidence", evidence),
    ("Timeline", timeline),
)


def section_rows(name: str, section: Section, told: Debriefing) -> list[Row]:
    """A section under its heading; nothing if there is nothing to tell."""
    rows = list(section(told))
    return [Row(name, f"bold {ACCENT}"), *rows, Row()] if rows else []
