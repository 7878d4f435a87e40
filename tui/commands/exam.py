"""A practice exam: timed, no feedback before the end, then a report.

With --answers, a file of answers is marked without a screen (docs/exams.md says how it is written). With --print, the
paper is printed. With --seed everybody gets the same paper, whatever they have seen before. There is no pass mark: none
is published.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from engine.kernel.errors import BreakfixError
from tui.opening import parse_seed
from tui.plain.exam_options import whole

if TYPE_CHECKING:
    from exams.catalogue import Course
    from exams.paper import Paper, Terms, Told
    from tui.app import Breakfix, Start
    from tui.live.exam import Sitting

MOST_ITEMS, MOST_LABS, MOST_EXTRA = 500, 10, 400


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix exam` takes."""
    parser.add_argument(
        "name", nargs="?", metavar="EXAM", help="an exam (`breakfix list exams`), or a file of your own"
    )
    parser.add_argument("--seed", help="which paper (default: a new one, of items that you have not seen)")
    parser.add_argument(
        "--items", type=whole(1, MOST_ITEMS), metavar="N", help="so many questions (default: the exam's)"
    )
    parser.add_argument("--labs", type=whole(0, MOST_LABS), metavar="N", help="so many hands-on labs")
    parser.add_argument(
        "--extra-time", type=whole(0, MOST_EXTRA), default=0, metavar="PERCENT", help="so much more time"
    )
    parser.add_argument("--assigned", action="store_true", help="the time runs on while breakfix does not run")
    parser.add_argument(
        "--part-points", action="store_true", help="points for a part of several right options, not for all or nothing"
    )
    parser.add_argument("--plain", action="store_true", help="line by line, without a full screen")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--resume", action="store_true", help="take up the last exam that was not handed in")
    how.add_argument("--answers", metavar="FILE", help="mark the answers in FILE (- is standard input); needs --seed")
    how.add_argument("--print", action="store_true", help="print the paper")
    parser.add_argument("--keys", action="store_true", help="with --print: also the right answers, and why")
    parser.add_argument("--json", action="store_true", help="the report as JSON (line by line); with --print the paper")
    parser.add_argument("--html", metavar="FILE", help="keep the report as a page to print (line by line)")


def run(arguments: argparse.Namespace) -> int:
    """Print, mark or take an exam. Returns 0, however many points there were."""
    if arguments.keys and not arguments.print:
        raise BreakfixError("--keys goes with --print")
    if arguments.print and arguments.html is not None:
        raise BreakfixError("--html keeps a result, and --print has none", "--json prints the paper as data.")
    if arguments.print or arguments.answers is not None:
        return _without_conversation(arguments)
    if _on_the_screen(arguments):
        return _take_on_the_screen(arguments)
    return asyncio.run(_converse(arguments))


def _on_the_screen(arguments: argparse.Namespace) -> bool:
    from tui import full_screen

    in_plain_mode = arguments.plain or arguments.json or arguments.html is not None
    return not in_plain_mode and full_screen.possible()


def _take_on_the_screen(arguments: argparse.Namespace) -> int:
    """In the full-screen program: the exam's menu, or at once where the options say everything."""
    from tui import full_screen
    from tui.plain import exam_opening

    if arguments.resume:
        found = exam_opening.last_left("exam", arguments.name)
        full_screen.run(full_screen.saved(lambda: found))
    elif arguments.name is None:
        full_screen.run()
    else:
        course = exam_opening.course_named(arguments.name)
        page = _start_page(arguments, course)
        full_screen.run(page if _says_how(arguments) else full_screen.exam_menu(arguments.name))
    return 0


def _start_page(arguments: argparse.Namespace, course: Course) -> Start:
    """Begin with the page that says what the exam is; its time starts there."""
    seed, begin = parse_seed(arguments.seed) if arguments.seed else None, partial(_begun, arguments, arguments.name)

    async def start(app: Breakfix) -> None:
        from tui.screens.exam_start import ExamStart

        await app.push_screen(ExamStart(course, terms_of(arguments), seed, begin))

    return start


def _says_how(arguments: argparse.Namespace) -> bool:
    """Whether anything is said about the exam that its menu would ask for."""
    given = (arguments.seed, arguments.items, arguments.labs)
    return any(one is not None for one in given) or bool(
        arguments.extra_time or arguments.assigned or arguments.part_points
    )


async def _converse(arguments: argparse.Namespace) -> int:
    """Take an exam line by line: a new one, or the one that was left."""
    from tui.live.exam import resume
    from tui.plain import exam_opening
    from tui.plain.exam_paper import lacking

    if arguments.resume:
        sitting = await resume(exam_opening.last_left("exam", arguments.name))
    else:
        name = arguments.name or exam_opening.chosen_exam()
        if name is None:
            return 0
        exam_opening.course_named(name)
        exam_opening.tell_what_was_left("exam")
        sitting = await _begun(arguments, name, exam_opening.progress())
        _warn(lacking(sitting.attempt.paper, terms_of(arguments)))
    return await exam_opening.take(sitting, resumed=arguments.resume, as_json=arguments.json, html=arguments.html)


async def _begun(arguments: argparse.Namespace, name: str, told: Told | None = None) -> Sitting:
    """A new exam as the options say."""
    from tui.live.exam import begin_exam

    seed = parse_seed(arguments.seed) if arguments.seed else None
    return await begin_exam(name, seed, terms_of(arguments), fresh=seed is None, told=told)


def terms_of(arguments: argparse.Namespace) -> Terms:
    """How the exam is taken, as the options say."""
    from exams.marking import Rules
    from exams.paper import Terms

    return Terms(
        count=arguments.items,
        labs=arguments.labs,
        extra=arguments.extra_time,
        assigned=arguments.assigned,
        rules=Rules("part" if arguments.part_points else "all"),
    )


def _without_conversation(arguments: argparse.Namespace) -> int:
    """The paper of a seed: printed, or its answers marked."""
    from tui.plain.exam_opening import course_named
    from tui.plain.exam_paper import incomplete, lacking, marked, paper_of
    from tui.plain.exam_result import show_report

    what = "--print" if arguments.print else "--answers"
    if arguments.name is None:
        raise BreakfixError(f"{what} needs the name of an exam", "`breakfix list exams` shows them all.")
    if arguments.answers is not None and arguments.seed is None:
        raise BreakfixError("--answers needs --seed: the seed of the paper that was answered")
    terms = terms_of(arguments)
    paper = paper_of(course_named(arguments.name), parse_seed(arguments.seed or "1"), terms)
    _warn(lacking(paper, terms))
    if arguments.print:
        _print_paper(paper, arguments)
    else:
        found = marked(paper, arguments.answers)
        _warn(incomplete(found.attempt, arguments.answers))
        show_report(found, as_json=arguments.json, html=arguments.html)
    return 0


def _print_paper(paper: Paper, arguments: argparse.Namespace) -> None:
    if arguments.json:
        from tui.plain.exam_paper_data import paper_data

        print(json.dumps(paper_data(paper, keys=arguments.keys), indent=2, ensure_ascii=False))
    else:
        from tui.plain.exam_paper import printed

        print(printed(paper, keys=arguments.keys), end="")


def _warn(sentences: Iterable[str]) -> None:
    """Say on stderr what is not as it was asked for."""
    for sentence in sentences:
        print(f"breakfix: {sentence}", file=sys.stderr)
