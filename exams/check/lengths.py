"""The right option of a single-choice item is not the longest one more often than chance would have it."""

from __future__ import annotations

from collections.abc import Iterator

from exams.check.finding import Finding, percent
from exams.check.pool import Entry, Pool
from exams.rendered import Rendered

MOST = 30
"""In at most so many percent of the items."""

ENOUGH = 10
"""With fewer items a share says nothing."""


def check(pool: Pool) -> Iterator[Finding]:
    """Where too many are the longest: the items in which it is, those that stand out most first."""
    singles = [(entry, one) for entry in pool.entries if (one := _first(pool, entry)) and one.kind == "single"]
    longest = sorted(
        ((excess, entry) for entry, one in singles if (excess := lead(one)) > 0), key=lambda found: -found[0]
    )
    if len(singles) < ENOUGH or len(longest) * 100 <= len(singles) * MOST:
        return
    share = f"{len(longest)} of {len(singles)} single-choice items, {percent(len(longest) / len(singles))}"
    spare = len(longest) - len(singles) * MOST // 100
    for excess, entry in longest:
        text = f"the right option is the longest, by {excess} characters; it is in {share} (at most {MOST} %)"
        yield entry.finding(f"{text}, so change at least {spare}", "options")


def lead(rendered: Rendered) -> int:
    """By how many characters the right option is longer than every other; 0 or less if it is not."""
    lengths = {one.id: len(one.text) for one in rendered.choices}
    right = lengths.pop(rendered.key[0])
    return right - max(lengths.values())


def _first(pool: Pool, entry: Entry) -> Rendered | None:
    """The item at the first seed at which it is sound."""
    return next(iter(pool.looks[entry].rendered.values()), None)
