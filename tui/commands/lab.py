"""A lab to learn from: steps that say what to do, questions, and a cluster that answers.

Without a name it shows which there are. Nothing is hidden in it; it is scored by the steps' goals and the answers.
"""

from __future__ import annotations

import argparse

from engine.kernel.errors import BreakfixError
from tui.commands import drill


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix lab` takes."""
    drill.add_arguments(parser, "lab")


def run(arguments: argparse.Namespace) -> int:
    """Play. Returns 0 if the lab was passed, 1 if not."""
    if arguments.name is None and not arguments.resume:
        from scenarios.catalogue import in_order, packaged

        for name in in_order("lab"):
            print(f"{name:<24} {packaged(name).minutes:>3} min  {packaged(name).title}")
        return 0
    if arguments.name is not None:
        from tui.drills import scenario_named

        kind = scenario_named(arguments.name).kind
        if kind != "lab":
            raise BreakfixError(f"{arguments.name} is a {kind}", f"`breakfix drill {arguments.name}` plays it.")
    return drill.run(arguments)
