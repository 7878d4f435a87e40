"""The files of an exam, read with their lines: a packaged one, a bank, or a blueprint with the banks beside it.

A bank of one's own lies in the folder `<blueprint>/`, beside `<blueprint>.yaml`; elsewhere its blueprint is a packaged
one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Literal

from engine.kernel.documents import SIZE_LIMIT, DocumentError, read_document
from engine.kernel.errors import BreakfixError
from engine.kernel.validation import validate
from exams import catalogue
from exams.blueprint import Blueprint
from exams.check.finding import Finding
from exams.check.pool import Entry, Pool, entries_of
from exams.item import BankFile
from exams.load import BlueprintOf, load_bank, load_blueprint

ENDINGS = (".yaml", ".yml")

FileKind = Literal["blueprint", "bank"]


@dataclass(frozen=True)
class Written:
    """A file as it is written; `stem` is the id that a packaged one must have."""

    name: str
    text: bytes
    stem: str | None = None


@dataclass
class Reading:
    """What was read. Without a pool the blueprint is not known, and `findings` say why."""

    name: str
    findings: list[Finding] = field(default_factory=list)
    pool: Pool | None = None


def is_path(name: str) -> bool:
    """Whether a name is meant as the path of a file."""
    return "/" in name or name.endswith(ENDINGS)


def kind_of(path: Path) -> FileKind | None:
    """What a file is, by the keys in it: a blueprint, a bank, or neither."""
    try:
        data = read_document(_read(path), str(path)).data
    except (OSError, DocumentError):
        return None
    keys = data if isinstance(data, dict) else {}
    if "domains" in keys:
        return "blueprint"
    return "bank" if "items" in keys or "topic" in keys else None


def read_packaged(id: str) -> Reading:
    """The packaged exam of that id, all of it."""
    place = files("exams").joinpath("blueprints").joinpath(f"{id}.yaml")
    written = Written(f"exams/blueprints/{id}.yaml", place.read_bytes(), id)
    banks = [
        Written(f"exams/banks/{id}/{entry.name}", entry.read_bytes(), entry.name.removesuffix(".yaml"))
        for entry in _yaml(files("exams").joinpath("banks").joinpath(id))
    ]
    return _exam(written, banks, id)


def read_file(path: Path) -> Reading:
    """A bank or a blueprint at a path. Raises OSError if it cannot be read."""
    if kind_of(path) == "bank":
        return _bank(path)
    packaged = files("exams").joinpath("blueprints").joinpath(path.name)
    if isinstance(packaged, Path) and packaged.exists() and packaged.samefile(path):
        return read_packaged(path.stem)
    beside = [Written(str(one), _read(one)) for one in sorted(path.with_suffix("").glob("*.yaml"))]
    return _exam(Written(str(path), _read(path)), beside)


def _exam(written: Written, banks: Iterable[Written], name: str | None = None) -> Reading:
    """A blueprint with its banks. Where one of them cannot be read, nothing is said of the whole."""
    reading = Reading(name or written.name)
    try:
        document = read_document(written.text, written.name)
        blueprint = load_blueprint(written.text, written.name, written.stem)
    except DocumentError as error:
        reading.findings += _found(error)
        return reading
    entries = [entry for bank in banks for entry in _entries(bank, _either(blueprint), reading)]
    whole = not reading.findings
    reading.pool = Pool(blueprint, tuple(entries), whole=whole, document=document)
    return reading


def _bank(path: Path) -> Reading:
    """One bank; the others in its folder are only compared with."""
    reading = Reading(str(path))
    own = path.resolve().parent.with_suffix(".yaml")
    known: BlueprintOf = catalogue.blueprint
    try:
        if own.is_file() and kind_of(own) == "blueprint":
            known = _either(load_blueprint(_read(own), str(own)))
        entries = tuple(_entries(Written(str(path), _read(path)), known, reading))
        if entries:
            blueprint = known(entries[0].bank.blueprint)
            reading.pool = Pool(blueprint, entries, tuple(_siblings(path, blueprint)))
    except DocumentError as error:
        reading.findings += _found(error)
    return reading


def _entries(written: Written, known: BlueprintOf, reading: Reading) -> list[Entry]:
    """The items of a bank; what is wrong with it goes to the findings."""
    try:
        bank = load_bank(written.text, written.name, known, written.stem)
        return entries_of(read_document(written.text, written.name), bank)
    except DocumentError as error:
        reading.findings += _found(error)
        return []


def _siblings(path: Path, blueprint: Blueprint) -> Iterator[Entry]:
    """Items of the other banks in the folder that are for the same exam, as far as they can be read."""
    for other in sorted(path.resolve().parent.glob("*.yaml")):
        if other == path.resolve():
            continue
        try:
            document = read_document(_read(other), str(path.parent / other.name))
            bank = validate(document, BankFile)
        except (OSError, BreakfixError):
            continue
        if bank.blueprint == blueprint.id:
            yield from entries_of(document, bank)


def _either(own: Blueprint) -> BlueprintOf:
    """Finds a blueprint that has been read by its id, and packaged ones."""
    return lambda name: own if name == own.id else catalogue.blueprint(name)


def _found(error: DocumentError) -> list[Finding]:
    return [Finding(problem.location, problem.text) for problem in error.problems]


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(SIZE_LIMIT + 1)


def _yaml(folder: Traversable) -> list[Traversable]:
    """The YAML files of a packaged folder, by name; none if there is no such folder."""
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted((entry for entry in found if entry.name.endswith(".yaml")), key=lambda entry: entry.name)
