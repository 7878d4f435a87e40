"""The last result again, an earlier one, or the list of results: exams that were handed in and finished study sessions.

`breakfix report 2` is the one before the last, `breakfix report NCA-AIIO` the last one of that exam.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from engine.kernel.errors import BreakfixError

if TYPE_CHECKING:
    from tui.exam_history import PastResult


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix report` takes."""
    parser.add_argument("which", nargs="?", default="1", metavar="NUMBER|EXAM", help="a number of the list, or an exam")
    parser.add_argument("--list", action="store_true", help="all results, the last one first")
    parser.add_argument(
        "--items", metavar="WHICH", help="the items too: all, wrong, flagged, unsure, a number, a domain"
    )
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.add_argument("--html", metavar="FILE", help="keep the report as a page to print")


def run(arguments: argparse.Namespace) -> int:
    """Print the list or the report. Returns 0."""
    from tui.exam_history import past_results

    results = past_results()
    if arguments.list:
        return _list(results, as_json=arguments.json)
    if not results:
        raise BreakfixError("there is no result yet", "`breakfix exam NCA-AIIO` begins an exam.")
    return _report(_chosen(results, arguments.which), arguments)


def _chosen(results: list[PastResult], which: str) -> PastResult:
    """A result by its number in the list, or the last one of an exam."""
    from tui.plain.exam_opening import is_of

    if which.isascii() and which.isdigit():
        if not 1 <= int(which[:9]) <= len(results):
            raise BreakfixError(f"there is no result {which}; there are {len(results)}", "`--list` shows them.")
        return results[int(which) - 1]
    for one in results:
        if is_of(one.saved, which):
            return one
    raise BreakfixError(f"there is no result of {which}", "`breakfix report --list` shows what there is.")


def _report(result: PastResult, arguments: argparse.Namespace) -> int:
    from exams.report import report
    from tui.plain.exam_result import review_items, selected, show_report

    found = report(result.attempt())
    lines = selected(found, arguments.items) if arguments.items else ()
    show_report(found, as_json=arguments.json, html=arguments.html)
    if lines and not arguments.json:
        print("\n\n" + "\n\n".join(review_items(found, lines)), end="")
    return 0


def _list(results: list[PastResult], *, as_json: bool) -> int:
    from tui.plain.exam_result import result_data, result_row

    data = [result_data(number, one) for number, one in enumerate(results, 1)]
    if as_json:
        print(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        print("\n".join(map(result_row, data)) or "(none)")
    return 0
