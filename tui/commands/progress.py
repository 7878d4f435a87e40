"""Where you stand: the drills that you have played by area with the one to play next, and the exams that you have
studied by domain: what you have seen, and how the last answers were.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.learning import Area


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix progress` takes."""
    parser.add_argument("name", nargs="?", metavar="EXAM", help="only this exam, or this file of your own")
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print it. Returns 0."""
    from tui.learning import areas, next_drill, packaged_drills
    from tui.plain.exam_progress import progress_data, progress_in, progress_text
    from tui.played import results

    found, played = progress_in(arguments.name), list(results())
    drills = packaged_drills() if arguments.name is None else []
    by_area, coming = areas(drills, played), next_drill(drills, played)
    if arguments.json:
        exams = [progress_data(one) for one in found]
        told = {"drills": [asdict(one) for one in by_area], "next": coming and asdict(coming), "exams": exams}
        print(json.dumps(told, indent=2, ensure_ascii=False))
        return 0
    parts = ["\n".join(["Drills", *map(_area, by_area)])] if played and by_area else []
    parts += [f"Next: {coming.drill.title} (breakfix drill {coming.drill.name})\n  {coming.reason}"] if coming else []
    parts += [progress_text(one) for one in found] or ["No exam was studied yet. `breakfix study NCA-AIIO` begins."]
    print("\n\n".join(parts))
    return 0


def _area(area: Area) -> str:
    score = "" if area.score is None else f", best {area.score} of 100 on average"
    return f"  {area.name:<20} {area.passed} of {area.drills} passed{score}"
