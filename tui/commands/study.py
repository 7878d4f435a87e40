"""Exam questions one by one, each explained as soon as it is answered.

Without --wrong, --unseen, --flagged or --unsure all items count, those first that were never seen. How sure you were is
asked with each answer; `breakfix review` brings back what is due.
"""

from __future__ import annotations

import argparse
import asyncio
from functools import partial
from typing import TYPE_CHECKING

from engine.kernel.errors import BreakfixError
from tui.opening import parse_seed
from tui.plain.exam_options import whole

if TYPE_CHECKING:
    from exams.catalogue import Course
    from tui.live.exam import Sitting, Which, Wish

MOST_ITEMS, USUAL_ITEMS = 500, 20

CHOICES: dict[Which, str] = {
    "wrong": "items whose last answer was wrong",
    "unseen": "items that were never seen",
    "flagged": "items that were flagged when they were last seen",
    "unsure": "items whose last answer was unsure or a guess",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix study` takes."""
    parser.add_argument(
        "name", nargs="?", metavar="EXAM", help="an exam (`breakfix list exams`), or a file of your own"
    )
    parser.add_argument("--domain", metavar="ID", help="only of this domain")
    parser.add_argument("--objective", metavar="ID", help="only of this objective")
    which = parser.add_mutually_exclusive_group()
    for name, text in CHOICES.items():
        which.add_argument(f"--{name}", dest="which", action="store_const", const=name, default="all", help=text)
    parser.add_argument(
        "--items", type=whole(1, MOST_ITEMS), default=USUAL_ITEMS, metavar="N", help=f"so many (default {USUAL_ITEMS})"
    )
    parser.add_argument("--seed", help="which ones, and what their exhibits show (default: new ones)")
    parser.add_argument("--plain", action="store_true", help="line by line, without a full screen")
    parser.add_argument("--resume", action="store_true", help="take up the last study session that was left")


def run(arguments: argparse.Namespace) -> int:
    """Study. Returns 0."""
    from tui import full_screen

    if not arguments.plain and full_screen.possible():
        return _study_on_the_screen(arguments)
    return asyncio.run(_converse(arguments))


def _study_on_the_screen(arguments: argparse.Namespace) -> int:
    from tui import full_screen
    from tui.plain import exam_opening

    if arguments.resume:
        found = exam_opening.last_left("study", arguments.name)
        full_screen.run(full_screen.saved(lambda: found))
    elif arguments.name is None:
        full_screen.run()
    else:
        wish_of(arguments, exam_opening.course_named(arguments.name))
        full_screen.run(full_screen.sitting(partial(_begun, arguments, arguments.name)))
    return 0


async def _converse(arguments: argparse.Namespace) -> int:
    """Study line by line: a new session, or the one that was left."""
    from tui.live.exam import resume
    from tui.plain import exam_opening

    if arguments.resume:
        return await exam_opening.study(await resume(exam_opening.last_left("study", arguments.name)))
    name = arguments.name or exam_opening.chosen_exam()
    return 0 if name is None else await exam_opening.study(await _begun(arguments, name))


async def _begun(arguments: argparse.Namespace, name: str) -> Sitting:
    """A new session as the options say."""
    from tui.live.exam import begin_study
    from tui.plain.exam_opening import course_named

    seed = parse_seed(arguments.seed) if arguments.seed else None
    return await begin_study(name, seed, wish_of(arguments, course_named(name)))


def wish_of(arguments: argparse.Namespace, course: Course) -> Wish:
    """What to study, as the options say. Raises BreakfixError for a domain or an objective that there is not."""
    from engine.kernel.names import unknown
    from tui.live.exam import Wish

    domains = course.blueprint.domains
    known = {
        "domain": [domain.id for domain in domains],
        "objective": [one.id for domain in domains for one in domain.objectives],
    }
    for what, ids in known.items():
        given = getattr(arguments, what)
        if given is not None and given not in ids:
            raise BreakfixError(unknown(what, given, ids), f"{course.blueprint.code} has: {', '.join(ids)}.")
    return Wish(arguments.which, arguments.domain, arguments.objective, arguments.items)
