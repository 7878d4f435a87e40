"""Packs on this machine: read from a folder or a zip, kept in the data folder, found by their names.

A scenario of a pack is called `PACK/ID`.
"""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from engine.kernel.errors import BreakfixError
from engine.kernel.names import unknown
from tui.paths import packs_folder

if TYPE_CHECKING:
    from scenarios.model import Scenario
    from scenarios.packs import Pack


def read(place: Path) -> Pack:
    """The pack in a folder or a zip. Raises BreakfixError with what is wrong with it."""
    from scenarios.packs import read_pack

    try:
        files = _of_folder(place) if place.is_dir() else _of_zip(place)
        return read_pack(files, version("breakfix"))
    except OSError as error:
        raise BreakfixError(f"{place} can't be read: {(error.strerror or 'no such file').lower()}") from None
    except BreakfixError as error:
        raise BreakfixError(f"{place}: {error.message}", error.hint) from None


def _of_folder(folder: Path) -> dict[str, bytes]:
    from scenarios.packs import MOST_BYTES, MOST_FILES

    found: dict[str, bytes] = {}
    left = MOST_BYTES
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith("."):
            continue
        if entry.is_symlink() or not entry.is_file():
            raise BreakfixError(f"{entry.name} is no plain file", "A pack has plain files and no folders.")
        with entry.open("rb") as file:
            found[entry.name] = file.read(left + 1)
        left -= len(found[entry.name])
        if left < 0 or len(found) > MOST_FILES:
            break  # what is too much is told by who reads it
    return found


def _of_zip(path: Path) -> dict[str, bytes]:
    """The files of a zip, which may have one folder around them. What it says of their sizes is not believed."""
    from scenarios.packs import MOST_BYTES, MOST_FILES

    try:
        with zipfile.ZipFile(path) as archive:
            entries = [one for one in archive.infolist() if not one.is_dir()]
            around = _around([one.filename for one in entries])
            found: dict[str, bytes] = {}
            left = MOST_BYTES
            for entry in entries[: MOST_FILES + 1]:
                with archive.open(entry) as file:
                    content = file.read(left + 1)
                found[entry.filename.removeprefix(around)] = content
                left -= len(content)
                if left < 0:
                    break
            return found
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib_error()) as error:
        raise BreakfixError(f"it is no zip that can be read: {error}") from None


def zlib_error() -> type[Exception]:
    """What a damaged stream raises."""
    import zlib

    return zlib.error


def _around(names: list[str]) -> str:
    """The one folder that all files are in, with its slash."""
    tops = {name.partition("/")[0] for name in names}
    inside = all("/" in name for name in names)
    return f"{tops.pop()}/" if len(tops) == 1 and inside and not names[0].startswith(("/", "..")) else ""


def add(place: Path) -> Pack:
    """Read a pack and keep it, in the place of an earlier one of its name. Raises BreakfixError."""
    pack = read(place)
    folder = packs_folder() / pack.head.id
    fresh = folder.with_name(f".{pack.head.id}.new")
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        for name, content in pack.files.items():
            (fresh / name).write_bytes(content)
        shutil.rmtree(folder, ignore_errors=True)
        fresh.rename(folder)
    except OSError as error:
        raise BreakfixError(f"the pack can't be kept in {folder}: {error.strerror}") from None
    return pack


def remove(identifier: str) -> None:
    """Forget a pack. Raises BreakfixError with the nearest names if there is none."""
    if identifier not in names():
        raise BreakfixError(unknown("pack", identifier, names()), "`breakfix pack list` shows them.")
    shutil.rmtree(packs_folder() / identifier)


def names() -> list[str]:
    """The packs that are kept."""
    try:
        return sorted(entry.name for entry in packs_folder().iterdir() if entry.is_dir() and entry.name[0] != ".")
    except OSError:
        return []


def kept() -> Iterator[Pack]:
    """The packs that are kept and can be read."""
    for name in names():
        try:
            yield read(packs_folder() / name)
        except BreakfixError:
            continue


def scenario_of(name: str) -> Scenario | None:
    """The scenario that `PACK/ID` names; None if there is no such pack. Raises BreakfixError for an unknown id."""
    pack, slash, identifier = name.partition("/")
    if not slash or pack not in names():
        return None
    found = read(packs_folder() / pack).scenarios
    if identifier not in found:
        raise BreakfixError(unknown(f"scenario of {pack}", identifier, found))
    return found[identifier]


def build(place: Path, target: Path, *, solutions: bool) -> Pack:
    """Write a pack as a zip, for learners without its solutions. Raises BreakfixError."""
    from scenarios.packs import without_solutions

    pack = read(place)
    files = pack.files if solutions else without_solutions(pack)
    try:
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in sorted(files.items()):
                entry = zipfile.ZipInfo(f"{pack.head.id}/{name}")  # without a date: the same files give the same zip
                entry.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(entry, content)
    except OSError as error:
        raise BreakfixError(f"{target} can't be written: {error.strerror}") from None
    return pack
