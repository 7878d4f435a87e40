"""Lines to point at: few are right, and what is said of others is said at some seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from exams import item as items
from exams.check.finding import Finding, at_seeds
from exams.check.pool import Entry, Pool
from exams.rendered import Rendered

FEW = 3
"""As many lines may be right."""

SHARE = 3
"""At most one of so many lines that can be pointed at may be right."""

ENOUGH = 10
"""Over fewer seeds a line may be missing by chance."""


def check(pool: Pool) -> Iterator[Finding]:
    """Items with too many right lines, and notes on lines that never stand there."""
    for entry in pool.entries:
        if isinstance(entry.item, items.Point):
            looks = pool.looks[entry].rendered
            yield from _right(entry, looks)
            yield from _unused(entry, entry.item, list(looks.values()))


def _right(entry: Entry, looks: Mapping[int, Rendered]) -> Iterator[Finding]:
    many = [seed for seed, one in looks.items() if len(one.lines) > FEW]
    dense = [seed for seed, one in looks.items() if len(one.lines) * SHARE > len(one.output_lines)]
    if many:
        most = max(len(looks[seed].lines) for seed in many)
        text = f"{at_seeds(many, len(looks))}: up to {most} lines are right; make the pattern narrower (at most {FEW})"
        yield entry.finding(text, "right", "pattern")
    elif dense:
        text = f"{at_seeds(dense, len(looks))}: more than one line in {SHARE} is right; show more lines"
        yield entry.finding(text, "right", "pattern", warning=True)


def _unused(entry: Entry, item: items.Point, looks: list[Rendered]) -> Iterator[Finding]:
    told = {remark.because for one in looks for remark in one.remarks}
    for number, note in enumerate(item.wrong):
        said = note.because.strip()
        if len(looks) >= ENOUGH and "{" not in said and said not in told:
            text = f"no wrong line holds this at any of {len(looks)} seeds; correct the pattern or leave it out"
            yield entry.finding(text, "wrong", number, "pattern", warning=True)
