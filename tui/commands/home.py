"""`breakfix` alone: choose a drill."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing."""


def run(arguments: argparse.Namespace) -> int:
    """Show the drills and play the one that is chosen."""
    from tui.drills import choose

    print("breakfix: practise repairing AI GPU clusters (`breakfix --help`: what else).\n")
    return choose(None)
