"""The report on an exam or a study session in plain mode: told, as JSON, as a page, and item by item."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from engine.kernel.errors import BreakfixError
from engine.kernel.names import unknown
from tui.plain.bare_lines import INTERRUPTED
from tui.plain.exam_reading import Lines
from tui.plain.exam_say import say, text_width

if TYPE_CHECKING:
    from exams.report import Line, Report
    from tui.exam_history import PastResult

REVIEW_HELP = (
    "Look at items again: `wrong`, `flagged`, `unsure`, `all`, a number, or a domain ({domains}). "
    "`wrong {first}` is both. `?` tells this again, Enter alone leaves."
)


def show_report(found: Report, *, as_json: bool = False, html: str | None = None) -> None:
    """Print the report; keep it as a page too, if a file is named. Raises BreakfixError if that can't be written."""
    from exams.report import as_data
    from exams.report_text import report_text

    print(json.dumps(as_data(found), indent=2, ensure_ascii=False) if as_json else report_text(found).rstrip("\n"))
    if html is not None:
        save_page(found, html)
        print(f"The page is {html}", file=sys.stderr)


def save_page(found: Report, file: str) -> None:
    """Write the report as a page. Raises BreakfixError."""
    from exams.html import result_page

    try:
        Path(file).write_text(result_page(found, day(found.attempt.paper.started)), encoding="utf-8")
    except OSError as error:
        raise BreakfixError(f"the page {file} can't be written: {error.strerror}") from None


def day(at: int) -> str:
    """The day of a time, here; empty for none."""
    return datetime.fromtimestamp(at).date().isoformat() if at else ""


def selected(found: Report, words: str) -> tuple[Line, ...]:
    """The lines of the report that some words mean: a number, a selection, a domain. Raises BreakfixError."""
    from exams.report import SELECTIONS

    which, domain = "all", None
    domains = [group.id for group in found.domains]
    for word in words.split():
        if word.isdigit():
            return tuple(line for line in found.lines if line.number == int(word)) or _no_item(word, found)
        if word not in SELECTIONS and word not in domains:
            raise BreakfixError(unknown("choice", word, [*SELECTIONS, *domains]))
        which, domain = (word, domain) if word in SELECTIONS else (which, word)
    return found.select(which, domain)


def _no_item(number: str, found: Report) -> tuple[Line, ...]:
    raise BreakfixError(f"there is no item {number} here; there are {len(found.attempt.items)}")


def review_items(found: Report, lines: tuple[Line, ...]) -> Iterator[str]:
    """The items of some lines with everything there is to say about them."""
    from exams.item_text import item_text, review_text

    for line in lines:
        item, response = found.attempt.items[line.number - 1], found.attempt.responses[line.number - 1]
        mark = line.mark.note if line.answered else ""
        note = f"\nYour note: {response.note}" if response.note else ""
        asked = item_text(item, line.number, text_width())
        yield f"{asked}\n\n{review_text(item, response.answer, mark, text_width())}{note}\n"


def review_help(found: Report) -> str:
    """What can be typed to look at items again."""
    domains = [group.id for group in found.domains if group.score.n]
    from exams.report_text import WIDTH

    text = REVIEW_HELP.format(domains=", ".join(domains), first=domains[0] if domains else "")
    return "\n".join(wrap(text, WIDTH, break_on_hyphens=False))


def result_data(number: int, result: PastResult) -> dict[str, Any]:
    """A result as a line of the list; what is damaged says so."""
    from exams.report import report
    from exams.report_text import percent, points

    row: dict[str, Any] = {"number": number, "exam": result.title, "mode": result.mode, "file": str(result.saved.path)}
    try:
        found = report(result.attempt())
    except BreakfixError as error:
        return row | {"problem": error.message}
    paper = found.attempt.paper
    return row | {
        "started": paper.started,
        "day": day(paper.started),
        "seed": paper.seed,
        "points": points(found.total),
        "percent": percent(found.total),
    }


def result_row(data: dict[str, Any]) -> str:
    """That line for people."""
    head = f"{data['number']:>3}  {data['exam']}"
    if "problem" in data:
        return f"{head}  damaged: {data['file']}"
    return f"{head}, {data['mode']}, {data['day']}, seed {data['seed']}: {data['points']} points, {data['percent']}"


async def look_again(found: Report, lines: Lines) -> None:
    """Let the learner look at items again, until they leave."""
    print(f"\n{review_help(found)}")
    while (text := await lines.read("review> ")) not in (None, "", INTERRUPTED, "q", "quit"):
        if text in ("?", "help"):
            print(review_help(found))
            continue
        try:
            shown = selected(found, text or "")
            print("\n\n".join(review_items(found, shown)) if shown else "There are no such items.")
        except BreakfixError as error:
            say(error)
    print()
