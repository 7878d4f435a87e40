"""Blueprints and banks, found by their place: `exams/blueprints/<id>.yaml`, `exams/banks/<blueprint>/<topic>.yaml`.

Nothing is read before it is asked for. Names count in any case: NCA-AIIO is nca-aiio. In place of a name there may be
the path of a file: a bank, or a blueprint whose banks lie in the folder of its name beside it.
"""

from __future__ import annotations

import os.path
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from engine.kernel.documents import SIZE_LIMIT, read_document
from engine.kernel.errors import BreakfixError
from engine.kernel.names import alternatives, quoted, unknown
from exams.blueprint import Blueprint
from exams.item import BankFile, Item
from exams.load import BlueprintOf, load_bank, load_blueprint

ENDING = ".yaml"


@dataclass(frozen=True)
class Course:
    """An exam's blueprint and every item that there is for it."""

    blueprint: Blueprint
    banks: tuple[BankFile, ...]

    @property
    def items(self) -> tuple[Item, ...]:
        """All items, in the order of their files."""
        return tuple(item for bank in self.banks for item in bank.items)

    def item(self, id: str) -> Item:
        """The item of that id. Raises BreakfixError with the nearest ids."""
        found = {item.id: item for item in self.items}
        if id not in found:
            raise BreakfixError(unknown("item", id, found))
        return found[id]


def blueprint_ids() -> list[str]:
    """Ids of the packaged blueprints, sorted."""
    return sorted(_stem(entry) for entry in _yaml_files(files("exams").joinpath("blueprints")))


def blueprint(name: str) -> Blueprint:
    """The packaged blueprint of that id or code, in any case. Raises BreakfixError with the nearest names."""
    wanted = name.casefold()
    known = blueprint_ids()
    if wanted not in known:
        raise BreakfixError(_unknown_exam(name, known), "`breakfix list exams` shows them all.")
    return _packaged_blueprint(wanted)


def _unknown_exam(name: str, known: list[str]) -> str:
    """A sentence for a name that is none; all that begin so are named, those with items first."""
    begun = sorted((id for id in known if name and id.startswith(name.casefold())), key=lambda id: not topics(id))
    if not begun:
        return unknown("exam", name, known)
    return f"unknown exam {quoted(name)}; did you mean {alternatives(quoted(id) for id in begun)}?"


def find(name: str) -> Course:
    """The exam that `name` means: a packaged one, or the file at a path. Raises BreakfixError."""
    if os.sep not in name and not name.endswith((ENDING, ".yml")):
        return packaged(blueprint(name).id)
    return _from_file(Path(name))


def listing() -> list[dict[str, Any]]:
    """The packaged exams as data, for `breakfix list exams`; banks are not read for it."""
    known = (blueprint(id) for id in blueprint_ids())
    return [
        {
            "id": one.id,
            "code": one.code,
            "title": one.title,
            "level": one.level,
            "items": one.items,
            "hands_on": one.hands_on.count if one.hands_on else 0,
            "minutes": one.minutes,
            "topics": topics(one.id),
        }
        for one in known
    ]


def topics(id: str) -> list[str]:
    """The topics for which an exam has a bank file."""
    return [_stem(entry) for entry in _yaml_files(files("exams").joinpath("banks").joinpath(id))]


@cache
def packaged(id: str) -> Course:
    """The packaged exam of exactly that id. Raises BreakfixError."""
    folder = files("exams").joinpath("banks").joinpath(id)
    banks = (
        load_bank(entry.read_bytes(), f"exams/banks/{id}/{entry.name}", blueprint, _stem(entry))
        for entry in _yaml_files(folder)
    )
    return _course(_packaged_blueprint(id), banks)


@cache
def _packaged_blueprint(id: str) -> Blueprint:
    name = f"{id}{ENDING}"
    place = files("exams").joinpath("blueprints").joinpath(name)
    return load_blueprint(place.read_bytes(), f"exams/blueprints/{name}", id)


def _from_file(path: Path) -> Course:
    text = _read(path)
    data = read_document(text, str(path)).data
    if isinstance(data, dict) and "domains" in data:
        own = load_blueprint(text, str(path))
        beside = sorted(path.with_suffix("").glob(f"*{ENDING}"))
        return _course(own, (load_bank(_read(one), str(one), _either(own)) for one in beside))
    bank = load_bank(text, str(path), blueprint)
    return _course(blueprint(bank.blueprint), [bank])


def _either(own: Blueprint) -> BlueprintOf:
    """Finds a blueprint of one's own by its id, and packaged ones."""
    return lambda name: own if name == own.id else blueprint(name)


def _course(blueprint: Blueprint, banks: Iterable[BankFile]) -> Course:
    course = Course(blueprint, tuple(banks))
    for key in ("id", "uuid"):
        seen: dict[str, str] = {}
        for bank in course.banks:
            for item in bank.items:
                value = getattr(item, key)
                if value in seen:
                    what = (
                        f"the {key} {quoted(value)} is in the topics {seen[value]} and {bank.topic} of {blueprint.id}"
                    )
                    raise BreakfixError(what, "Give one of the items another.")
                seen[value] = bank.topic
    return course


def _read(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(SIZE_LIMIT + 1)
    except OSError as error:
        reason = (error.strerror or "it cannot be read").lower()
        raise BreakfixError(
            f"{quoted(str(path))} cannot be read: {reason}", "Give the name of an exam or a file's path."
        ) from None


def _yaml_files(folder: Traversable) -> Iterator[Traversable]:
    """The YAML files of a packaged folder, by name; none if there is no such folder."""
    if folder.is_dir():
        found = (entry for entry in folder.iterdir() if entry.name.endswith(ENDING))
        yield from sorted(found, key=lambda entry: entry.name)


def _stem(entry: Traversable) -> str:
    return entry.name.removesuffix(ENDING)
