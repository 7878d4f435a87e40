"""Scenarios that others wrote, or that you give to others: a folder or zip with a pack.yaml.

  breakfix pack add FOLDER-OR-ZIP          check it, and keep it
  breakfix pack list                       the packs that are kept
  breakfix pack remove ID
  breakfix pack build FOLDER -o PACK.zip   [--without-solutions]

A scenario of a pack is played by `breakfix drill PACK/ID`, and stands on the home screen.
"""

from __future__ import annotations

import argparse
from pathlib import Path


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix pack` takes."""
    verbs = parser.add_subparsers(dest="what", metavar="VERB", required=True)
    add = verbs.add_parser("add", help="check a pack, and keep it")
    add.add_argument("place", type=Path, help="a folder or a zip")
    verbs.add_parser("list", help="the packs that are kept")
    remove = verbs.add_parser("remove", help="forget a pack")
    remove.add_argument("id")
    build = verbs.add_parser("build", help="make a zip of a folder")
    build.add_argument("place", type=Path, help="a folder with a pack.yaml")
    build.add_argument("-o", dest="target", type=Path, required=True, metavar="PACK.zip")
    build.add_argument("--without-solutions", action="store_true", help="leave out solutions and wrong repairs")


def run(arguments: argparse.Namespace) -> int:
    """Do it. Returns 0."""
    from tui import packs

    if arguments.what == "add":
        pack = packs.add(arguments.place)
        print(f"{pack.head.title} ({pack.head.id} {pack.head.version}): {', '.join(pack.scenarios)}")
        print(f"`breakfix drill {pack.head.id}/{next(iter(pack.scenarios))}` plays the first.")
    elif arguments.what == "list":
        found = [f"{one.head.id}  {one.head.version}  {one.head.title} ({len(one.scenarios)})" for one in packs.kept()]
        print("\n".join(found) or "No pack is kept. `breakfix pack add FOLDER-OR-ZIP` adds one.")
    elif arguments.what == "remove":
        packs.remove(arguments.id)
        print(f"{arguments.id} is gone; sessions on it can't be taken up again.")
    else:
        pack = packs.build(arguments.place, arguments.target, solutions=not arguments.without_solutions)
        print(f"{arguments.target}: {', '.join(pack.scenarios)}")
    return 0
