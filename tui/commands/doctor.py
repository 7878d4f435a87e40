"""Whether this machine has what breakfix needs, one line each."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """`breakfix doctor` takes nothing."""


def run(arguments: argparse.Namespace) -> int:
    """Check everything. Returns 1 if something that is needed is missing."""
    failed = 0
    for name, check in CHECKS.items():
        problem = check()
        print(f"{'ok     ' if not problem else 'problem'} {name}{': ' + problem if problem else ''}")
        failed += bool(problem)
    return 1 if failed else 0


def _python() -> str | None:
    return (
        None if sys.version_info >= (3, 11) else f"Python {sys.version.split()[0]} is too old; 3.11 or newer is needed"
    )


def _shell() -> str | None:
    try:
        importlib.import_module("bashkit")
        bridge = importlib.import_module("engine.hostfs.bridge")
        bridge.mounted_trees()
    except Exception as error:
        return f"the shell library does not load here ({error}); install breakfix again with pip"
    return None


def _patterns() -> str | None:
    try:
        importlib.import_module("re2")
    except ImportError as error:
        return f"the pattern library does not load here ({error}); install breakfix again with pip"
    return None


def _folder() -> str | None:
    from tui.paths import data_folder

    folder = data_folder()
    existing = next(parent for parent in (folder, *folder.parents) if parent.exists())
    if existing.is_dir() and os.access(existing, os.W_OK):
        return None
    return f"{existing} can't be written to; sessions will not be saved (BREAKFIX_HOME names another place)"


def _terminal() -> str | None:
    if not sys.stdout.isatty():
        return None
    term = os.environ.get("TERM", "")
    return "TERM is not set to a capable terminal; plain mode is used" if term in ("", "dumb") else None


CHECKS: dict[str, Callable[[], str | None]] = {
    "Python": _python,
    "shell": _shell,
    "text patterns": _patterns,
    "data folder": _folder,
    "terminal": _terminal,
}
