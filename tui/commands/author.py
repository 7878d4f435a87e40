"""For those who write scenarios: check a file, prove it, start a new one, print the format's schema."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from engine.kernel.documents import DocumentError
from engine.kernel.errors import BreakfixError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix author` takes."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    check = verbs.add_parser("check", help="read scenario files and tell every mistake as file:line")
    check.add_argument("files", nargs="*", help="scenario files or names (default: the whole library)")
    prove = verbs.add_parser(
        "prove", help="play the reference solution, the twin, the wrong causes and the wrong fixes"
    )
    prove.add_argument("files", nargs="*", help="scenario files or names (default: the whole library)")
    prove.add_argument("--seeds", type=int, default=20, metavar="N", help="over seeds 1 to N (default 20)")
    prove.add_argument("--json", action="store_true", help="the reports as JSON")
    new = verbs.add_parser("new", help="a scenario file to start from")
    new.add_argument("kind", choices=("drill",))
    new.add_argument("name")
    verbs.add_parser("schema", help="the JSON Schema of scenario files, for editors")


def run(arguments: argparse.Namespace) -> int:
    """Run the verb. Returns 1 if a check failed."""
    return {"check": _check, "prove": _prove, "new": _new, "schema": _schema}[arguments.verb](arguments)


def _names(arguments: argparse.Namespace) -> list[str]:
    from scenarios.catalogue import places

    return arguments.files or list(places())


def _check(arguments: argparse.Namespace) -> int:
    from tui.drills import scenario_named

    failed = 0
    for name in _names(arguments):
        try:
            scenario = scenario_named(name)
        except DocumentError as error:
            print(error, file=sys.stderr)
            failed += 1
        except BreakfixError as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed += 1
        else:
            print(f"{scenario.id}: no mistakes found")
    return 1 if failed else 0


def _prove(arguments: argparse.Namespace) -> int:
    from scenarios.proof.prove import prove
    from tui.drills import scenario_named

    if not 1 <= arguments.seeds <= 10_000:
        raise BreakfixError(f"--seeds {arguments.seeds}: a number from 1 to 10000")
    reports = [prove(scenario_named(name), range(1, arguments.seeds + 1)) for name in _names(arguments)]
    if arguments.json:
        print(json.dumps([report.json() for report in reports], indent=2, ensure_ascii=False))
    else:
        for report in reports:
            print("\n".join(report.lines()))
    return 0 if all(report.proved for report in reports) else 1


def _new(arguments: argparse.Namespace) -> int:
    from uuid import uuid4

    from scenarios.skeleton import skeleton

    target = Path(f"{arguments.name}.yaml")
    if target.exists():
        raise BreakfixError(f"{target} is there already", "Choose another name.")
    target.write_text(skeleton(arguments.name, str(uuid4())), encoding="utf-8")
    print(f"{target}: edit it, then `breakfix author check {target}` and `breakfix author prove {target}`")
    return 0


def _schema(arguments: argparse.Namespace) -> int:
    from scenarios.schema import scenario_schema

    print(json.dumps(scenario_schema(), indent=2))
    return 0
