"""Changes of a host's files, as actions. Permissions were asked before; an action carries the outcome, so that a
replay repeats it.

Every change is told upward as FileWritten: software that reads the file may want to know.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.control import harm
from engine.control.files import below, files_key, put
from engine.kernel.actions import Action
from engine.kernel.simulation import Simulation
from engine.world.records import WrittenFile

Entry = WrittenFile | None
Copied = tuple[str, bytes | None, int, int, int, int, str | None]
"""A file out of a view: path below the source (""), content, mode, uid, gid, modified, link target."""


@dataclass(frozen=True, slots=True)
class WriteFile(Action):
    """A file with new content."""

    host: str
    path: str
    content: bytes
    mode: int
    uid: int
    gid: int

    def perform(self, simulation: Simulation[Any]) -> None:
        """Put it in place of whatever is there."""
        written = WrittenFile(self.content, self.mode, self.uid, self.gid, simulation.now)
        put(simulation, self.host, {self.path: written})


@dataclass(frozen=True, slots=True)
class AppendFile(Action):
    """More at the end of a file that was written before."""

    host: str
    path: str
    addition: bytes

    def perform(self, simulation: Simulation[Any]) -> None:
        """Add it."""
        before = _table(simulation, self.host, self.path)[self.path]
        assert before is not None
        content = (before.content or b"") + self.addition
        put(simulation, self.host, {self.path: dataclasses.replace(before, content=content, modified=simulation.now)})


@dataclass(frozen=True, slots=True)
class MakeDirectory(Action):
    """A new directory."""

    host: str
    path: str
    mode: int
    uid: int
    gid: int

    def perform(self, simulation: Simulation[Any]) -> None:
        """Make it, empty."""
        put(simulation, self.host, {self.path: WrittenFile(None, self.mode, self.uid, self.gid, simulation.now)})


@dataclass(frozen=True, slots=True)
class MakeLink(Action):
    """A new symbolic link."""

    host: str
    path: str
    target: str
    uid: int
    gid: int

    def perform(self, simulation: Simulation[Any]) -> None:
        """Make it."""
        written = WrittenFile(None, 0o777, self.uid, self.gid, simulation.now, self.target)
        put(simulation, self.host, {self.path: written})


@dataclass(frozen=True, slots=True)
class RemovePath(Action):
    """A file, link or directory with all in it is no more; `viewed` says that the site gives one there, which is to
    be hidden. `loser` is the person whose data it was, where that is another than `by`.
    """

    host: str
    path: str
    viewed: bool
    by: str = ""
    loser: str = ""

    def perform(self, simulation: Simulation[Any]) -> None:
        """Forget what was written there, and hide what the site gives."""
        if self.loser:
            harm.record(simulation, "data_lost", f"{self.path} of {self.loser}", f"removed by {self.by} on {self.host}")
        put(simulation, self.host, {self.path: None} if self.viewed else {}, gone=self.path)


@dataclass(frozen=True, slots=True)
class RenamePath(Action):
    """A file, link or directory has another path; `copied` is what the site gave, as it was at that moment."""

    host: str
    source: str
    target: str
    viewed: bool
    copied: tuple[Copied, ...] = ()

    def perform(self, simulation: Simulation[Any]) -> None:
        """Move what was written and put down what was copied, in place of what was at the target."""
        table = _table(simulation, self.host, self.source)
        moved: dict[str, Entry] = {
            self.target + path.removeprefix(self.source): written
            for path, written in table.items()
            if below(path, (self.source,)) and not (written and written.live)
        }
        for path, content, mode, uid, gid, modified, target in self.copied:
            moved[self.target + path] = WrittenFile(content, mode, uid, gid, modified, target)
        moved = {path: written for path, written in moved.items() if written is not None}
        put(simulation, self.host, {self.source: None} if self.viewed else {}, gone=self.source)
        put(simulation, self.host, moved, gone=self.target)


@dataclass(frozen=True, slots=True)
class _Dress(Action):
    """Other metadata; all of them are given, since the file may be one that nobody has written."""

    host: str
    path: str
    mode: int
    uid: int
    gid: int
    modified: int

    def perform(self, simulation: Simulation[Any]) -> None:
        """Change the metadata and leave what is inside."""
        before = _table(simulation, self.host, self.path).get(self.path)
        if before is None:
            before = WrittenFile(None, self.mode, self.uid, self.gid, self.modified, live=True)
        after = dataclasses.replace(before, mode=self.mode, uid=self.uid, gid=self.gid, modified=self.modified)
        put(simulation, self.host, {self.path: after})


@dataclass(frozen=True, slots=True)
class SetMode(_Dress):
    """Another mode."""


@dataclass(frozen=True, slots=True)
class SetOwner(_Dress):
    """Another owner or group."""


@dataclass(frozen=True, slots=True)
class Touch(_Dress):
    """Another time of modification."""


def _table(simulation: Simulation[Any], host: str, path: str) -> Mapping[str, Entry]:
    files: Mapping[str, Entry] = simulation.world.files[files_key(host, path)].files
    return files
