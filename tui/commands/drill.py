"""A hidden fault to find, repair and be scored on.

With --script, the file's lines feed the learner's shell and lines like `:diagnose component=... cause=...`,
`:pin TEXT`, `:note TEXT`, `:hint`, `:hands ACTION target=...`, `:wait 10m`, `:submit` are the other moves. The status
is 0 if the drill was passed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from pathlib import Path

from engine.kernel.errors import BreakfixError
from tui.opening import parse_seed


def add_arguments(parser: argparse.ArgumentParser, what: str = "drill") -> None:
    """What `breakfix drill` takes, and with another word `breakfix lab`."""
    parser.add_argument("name", nargs="?", help=f"a {what} (`breakfix list {what}s`) or a scenario file")
    parser.add_argument("--seed", help="which variant (default: a new one each time; 1 for scripts)")
    parser.add_argument("--plain", action="store_true", help="line by line, without a full screen")
    parser.add_argument("--script", metavar="FILE", help="take the learner's moves from FILE (- is standard input)")
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    if what == "drill":
        parser.add_argument("--random", action="store_true", help="a drill that nobody wrote: find it, hand it on")
        parser.add_argument("--area", help="of a random drill: gpu, pcie, fabric, roce, cooling, ... (default: any)")
        parser.add_argument("--exam", help="of a random drill: what NCP-AII, NCP-AIN or NCP-AIO asks")
        parser.add_argument("--level", type=int, default=0, choices=range(6), help="of a random drill: 1 (easy) to 5")
    parser.add_argument("--resume", action="store_true", help="take up the last session that was not handed in")


def run(arguments: argparse.Namespace) -> int:
    """Play. Returns 0 if the drill was passed, 1 if not."""
    from tui import drills

    _name_random(arguments)
    if arguments.script is not None:
        seed = parse_seed(arguments.seed or "1")
        return _run_script(arguments, seed)
    if _on_the_screen(arguments):
        return _play_on_the_screen(arguments)
    if arguments.resume:
        return asyncio.run(drills.resume_last(arguments.name))
    if arguments.name is None:
        return drills.choose(arguments.seed)
    scenario = drills.scenario_named(arguments.name)
    seed = drills.seed_of(arguments.name, scenario, parse_seed(arguments.seed) if arguments.seed else None)
    return asyncio.run(drills.play(scenario, arguments.name, seed, as_json=arguments.json))


def _name_random(arguments: argparse.Namespace) -> None:
    """Put the name of a random drill in the place of the options that ask for one."""
    from tui import drills

    if not getattr(arguments, "random", False):
        if getattr(arguments, "area", None) or getattr(arguments, "exam", None) or getattr(arguments, "level", 0):
            raise BreakfixError("--area, --exam and --level are for random drills", "Add --random.")
    elif arguments.name or (arguments.area and arguments.exam):
        raise BreakfixError("--random takes no name, and one of --area and --exam")
    else:
        arguments.name = drills.random_name(arguments.area, arguments.exam, arguments.level, arguments.seed)
        arguments.seed = None
        print(f"Making up {arguments.name} and proving that it is fair; this takes a while ...", file=sys.stderr)
    if arguments.name is not None and arguments.name.startswith(drills.RANDOM) and arguments.seed is None:
        arguments.seed = arguments.name.rpartition("/")[2]


def _on_the_screen(arguments: argparse.Namespace) -> bool:
    from tui import full_screen

    return not arguments.plain and not arguments.json and full_screen.possible()


def _play_on_the_screen(arguments: argparse.Namespace) -> int:
    """In the full-screen program. Returns 1 where the last drill was handed in and not passed."""
    from tui import drills, full_screen

    if arguments.resume:
        found = drills.last_saved(arguments.name)
        app = full_screen.run(full_screen.saved(lambda: found))
    elif arguments.name is None:
        app = full_screen.run()
    else:
        drills.scenario_named(arguments.name)
        seed = parse_seed(arguments.seed) if arguments.seed else None
        app = full_screen.run(full_screen.drill(arguments.name, seed))
    return 1 if app.passed is False else 0


def _run_script(arguments: argparse.Namespace, seed: int) -> int:
    from tui import drills

    if arguments.name is None:
        raise BreakfixError("--script needs the name of a drill", "`breakfix list drills` shows them all.")
    result = asyncio.run(drills.run_script(drills.scenario_named(arguments.name), seed, _script(arguments.script)))
    if arguments.json:
        print(json.dumps(result.data, indent=2, ensure_ascii=False))
    else:
        print(result.page, end="")
    return 0 if result.passed else 1


def _script(name: str) -> str:
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise BreakfixError(f"{name} is not a text file in UTF-8") from None
    except OSError as error:
        raise BreakfixError(f"the script {name} can't be read: {error.strerror}") from None
