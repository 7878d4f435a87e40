"""The exam questions that are due today, worked out by spaced repetition (FSRS) from all your answers so far.

Some that were never seen come with them. Without a name: the exam that you study; of several it is told what is due.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

from tui.opening import parse_seed

if TYPE_CHECKING:
    from tui.live.exam import Sitting


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix review` takes."""
    parser.add_argument(
        "name", nargs="?", metavar="EXAM", help="an exam (`breakfix list exams`), or a file of your own"
    )
    parser.add_argument("--seed", help="what the exhibits show (default: something new)")
    parser.add_argument("--plain", action="store_true", help="line by line, without a full screen")
    parser.add_argument("--json", action="store_true", help="how much is due, as JSON; nothing is asked")


def run(arguments: argparse.Namespace) -> int:
    """Review. Returns 0."""
    from tui import full_screen
    from tui.plain.exam_due import due_in, due_text

    now = int(time.time())
    found = due_in(arguments.name, now)
    if arguments.json:
        print(json.dumps([one.data() for one in found], indent=2))
        return 0
    if not found:
        print("Nothing was studied yet. `breakfix study NCA-AIIO` begins.")
        return 0
    if len(found) != 1 or not found[0].today:
        print("\n".join(due_text(one, now) for one in found))
        return 0
    begin = partial(_begun, found[0].source, parse_seed(arguments.seed) if arguments.seed else None)
    if not arguments.plain and full_screen.possible():
        full_screen.run(full_screen.sitting(begin))
        return 0
    return asyncio.run(_converse(begin))


async def _begun(source: str, seed: int | None) -> Sitting:
    """Today's review of an exam."""
    from tui.live.exam import Wish, begin_study

    return await begin_study(source, seed, Wish("due"))


async def _converse(begin: Callable[[], Coroutine[Any, Any, Sitting]]) -> int:
    from tui.plain.exam_opening import study

    return await study(await begin())
