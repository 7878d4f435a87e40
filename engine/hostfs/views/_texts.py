"""Files of fixed text, from the package's `texts/` folder; they are read when somebody looks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable

from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Node, file

_SUFFIX = ".txt"


@cache
def names(directory: str) -> tuple[str, ...]:
    """Paths of the texts below a directory such as `etc`, relative to it, sorted."""
    return tuple(sorted(_below(_folder(directory), "")))


def texts(
    directory: str, modes: Mapping[str, int] | None = None, without: frozenset[str] = frozenset()
) -> dict[str, Node]:
    """The files of a directory; `modes` are those that are not 0644."""
    known = modes or {}
    return {
        name: file(partial(_read, directory, name), known.get(name, 0o644))
        for name in names(directory)
        if name not in without
    }


def _read(directory: str, name: str, _machine: Machine) -> str:
    return text(directory, name)


@cache
def text(directory: str, name: str) -> str:
    """One text."""
    return _folder(directory).joinpath(*f"{name}{_SUFFIX}".split("/")).read_text("utf-8")


def _folder(directory: str) -> Traversable:
    return files("engine.hostfs.texts").joinpath(*directory.split("/"))


def _below(folder: Traversable, before: str) -> list[str]:
    found: list[str] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _below(entry, f"{before}{entry.name}/")
        elif entry.name.endswith(_SUFFIX):
            found.append(before + entry.name.removesuffix(_SUFFIX))
    return found
