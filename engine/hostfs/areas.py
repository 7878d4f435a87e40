"""Which file under `views/` describes which part of the tree: `sys_class.py` is /sys/class, `slash.py` the root
directory itself.

An area's file declares `DIRECTORY` (see `nodes.directory`), and may have `present(machine)` where not every host has
it. Adding a part of the tree is adding a file. A file is imported when somebody first looks into its part; files
that begin with `_` are helpers.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Node, directory

_PACKAGE = "engine.hostfs.views"
_ROOT_FILE = "slash"


@cache
def area_paths() -> Mapping[str, str]:
    """Module name by the path that it describes ("" is the root directory), from the listing of the package alone."""
    stems = sorted(entry.name.removesuffix(".py") for entry in files(_PACKAGE).iterdir() if entry.name.endswith(".py"))
    return {_path(stem): f"{_PACKAGE}.{stem}" for stem in stems if not stem.startswith("_")}


@cache
def names_below() -> Mapping[str, frozenset[str]]:
    """Names that areas give to each directory above them: {"/sys": {"bus", "class", ...}}."""
    found: dict[str, set[str]] = {}
    for path in area_paths():
        parts = path.split("/")[1:]
        for depth, name in enumerate(parts):
            found.setdefault("".join(f"/{part}" for part in parts[:depth]), set()).add(name)
    return {above: frozenset(names) for above, names in found.items()}


def area(machine: Machine, path: str) -> Node | None:
    """The directory that an area declares at `path`; None if there is none, or this host does not have it."""
    module_name = area_paths().get(path)
    if module_name is None:
        return None
    module = importlib.import_module(module_name)
    present = getattr(module, "present", None)
    declared: Node = module.DIRECTORY
    return declared if present is None or present(machine) else None


def between(path: str) -> Node | None:
    """A plain directory where areas lie further down."""
    return directory() if path not in area_paths() and path in names_below() else None


def _path(stem: str) -> str:
    return "" if stem == _ROOT_FILE else "/" + stem.replace("_", "/")
