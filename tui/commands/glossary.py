"""The words of the field: what they mean, and which commands show them."""

from __future__ import annotations

import argparse
import shutil
import sys
import textwrap

from tui.glossary import fitting, terms


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix glossary` takes."""
    parser.add_argument("words", nargs="*", help="a term, or words of what it means; without any, all terms")


def run(arguments: argparse.Namespace) -> int:
    """Print the terms that fit."""
    wanted = " ".join(arguments.words)
    found = fitting(wanted) if wanted else terms()
    if not found:
        print(f"breakfix glossary: nothing fits '{wanted}'. Without a word it prints all.", file=sys.stderr)
        return 1
    width = min(shutil.get_terminal_size().columns, 100)
    for number, term in enumerate(found):
        print("" if number == 0 else "\n", end="")
        print(term.title)
        for text in (term.means, f"Shown by: {term.shown_by}"):
            print(textwrap.fill(text, width, initial_indent="  ", subsequent_indent="  "))
    return 0
