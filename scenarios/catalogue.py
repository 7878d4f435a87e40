"""The packaged scenarios, found by their place: scenarios/library/<pack>/<id>.yaml."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from engine.kernel.errors import BreakfixError
from engine.kernel.names import unknown
from scenarios.load import load, load_file
from scenarios.model import Scenario


@cache
def places() -> dict[str, tuple[str, Traversable]]:
    """Pack and file of each packaged scenario by its id, sorted."""
    found = {}
    for pack in sorted(files("scenarios").joinpath("library").iterdir(), key=lambda entry: entry.name):
        for entry in sorted(pack.iterdir(), key=lambda item: item.name) if pack.is_dir() else ():
            if entry.name.endswith(".yaml"):
                found[entry.name.removesuffix(".yaml")] = (pack.name, entry)
    return dict(sorted(found.items()))


def scenario_names(*kinds: str) -> list[str]:
    """Ids of the packaged scenarios, of some kinds or of all."""
    return [name for name in places() if not kinds or packaged(name).kind in kinds]


FIRST_PACKS = ("first-steps", "first-drills")
"""Packs that come before the others, which are in the order of their names."""


def in_order(*kinds: str) -> list[str]:
    """Ids of the packaged scenarios as people meet them: pack by pack, the easy ones first."""
    packs = [*FIRST_PACKS, *sorted({pack for pack, _ in places().values()} - {*FIRST_PACKS})]
    return sorted(
        scenario_names(*kinds),
        key=lambda name: (packs.index(places()[name][0]), packaged(name).difficulty, packaged(name).title),
    )


def find(name: str) -> Scenario:
    """The scenario that `name` means: a packaged one, or the file at a path. Raises BreakfixError."""
    if "/" not in name and not name.endswith((".yaml", ".yml")):
        return packaged(name)
    path = Path(name)
    return load_file(path, path.stem)


@cache
def packaged(name: str) -> Scenario:
    """The packaged scenario `name`. Raises BreakfixError with the nearest names."""
    if name not in places():
        raise BreakfixError(unknown("scenario", name, places()), "`breakfix list drills` shows them all.")
    pack, entry = places()[name]
    return load(entry.read_bytes(), f"scenarios/library/{pack}/{name}.yaml", name)
