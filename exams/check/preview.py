"""Items as a person sees them at a seed, with their keys and explanations, for the one who writes them."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from engine.kernel.errors import BreakfixError
from exams.check.pool import Entry
from exams.exhibits import Exhibits
from exams.feedback import feedback
from exams.item_text import WIDTH, citation, item_text
from exams.rendered import Rendered
from exams.rendering import render

_PARTS = {"numeric": "", "hands-on": "", "ordering": "step ", "matching": "pair ", "point": "line "}
"""What stands before the mark of a part that is not an option."""


async def preview(entry: Entry, number: int, seed: int, exhibits: Exhibits) -> str:
    """The item on paper, then what there is to say. Raises BreakfixError if it is no sound question at the seed."""
    try:
        rendered = await render(entry.item, seed, exhibits)
    except BreakfixError as error:
        raise BreakfixError(f"{entry.document.locate(('items', entry.number))}: {error.message}", error.hint) from None
    return "\n".join([*_head(entry, rendered), "", item_text(rendered, number), "", *_key(rendered)])


def _head(entry: Entry, rendered: Rendered) -> list[str]:
    place = str(entry.document.locate(("items", entry.number)))
    about = f"{rendered.kind}, level {rendered.difficulty}, {rendered.domain} / {rendered.objective}"
    return ["=" * WIDTH, f"{rendered.item}, seed {rendered.seed}  ({place})", about]


def _key(rendered: Rendered) -> Iterator[str]:
    """Every answer: whether it is right, and why."""
    for told in feedback(rendered, None):
        word = "right" if told.right else "wrong"
        if rendered.kind in ("ordering", "matching"):
            word = ""
        mark = f"{_PARTS.get(rendered.kind, '')}{told.mark}"
        yield from _hanging(" ".join(part for part in (f"{word:<5}", mark) if part.strip()) + "  ", told.text)
        yield from _hanging(" " * 9, told.because)
    if rendered.otherwise:
        yield from _hanging("other lines: ", rendered.otherwise)
    if rendered.scenario:
        yield f"Scenario: {rendered.scenario}, {rendered.minutes} minutes"
    yield from (line for source in rendered.sources for line in _hanging("Source: ", citation(source)))
    if rendered.practise:
        yield f"Practise: {', '.join(rendered.practise)}"


def _hanging(head: str, text: str) -> list[str]:
    indent = " " * len(head)
    return wrap(
        " ".join(text.split()),
        WIDTH,
        initial_indent=head,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
