"""What must hold at every seed: the item is a sound question, and its right answer is marked as right."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.kernel.errors import BreakfixError
from exams.answer_text import read_answer, written_answer
from exams.answers import right_answer
from exams.check.finding import Finding, at_seeds
from exams.check.pool import Entry, Looks, Pool
from exams.marking import mark
from exams.rendered import Rendered

_SEED = re.compile(r" at seed \d+")


def check(pool: Pool) -> Iterator[Finding]:
    """Items that are no question at some seed, and keys that do not earn the point."""
    for entry in pool.entries:
        looks = pool.looks[entry]
        yield from _refused(entry, looks)
        yield from _marked(entry, looks)


def _refused(entry: Entry, looks: Looks) -> Iterator[Finding]:
    by_text: dict[str, list[int]] = {}
    for seed, text in looks.refused.items():
        by_text.setdefault(_SEED.sub("", text), []).append(seed)
    seeds = len(looks.refused) + len(looks.rendered)
    for text, found in by_text.items():
        place = ("options",) if "options are right" in text else ("exhibit",) if entry.item.exhibit else ()
        yield entry.finding(f"{at_seeds(found, seeds)}: {text}", *place)


def _marked(entry: Entry, looks: Looks) -> Iterator[Finding]:
    found: dict[str, list[int]] = {}
    for seed, rendered in looks.rendered.items():
        if what := _unmarked(rendered):
            found.setdefault(what, []).append(seed)
    yield from (entry.finding(f"{at_seeds(seeds, len(looks.rendered))}: {what}") for what, seeds in found.items())


def _unmarked(rendered: Rendered) -> str:
    """What keeps the right answer from the point; nothing, if it has it."""
    answer = right_answer(rendered)
    try:
        if rendered.kind != "hands-on" and read_answer(rendered, written_answer(rendered, answer)) is None:
            return "the right answer cannot be written"
    except BreakfixError as error:
        return f"the right answer cannot be written: {error.message}"
    return "" if mark(rendered, answer).right else "the right answer is marked as wrong"
