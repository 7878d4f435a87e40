"""What there is, as a table or with --json."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Callable
from typing import Any

Row = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix list` takes."""
    parser.add_argument("what", choices=sorted(LISTS))
    parser.add_argument("--json", action="store_true", help="everything that is known, as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print the list."""
    rows = LISTS[arguments.what]()
    if arguments.json:
        print(json.dumps(rows, indent=2, ensure_ascii=False))
        return 0
    for line in table(rows):
        print(line)
    return 0


def table(rows: list[Row]) -> list[str]:
    """The columns of the rows up to the title, at least three, aligned and cut to the terminal's width; --json has
    everything.
    """
    if not rows:
        return ["(none)"]
    rows = [row | {"items": "no questions yet"} if row.get("items") == 0 else row for row in rows]
    keys = [key for key in rows[0] if not isinstance(rows[0][key], list | dict)]
    keys = keys[: max(3, keys.index("title") + 1 if "title" in keys else 0)]
    cells = [[str(row[key]).strip().split("\n")[0] for key in keys] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(keys) - 1)]
    limit = shutil.get_terminal_size().columns if sys.stdout.isatty() else 10_000
    lines = (
        "  ".join([*(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=False)), row[-1]]) for row in cells
    )
    return [line.rstrip()[:limit] for line in lines]


def _sites() -> list[Row]:
    from engine.sites.build import load_site
    from engine.sites.catalogue import site_names

    return [
        {
            "name": name,
            "title": site.title,
            "nodes": list(site.node_names),
            "software": dict(site.software),
            "notes": site.notes,
        }
        for name in site_names()
        for site in [load_site(name)]
    ]


def _commands() -> list[Row]:
    from engine.commands.command import command_modules, load_command

    found = []
    for name, module in sorted(command_modules().items()):
        command = load_command(name)
        found.append({"name": name, "family": module.split(".")[2], "summary": command.summary})
    return found


def _faults() -> list[Row]:
    from engine.faults.fault import catalogue

    return [
        {
            "id": fault.id,
            "targets": " or ".join(fault.targets),
            "title": fault.title,
            "parameters": [{"name": p.name, "default": p.default, "meaning": p.doc} for p in fault.parameters],
        }
        for fault in catalogue().values()
    ]


def _hands() -> list[Row]:
    from engine.hands.action import catalogue

    return [
        {"name": action.name, "targets": ", ".join(action.jobs), "title": action.title}
        for action in catalogue().values()
    ]


def _facts() -> list[Row]:
    from engine.facts.fact import catalogue

    return [{"name": fact.signature, "gives": fact.type.name, "meaning": fact.doc} for fact in catalogue().values()]


def _drills() -> list[Row]:
    return _scenarios("drill", "healthy", "incident")


def _labs() -> list[Row]:
    return _scenarios("lab")


def _exams() -> list[Row]:
    from exams.catalogue import blueprint_ids, packaged

    return [
        {
            "id": course.blueprint.id,
            "items": len(course.items),
            "title": course.blueprint.title,
            "code": course.blueprint.code,
            "level": course.blueprint.level,
            "questions": course.blueprint.items,
            "minutes": course.blueprint.minutes,
            "labs": course.blueprint.hands_on.count if course.blueprint.hands_on else 0,
            "topics": [bank.topic for bank in course.banks],
            "domains": [
                {
                    "id": domain.id,
                    "title": domain.title,
                    "weight": domain.weight,
                    "items": sum(item.domain == domain.id for item in course.items),
                }
                for domain in course.blueprint.domains
            ],
        }
        for course in map(packaged, blueprint_ids())
    ]


def _scenarios(*kinds: str) -> list[Row]:
    from scenarios.catalogue import in_order, packaged, places

    return [
        {
            "id": entry.id,
            "difficulty": entry.difficulty,
            "pack": places()[entry.id][0],
            "title": entry.title,
            "kind": entry.kind,
            "site": entry.site,
            "minutes": entry.minutes,
            "objectives": list(entry.objectives),
        }
        for entry in map(packaged, in_order(*kinds))
    ]


def _sessions() -> list[Row]:
    """Sessions that are kept, the last one first."""
    from datetime import datetime

    from tui.home_list import time_text
    from tui.store import saved_sessions

    return [
        {
            "name": one.name,
            "kind": str(one.header.get("kind")),
            "played": time_text(datetime.fromtimestamp(one.path.stat().st_mtime)),
            "of": str(one.header.get("scenario") or one.header.get("exam") or one.header.get("site") or ""),
            "seed": one.header.get("seed"),
        }
        for one in saved_sessions()
    ]


LISTS: dict[str, Callable[[], list[Row]]] = {
    "commands": _commands,
    "drills": _drills,
    "exams": _exams,
    "facts": _facts,
    "faults": _faults,
    "hands": _hands,
    "labs": _labs,
    "sessions": _sessions,
    "sites": _sites,
}
