"""`breakfix` alone: the full-screen program, or a plain list of drills where there is no screen."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix` alone takes."""
    parser.add_argument("--plain", action="store_true", help="line by line, without a full screen")


def run(arguments: argparse.Namespace) -> int:
    """Open the program, or show the drills and play the one that is chosen."""
    from tui import full_screen

    if not arguments.plain and full_screen.possible():
        full_screen.run()
        return 0
    from tui.drills import choose

    print("breakfix: practise repairing AI GPU clusters. Exams: `breakfix exam --help`; all else: `breakfix --help`.\n")
    return choose(None)
