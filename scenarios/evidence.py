"""What a learner has seen: patterns that stood on the screen because of the fault, and for no other reason.

A pattern counts if a line showed it, the same line at the same time in the twin did not, and the learner had not
written it: neither the found text in that line, nor the whole line of the screen in anything typed so far.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from scenarios.journal import Entry
from scenarios.model import Evidence, Scenario, WrongCause
from scenarios.patterns import Span
from scenarios.replay import Replay, Shown
from scenarios.stage import Stage

_WORD = re.compile(r"[A-Za-z0-9]{2,}")
_OWN_WORDS = 3
"""A line of the screen with fewer words of its own than this may be put together from what was typed."""

_TELLING = 12
"""Characters from which on a line is not typed by chance."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """A piece of evidence on the screen: when, by which line of input, and in which line of output."""

    evidence: str
    entry: int
    at: int
    line: str
    text: str


Worlds = Mapping[str | None, Mapping[int, Shown]]
"""What the lines showed elsewhere: in the twin (None), and where a wrong cause stands instead."""


async def find_sightings(stage: Stage, entries: Sequence[Entry]) -> list[Sighting]:
    """Every sighting of a piece of evidence in a session's lines."""
    shown = [
        (number, one)
        for number, entry in enumerate(entries)
        if entry.kind == "line"
        for one in stage.scenario.evidence
        if reveals(stage, one, entry.everything)
    ]
    last = max((number for number, _ in shown), default=-1)
    needed = dict.fromkeys(one.against for _, one in shown)
    worlds = {against: await replay_in(stage, against, entries[: last + 1]) for against in needed}
    return sightings(stage, entries, worlds)


async def replay_in(stage: Stage, against: str | None, entries: Sequence[Entry]) -> dict[int, Shown]:
    """What the lines show in the twin, or with the named wrong cause instead."""
    wrong = _wrong_cause(stage.scenario, against)
    world = await stage.instead(wrong) if wrong else await stage.twin()
    return await Replay(world, stage.open_world).run(list(enumerate(entries)))


def sightings(stage: Stage, entries: Sequence[Entry], worlds: Worlds) -> list[Sighting]:
    """The sightings, given what the lines showed elsewhere."""
    found, typed = [], ""
    for number, entry in enumerate(entries):
        if entry.kind != "line":
            continue
        typed += entry.text + "\n"
        for one in stage.scenario.evidence:
            elsewhere = worlds.get(one.against, {}).get(number)
            found += list(_in_entry(stage, one, number, entry, elsewhere, typed))
    return found


def first_sightings(found: Iterable[Sighting]) -> dict[str, Sighting]:
    """The first sighting of each piece of evidence."""
    first: dict[str, Sighting] = {}
    for sighting in found:
        first.setdefault(sighting.evidence, sighting)
    return first


def share(scenario: Scenario, seen: Iterable[str]) -> float:
    """How much of the evidence was seen, by weight, 0 to 1."""
    known, total = set(seen), sum(one.weight for one in scenario.evidence)
    return sum(one.weight for one in scenario.evidence if one.id in known) / total if total else 0.0


def reveals(stage: Stage, one: Evidence, text: str) -> bool:
    """Whether a text shows a piece of evidence."""
    return any(all(spans) for spans in _readings(stage, one, text))


def _in_entry(
    stage: Stage, one: Evidence, number: int, entry: Entry, elsewhere: Shown | None, typed: str
) -> Iterator[Sighting]:
    """Sightings of a piece of evidence in the output of a line, one per line of the screen."""
    if elsewhere is None or elsewhere.cut or reveals(stage, one, elsewhere.text):
        return
    for spans in _readings(stage, one, entry.everything):
        honest = [[span for span in found if not _typed(span, entry, typed)] for found in spans]
        if all(honest):
            for text in dict.fromkeys(span.line_text for found in honest for span in found):
                yield Sighting(one.id, number, entry.ended, entry.text, text)


def _readings(stage: Stage, one: Evidence, text: str) -> Iterator[list[list[Span]]]:
    """The ways in which a text may show it: for each, where each pattern that is needed stands."""
    values = stage.choices.texts
    if any(pattern.find(text, values) for pattern in one.without):
        return
    yield from ([pattern.find(text, values)] for pattern in one.patterns)
    if one.every:
        yield [pattern.find(text, values) for pattern in one.every]


def _typed(span: Span, entry: Entry, typed: str) -> bool:
    """Whether the learner wrote what was found: in this line of input, as a whole line of the screen before, or in
    pieces (a line of the screen nearly all of whose words stand in what was typed).
    """
    if span.line_text[span.start : span.end] in entry.text or _written(span.line_text.strip(), typed):
        return True
    words = set(_WORD.findall(span.line_text))
    own = words - set(_WORD.findall(entry.text)) - set(_WORD.findall(typed))
    return len(own) < _OWN_WORDS and len(own) * 3 < len(words)


def _written(line: str, typed: str) -> bool:
    """Whether a line of the screen is one that the learner wrote; short ones stand in other texts by chance."""
    return len(line) >= _TELLING and line in typed


def _wrong_cause(scenario: Scenario, cause: str | None) -> WrongCause | None:
    wrong = scenario.diagnosis.wrong if scenario.diagnosis else ()
    return next((one for one in wrong if one.cause == cause), None)
