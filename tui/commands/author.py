"""For those who write scenarios and exams: check files, prove scenarios, see items as people see them, start a new
file, print a format's schema.
"""

from __future__ import annotations

import argparse
import json
import sys
from datetime import date
from pathlib import Path
from typing import Any

from engine.kernel.documents import DocumentError
from engine.kernel.errors import BreakfixError

MOST_SEEDS = 10_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix author` takes."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    check = verbs.add_parser("check", help="read scenarios, banks and blueprints, and tell every mistake as file:line")
    check.add_argument("files", nargs="*", help="files, or names of scenarios and exams (default: all that there are)")
    check.add_argument("--seeds", type=int, default=50, metavar="N", help="exhibits at seeds 1 to N (default 50)")
    check.add_argument("--today", metavar="DATE", help="refuse sources that were checked after that day")
    prove = verbs.add_parser(
        "prove", help="play the reference solution, the twin, the wrong causes and the wrong fixes"
    )
    prove.add_argument("files", nargs="*", help="scenario files or names (default: the whole library)")
    prove.add_argument("--seeds", type=int, default=20, metavar="N", help="over seeds 1 to N (default 20)")
    prove.add_argument("--matrix", action="store_true", help="also which evidence tells which faults apart")
    prove.add_argument("--json", action="store_true", help="the reports as JSON")
    preview = verbs.add_parser(
        "preview", help="what people will see: a scenario with what each reference line prints, items with their keys"
    )
    preview.add_argument("file", help="a scenario, a bank, a blueprint, or the name of one or of an exam")
    preview.add_argument("--seed", default="1", help="what the exhibits and the order are drawn from (default 1)")
    preview.add_argument("--item", action="append", default=[], metavar="ID", help="only this one; can be repeated")
    items = verbs.add_parser("statistics", help="items over many results: difficulty, discrimination, distractors")
    items.add_argument(
        "files", nargs="+", help="results, as `breakfix report --json` or `breakfix exam --json` wrote them"
    )
    items.add_argument("--json", action="store_true", help="everything, as JSON")
    new = verbs.add_parser("new", help="a file to start from")
    new.add_argument("kind", choices=("drill", "site", "pack", "bank", "blueprint"))
    new.add_argument("name")
    new.add_argument("--like", metavar="SITE", help="of a site: the packaged one to begin with (default dgx-h100-4)")
    new.add_argument("--blueprint", metavar="EXAM", help="of a bank: the name of an exam, or the file of a blueprint")
    record = verbs.add_parser(
        "record", help="a draft of a drill from the last sandbox session (`breakfix shell --fault ...`)"
    )
    record.add_argument("name")
    record.add_argument(
        "--lines", metavar="FILE", help="the lines from a file instead (- is standard input), with --fault"
    )
    record.add_argument("--site", default="dgx-h100-4", help="with --lines: the site")
    record.add_argument("--seed", default="1", help="with --lines: the seed")
    record.add_argument(
        "--fault", action="append", default=[], metavar="'ID target=...'", help="with --lines: repeatable"
    )
    schema = verbs.add_parser("schema", help="the JSON Schema of a format, for editors")
    schema.add_argument("kind", nargs="?", choices=("scenario", "bank", "blueprint"), default="scenario")


def run(arguments: argparse.Namespace) -> int:
    """Run the verb. Returns 1 if a check failed."""
    verbs = {
        "check": _check,
        "prove": _prove,
        "preview": _preview,
        "statistics": _statistics,
        "new": _new,
        "record": _record,
        "schema": _schema,
    }
    return verbs[arguments.verb](arguments)


def _statistics(arguments: argparse.Namespace) -> int:
    """The items of results, those with most to say about them first."""
    from dataclasses import asdict

    from exams.item_statistics import sittings, statistics
    from tui.opening import file_bytes

    def parsed(name: str) -> object:
        try:
            data: object = json.loads(file_bytes(name))
            return data
        except ValueError:
            raise BreakfixError(f"{name} is no JSON", "`breakfix report --json` writes a result.") from None

    found = statistics(sittings((name, parsed(name)) for name in arguments.files))
    if arguments.json:
        print(json.dumps([{**asdict(one), "remarks": one.remarks} for one in found], indent=2))
        return 0
    width = max((len(one.item) for one in found), default=4)
    print(f"{'ITEM':<{width}}  SITTINGS  RIGHT  TELLS")
    for one in found:
        tells = "    -" if one.discrimination is None else f"{one.discrimination:5.2f}"
        remarks = "; ".join(one.remarks)
        print(f"{one.item:<{width}}  {one.count:>8}  {one.difficulty:5.0%}  {tells}  {remarks}".rstrip())
    return 0


def _check(arguments: argparse.Namespace) -> int:
    from exams.catalogue import blueprint_ids
    from scenarios.catalogue import places

    seeds, today = _seeds(arguments), _day(arguments.today)
    sound = [_sound(name, seeds, today) for name in arguments.files or [*places(), *blueprint_ids()]]
    return 0 if all(sound) else 1


def _sound(name: str, seeds: int, today: date | None) -> bool:
    """Check what a name or a path means: a scenario, a bank or an exam. Mistakes go to stderr."""
    from tui.exam_author import check_exam, exam_reading
    from tui.scenario_author import check_site, is_site

    try:
        if reading := exam_reading(name):
            return check_exam(reading, seeds, today)
        if name.endswith((".yaml", ".yml")) and is_site(Path(name)):
            print(check_site(Path(name)))
            return True
        _require_known(name)
        if not _written_out(name):
            return False
    except DocumentError as error:
        print(error, file=sys.stderr)
        return False
    except BreakfixError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return False
    return True


def _written_out(name: str) -> bool:
    """Say whether a scenario has no mistakes, and which of its texts are still those of the template."""
    from scenarios.unwritten import leftovers
    from tui.drills import scenario_named

    scenario = scenario_named(name)
    left = leftovers(scenario)
    for place in left:
        print(f"{name}: {place}: still to be written", file=sys.stderr)
    if not left:
        print(f"{scenario.id}: no mistakes found")
    return not left


def _require_known(name: str) -> None:
    """Raise BreakfixError, with the nearest names of both, for a name that is neither a scenario nor an exam."""
    from engine.kernel.names import unknown
    from exams.catalogue import blueprint_ids
    from exams.check.reading import is_path
    from scenarios.catalogue import places

    if not is_path(name) and name not in places():
        told = unknown("scenario or exam", name, [*places(), *blueprint_ids()])
        raise BreakfixError(told, "`breakfix list drills` and `breakfix list exams` show them.")


def _prove(arguments: argparse.Namespace) -> int:
    from scenarios.catalogue import places
    from scenarios.proof.prove import prove
    from tui.drills import scenario_named

    seeds = range(1, _seeds(arguments) + 1)
    reports = [prove(scenario_named(name), seeds) for name in arguments.files or places()]
    if arguments.json:
        print(json.dumps([report.json() for report in reports], indent=2, ensure_ascii=False))
    else:
        for report in reports:
            print("\n".join([*report.lines(), *(report.matrix() if arguments.matrix else ())]))
    return 0 if all(report.proved for report in reports) else 1


def _preview(arguments: argparse.Namespace) -> int:
    from tui.exam_author import exam_reading, preview_exam
    from tui.opening import parse_seed

    seed = parse_seed(arguments.seed)
    if exam_reading(arguments.file) is None and not arguments.item:
        import asyncio

        from tui.drills import scenario_named
        from tui.scenario_author import scenario_preview

        for text in asyncio.run(scenario_preview(scenario_named(arguments.file), seed)):
            print(text)
        return 0
    return 0 if preview_exam(arguments.file, arguments.item, seed) else 1


def _new(arguments: argparse.Namespace) -> int:
    target = _written(arguments)
    proof = f" and `breakfix author prove {target}`" if arguments.kind == "drill" else ""
    print(f"{target}: edit it, then `breakfix author check {target}`{proof}")
    return 0


def _written(arguments: argparse.Namespace) -> Path:
    from tui.exam_author import new_bank, new_blueprint, write_new
    from tui.scenario_author import new_pack, new_site

    if arguments.kind == "bank":
        if not arguments.blueprint:
            raise BreakfixError("a bank belongs to an exam", "Add --blueprint, such as --blueprint nca-aiio.")
        return new_bank(arguments.name, arguments.blueprint)
    if arguments.blueprint:
        raise BreakfixError(f"--blueprint is for banks, a {arguments.kind} has none")
    if arguments.kind == "blueprint":
        return new_blueprint(arguments.name)
    if arguments.kind == "site":
        return new_site(arguments.name, arguments.like)
    if arguments.kind == "pack":
        return new_pack(arguments.name)

    from uuid import uuid4

    from scenarios.skeleton import skeleton

    return write_new(Path(f"{arguments.name}.yaml"), skeleton(arguments.name, str(uuid4())))


def _record(arguments: argparse.Namespace) -> int:
    """Write NAME.yaml from what was done in a sandbox."""
    import asyncio
    from uuid import uuid4

    from scenarios.draft import draft
    from scenarios.skeleton import require_id
    from tui.exam_author import write_new
    from tui.recorded import from_file, last_sandbox

    found = from_file(arguments) if arguments.lines is not None else last_sandbox()
    text = asyncio.run(draft(found, require_id(arguments.name), str(uuid4())))
    target = write_new(Path(f"{arguments.name}.yaml"), text)
    print(f"{target}: a draft; its first lines say what is to be done")
    return 0


def _schema(arguments: argparse.Namespace) -> int:
    print(json.dumps(_schema_of(arguments.kind), indent=2))
    return 0


def _schema_of(kind: str) -> dict[str, Any]:
    from scenarios.schema import DIALECT, scenario_schema

    if kind == "scenario":
        return scenario_schema()
    from exams.blueprint import Blueprint
    from exams.item import BankFile

    model: type[BankFile | Blueprint] = BankFile if kind == "bank" else Blueprint
    return {"$schema": DIALECT, **model.model_json_schema(by_alias=True), "title": f"breakfix {kind}"}


def _seeds(arguments: argparse.Namespace) -> int:
    if not 1 <= arguments.seeds <= MOST_SEEDS:
        raise BreakfixError(f"--seeds {arguments.seeds}: a number from 1 to {MOST_SEEDS}")
    return int(arguments.seeds)


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        raise BreakfixError(f"--today {text}: write a day such as 2026-11-30") from None
