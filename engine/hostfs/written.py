"""What people changed in a host's tree, indexed by directory: the layer over the views."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.control.files import SHARED_DIRECTORIES, files_key
from engine.world.records import WrittenFile
from engine.world.world import World

Files = Mapping[str, WrittenFile | None]


@dataclass(frozen=True, slots=True)
class Index:
    """One table of written files by directory."""

    files: Files
    names: Mapping[str, Mapping[str, WrittenFile | None]]


def index(files: Files) -> Index:
    """The index of a table."""
    names: dict[str, dict[str, WrittenFile | None]] = {}
    for path, written in files.items():
        above, _, name = path.rpartition("/")
        names.setdefault(above, {})[name] = written
    return Index(files, names)


_EMPTY: Mapping[str, WrittenFile | None] = {}


@dataclass(slots=True)
class Layer:
    """The written files that a host sees: its own and the shared ones. Indexes are made anew when their table has
    changed.
    """

    host: str
    _indexes: dict[str, Index] = field(default_factory=dict)

    def index(self, world: World, path: str) -> Index:
        """The table that `path` belongs to."""
        key = files_key(self.host, path)
        files = world.files[key].files
        known = self._indexes.get(key)
        if known is None or known.files is not files:
            known = self._indexes[key] = index(files)
        return known

    def get(self, world: World, path: str) -> WrittenFile | bool | None:
        """What was written at `path`, None if it was removed, False if neither."""
        files = world.files[files_key(self.host, path)].files
        return files.get(path, False) if files else False

    def names(self, world: World, path: str) -> Mapping[str, WrittenFile | None]:
        """What was written or removed directly in the directory `path` ("" is the root)."""
        if path:
            return self.index(world, path).names.get(path, _EMPTY)
        tables = (self.index(world, "/"), *(self.index(world, shared) for shared in SHARED_DIRECTORIES))
        return {name: written for table in tables for name, written in table.names.get("", _EMPTY).items()}

    def room(self, world: World, path: str) -> tuple[int, int]:
        """(files, bytes) already written in the table that `path` belongs to."""
        files = world.files[files_key(self.host, path)].files
        return len(files), sum([len(written.content) for written in files.values() if written and written.content])
