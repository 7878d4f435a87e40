"""Where you stand in the exams that you have studied, by domain: what you have seen, and how the last answers were."""

from __future__ import annotations

import argparse
import json


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix progress` takes."""
    parser.add_argument("name", nargs="?", metavar="EXAM", help="only this exam, or this file of your own")
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(arguments: argparse.Namespace) -> int:
    """Print it. Returns 0."""
    from tui.plain.exam_progress import progress_data, progress_in, progress_text

    found = progress_in(arguments.name)
    if arguments.json:
        print(json.dumps([progress_data(one) for one in found], indent=2, ensure_ascii=False))
    elif found:
        print("\n\n".join(progress_text(one) for one in found))
    else:
        print("Nothing was studied yet. `breakfix study NCA-AIIO` begins.")
    return 0
