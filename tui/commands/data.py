"""What breakfix keeps of you on this machine: settings, sessions, results, packs.

  breakfix data where           the folder
  breakfix data export FILE     all of it as a zip
  breakfix data erase [--yes]   all of it, for good
"""

from __future__ import annotations

import argparse
import shutil
import sys
import zipfile
from pathlib import Path

from engine.kernel.errors import BreakfixError
from tui.paths import data_folder


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix data` takes."""
    verbs = parser.add_subparsers(dest="what", metavar="VERB", required=True)
    verbs.add_parser("where", help="the folder")
    export = verbs.add_parser("export", help="all of it as a zip")
    export.add_argument("file", type=Path)
    erase = verbs.add_parser("erase", help="all of it, for good")
    erase.add_argument("--yes", action="store_true", help="do not ask")


def run(arguments: argparse.Namespace) -> int:
    """Do it. Returns 0, or 1 where it was not erased."""
    folder = data_folder()
    if arguments.what == "where":
        print(folder)
        return 0
    if arguments.what == "export":
        print(f"{arguments.file}: {_export(folder, arguments.file)} files")
        return 0
    if not arguments.yes and not _agreed(folder):
        print("Nothing was erased.", file=sys.stderr)
        return 1
    _erase(folder)
    print(f"{folder} is gone.")
    return 0


def _export(folder: Path, target: Path) -> int:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.resolve() != target.resolve())
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            archive.write(path, path.relative_to(folder))
    return len(files)


def _agreed(folder: Path) -> bool:
    try:
        answer = input(f"Erase everything in {folder}? Type yes: ") if sys.stdin.isatty() else ""
    except EOFError:
        answer = ""
    return answer.strip().lower() == "yes"


def _erase(folder: Path) -> None:
    try:
        shutil.rmtree(folder)
    except FileNotFoundError:
        return
    except OSError as error:
        raise BreakfixError(f"{folder} can't be erased: {error.strerror}") from None
