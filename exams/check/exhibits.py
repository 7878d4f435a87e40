"""Exhibits: they fit a page, what was typed works, the seed changes something, and the key is asked of their world."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from exams import item as items
from exams.check.explanations import explanations
from exams.check.finding import Finding, at_seeds
from exams.check.pool import Entry, Pool
from exams.rendered import Rendered

COLUMNS, LINES = 80, 60
"""What fits a page. Columns are not counted where the exhibit says `wide: true`."""

ENOUGH = 5
"""From so many seeds on, an exhibit with choices should have shown more than one thing."""

_FAILED = re.compile(r"(?P<command>\S+): command not found|command not found|not modelled")


def check(pool: Pool) -> Iterator[Finding]:
    """Exhibits that are too large, that show failures of the simulator, or that never change."""
    for entry in pool.entries:
        if entry.item.exhibit is None:
            continue
        looks = pool.looks[entry].rendered
        for complaint in (_long, _wide, _wide_prompt, _failed(entry)):
            yield from _told(entry, looks, complaint)
        yield from _constant(entry, looks)
        yield from _unasked(entry)


Complaint = Callable[[Rendered], str]
"""What is wrong with an exhibit; nothing, if it is well."""


def _told(entry: Entry, looks: Mapping[int, Rendered], complaint: Complaint) -> Iterator[Finding]:
    """The complaint once, with the seeds at which it holds and the words of the first."""
    found = {seed: text for seed, one in looks.items() if (text := complaint(one))}
    exhibit = entry.item.exhibit
    if not found or exhibit is None or (exhibit.wide and complaint in (_wide, _wide_prompt)):
        return
    where = f"{at_seeds(list(found), len(looks))}: " if exhibit.site else ""
    place = "lines" if exhibit.site else "text"
    yield entry.finding(where + next(iter(found.values())), "exhibit", place, warning=complaint is _wide_prompt)


def _long(rendered: Rendered) -> str:
    count = len(rendered.exhibit)
    return f"the exhibit has {count} lines, a page {LINES}; show less (`| head`, a query)" if count > LINES else ""


def _wide(rendered: Rendered) -> str:
    widest = max((len(rendered.exhibit[number - 1]) for number in rendered.output_lines), default=0)
    remedy = "show fewer columns (`| cut -c 1-80`), or write `wide: true`"
    return f"the exhibit is {widest} columns wide, a page {COLUMNS}; {remedy}" if widest > COLUMNS else ""


def _wide_prompt(rendered: Rendered) -> str:
    widest = max((len(rendered.exhibit[number - 1]) for number in rendered.typed), default=0)
    remedy = "shorten it, or write `wide: true`"
    return f"a line is typed up to column {widest}, a page has {COLUMNS}; {remedy}" if widest > COLUMNS else ""


def _failed(entry: Entry) -> Complaint:
    """What was typed did not work. Where the item speaks of the command that is not there, that is meant."""
    texts = " ".join([entry.item.stem, *(text for _, *told in explanations(entry.item) for text in told)])

    def complaint(rendered: Rendered) -> str:
        for number in rendered.output_lines:
            found = _FAILED.search(rendered.exhibit[number - 1])
            if found and not (found["command"] and found["command"] in texts):
                return f'line {number} of the exhibit says "{found[0]}"; type something that works'
        return ""

    return complaint


def _constant(entry: Entry, looks: Mapping[int, Rendered]) -> Iterator[Finding]:
    exhibit = entry.item.exhibit
    shown = {(one.exhibit, one.stem) for one in looks.values()}
    if exhibit and exhibit.vary and len(looks) >= ENOUGH and len(shown) == 1:
        text = f"the exhibit is the same at each of {len(looks)} seeds, although it varies; show what is chosen"
        yield entry.finding(text, "exhibit", "vary", warning=True)


def _unasked(entry: Entry) -> Iterator[Finding]:
    """A key that stands in the file is not known to be true of a world."""
    item = entry.item
    if item.exhibit is None or not item.exhibit.lines:
        return
    if isinstance(item, items.Single | items.Multiple) and not any(option.fact for option in item.options):
        text = "no option asks the exhibit's world, so nothing proves the key; give a `fact` where there is one"
        yield entry.finding(text, "options", warning=True)
    if isinstance(item, items.Numeric) and item.fact is None:
        text = "the number does not come from the exhibit's world; give a `fact` where there is one"
        yield entry.finding(text, "value", warning=True)
