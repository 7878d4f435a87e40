"""From a path to what lies there: the views, the written layer over them, symbolic links and the right to search
directories.

Every component but the last follows links, the last one where asked; after 40 links the kernel gives up (ELOOP).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from zlib import crc32

from engine.control.accounts import Identity
from engine.control.files import LINKS_FOLLOWED
from engine.hostfs import areas
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Node, directory
from engine.hostfs.permissions import SEARCH, allowed
from engine.hostfs.realms import DISK, Realm
from engine.hostfs.structure import Structure
from engine.hostfs.tree import ErrorCode, FileError, FileKind, Stat
from engine.hostfs.written import Layer
from engine.kernel.units import DAY
from engine.world.records import WrittenFile
from engine.world.world import World

LONGEST_NAME = 255
LONGEST_PATH = 4095
PLACES_KEPT = 4096


@dataclass(frozen=True, slots=True)
class Found:
    """What lies at `path` ("" is the root directory). `written` is its entry in the written layer, `viewed` whether
    a view has it.
    """

    path: str
    node: Node
    realm: Realm
    written: WrittenFile | None = None
    viewed: bool = True

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def is_directory(self) -> bool:
        return self.node.kind is FileKind.DIRECTORY

    @property
    def is_link(self) -> bool:
        return self.node.kind is FileKind.SYMLINK


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path leads: the directory, the name in it, and what is there. The root directory lies in itself under
    no name.
    """

    above: Found
    name: str
    found: Found | None

    @property
    def path(self) -> str:
        return f"{self.above.path}/{self.name}" if self.name else ""


@dataclass(frozen=True, slots=True)
class _Places:
    """Where paths lead in one generation of a world: a shell asks several times for each operation."""

    world: World | None
    generation: int
    day: int
    known: dict[tuple[str, bool], Place] = field(default_factory=dict)


@dataclass(slots=True)
class _Links:
    """How many links one path has led through so far."""

    followed: int = 0


class Lookup:
    """Walks one host's tree for one identity."""

    def __init__(self, machine: Machine, identity: Identity, structure: Structure, layer: Layer) -> None:
        self.machine = machine
        self.identity = identity
        self._structure = structure
        self._layer = layer
        self._places = _Places(None, -1, 0)

    def root(self) -> Found:
        """The root directory."""
        return Found("", areas.area(self.machine, "") or directory(), DISK)

    def place(self, path: str, follow: bool = True) -> Place:
        """Where `path` leads. Raises FileError if that can't be reached; what lies there may be missing."""
        if len(path) > LONGEST_PATH // 4 and len(path.encode("utf-8", "surrogateescape")) > LONGEST_PATH:
            raise FileError(ErrorCode.NAME_TOO_LONG, path)
        return self._place(self._current(), path, follow, _Links())

    def _current(self) -> _Places:
        """Where paths lead now: forgotten when the world or the date has changed, or when it is much."""
        world, day, places = self.machine.world, self.machine.now // DAY, self._places
        same = places.generation == world.generation and places.world is world and places.day == day
        if not same or len(places.known) >= PLACES_KEPT:
            places = self._places = _Places(world, world.generation, day)
        return places

    def _place(self, places: _Places, path: str, follow: bool, links: _Links) -> Place:
        known = places.known.get((path, follow))
        if known is not None:
            return known
        above, _, name = path.rpartition("/")
        if not name and not above:
            place = Place(self.root(), "", self.root())
        else:
            place = self._enter(places, self._reached(places, above, links), name, follow, links)
        places.known[path, follow] = place
        return place

    def _reached(self, places: _Places, path: str, links: _Links) -> Found:
        """What lies at the beginning of a longer path."""
        found = self._place(places, path, True, links).found
        if found is None:
            raise FileError(ErrorCode.NOT_FOUND, path)
        return found

    def _enter(self, places: _Places, above: Found, name: str, follow: bool, links: _Links) -> Place:
        """Where one more component leads."""
        if name in ("", "."):
            return self._place(places, above.path, True, links)
        if name == "..":
            return self._place(places, above.path.rpartition("/")[0], True, links)
        child = self._step(above, name)
        if child is None or not (follow and child.is_link):
            return Place(above, name, child)
        return self._follow(places, above, self.link_text(child), links)

    def _follow(self, places: _Places, above: Found, target: str, links: _Links) -> Place:
        """Where a link in the directory `above` leads."""
        links.followed += 1
        if links.followed > LINKS_FOLLOWED:
            raise FileError(ErrorCode.LOOP, target)
        here = self.root() if target.startswith("/") else above
        *parts, last = [part for part in target.split("/") if part] or ["."]
        for part in parts:
            found = self._enter(places, here, part, True, links).found
            if found is None:
                raise FileError(ErrorCode.NOT_FOUND, target)
            here = found
        return self._enter(places, here, last, True, links)

    def found(self, path: str, follow: bool = True) -> Found:
        """What lies at `path`. Raises FileError, NOT_FOUND if nothing does."""
        found = self.place(path, follow).found
        if found is None:
            raise FileError(ErrorCode.NOT_FOUND, path)
        return found

    def children(self, above: Found) -> Iterator[Found]:
        """The entries of a directory, by name."""
        views = self._structure.children(self.machine, above.path, above.node) if above.viewed else {}
        written = self._layer.names(self.machine.world, above.path)
        for name in sorted({*views, *written}):
            child = self._merged(above, name, views.get(name), written.get(name, False))
            if child is not None:
                yield child

    def hides(self, place: Place) -> bool:
        """Whether the site gives something at a place, whatever people have put there."""
        above = place.above
        return above.viewed and self._structure.child(self.machine, above.path, above.node, place.name) is not None

    def link_text(self, found: Found) -> str:
        """The text of a symbolic link."""
        target = found.node.target
        return target(self.machine) if callable(target) else target or ""

    def may(self, found: Found, wanted: int) -> bool:
        """Whether the identity has the rights `wanted` on what was found."""
        node = found.node
        return allowed(self.identity, node.mode, node.uid, node.gid, wanted, found.is_directory)

    def content(self, found: Found) -> bytes:
        """What is in a file; the realm's refusal if it can't be read."""
        node, written = found.node, found.written
        if written is not None and written.source:
            from engine.workloads.training import output  # only who reads such a file waits for it

            return output.live(self.machine.world, written.source, self.machine.now).encode()
        if written is not None and not written.live:
            content = written.content or b""
            return content + node.grows(self.machine, written.modified) if node.grows else content
        if node.kind is FileKind.BLOCK_DEVICE:
            raise FileError(ErrorCode.NOT_MODELLED, found.path)
        if node.content is None:
            raise FileError(found.realm.read, found.path)
        computed = node.content(self.machine)
        return computed.encode("utf-8", "surrogateescape") if isinstance(computed, str) else computed

    def stat(self, found: Found) -> Stat:
        """Metadata of what was found."""
        node = found.node
        return Stat(
            kind=node.kind,
            mode=node.mode,
            uid=node.uid,
            gid=node.gid,
            size=self._size(found),
            modified=self.machine.epoch(self.modified(found)),
            links=self._links(found),
            inode=crc32(found.path.encode("utf-8", "surrogateescape"), 2) or 1,
            device=node.device,
        )

    def _step(self, above: Found, name: str) -> Found | None:
        """The entry `name` of a directory that one may search."""
        if above.node.kind is not FileKind.DIRECTORY:
            raise FileError(ErrorCode.NOT_DIRECTORY, above.path)
        if not self.may(above, SEARCH):
            raise FileError(ErrorCode.PERMISSION, above.path)
        if len(name) > LONGEST_NAME // 4 and len(name.encode("utf-8", "surrogateescape")) > LONGEST_NAME:
            raise FileError(ErrorCode.NAME_TOO_LONG, name)
        view = self._structure.child(self.machine, above.path, above.node, name) if above.viewed else None
        return self._merged(above, name, view, self._layer.get(self.machine.world, f"{above.path}/{name}"))

    def _merged(self, above: Found, name: str, view: Node | None, written: WrittenFile | bool | None) -> Found | None:
        """An entry as the view and the written layer together give it."""
        path = f"{above.path}/{name}"
        realm = view.realm or above.realm if view else above.realm
        if written is False:
            return Found(path, view, realm) if view else None
        if not isinstance(written, WrittenFile):
            return None
        if written.live:
            return Found(path, _dressed(view, written), realm, written) if view else None
        return Found(path, _plain(written, view), realm, written, viewed=False)

    def _size(self, found: Found) -> int:
        node, realm = found.node, found.realm
        if found.is_directory:
            return realm.directory_size
        if found.is_link:
            return len(self.link_text(found).encode("utf-8", "surrogateescape"))
        if found.written and not found.written.live:
            return len(self.content(found))
        if realm.file_size is not None:
            return realm.file_size
        if node.size is not None:
            return node.size
        return len(self.content(found)) if node.content else 0

    def modified(self, found: Found) -> int:
        """When it was last changed, in simulated ns."""
        if found.written and found.written.source:
            from engine.workloads.training import output

            last = output.last_change(self.machine.world, found.written.source, self.machine.now)
            return max(found.written.modified, last)
        own = found.node.modified
        if found.written and not (own and found.node.grows):
            return found.written.modified
        time = own(self.machine) if own else found.realm.modified(self.machine)
        return max(time, found.written.modified) if found.written else time

    def _links(self, found: Found) -> int:
        """A directory's link count: itself, its name, and one for each directory in it. Tables that are worked out
        aren't, for this.
        """
        table = found.node.children
        if not found.is_directory or (callable(table) and not found.node.fixed):
            return 2 if found.is_directory else 1
        return 2 + sum(child.is_directory for child in self.children(found))


def _dressed(view: Node, written: WrittenFile) -> Node:
    """A view's file with the mode and owner that somebody gave it."""
    return dataclasses.replace(view, mode=written.mode, uid=written.uid, gid=written.gid)


def _plain(written: WrittenFile, view: Node | None) -> Node:
    """What somebody made; a log that it replaces goes on growing."""
    if written.target is not None:
        return Node(FileKind.SYMLINK, 0o777, written.uid, written.gid, target=written.target)
    kind = FileKind.DIRECTORY if written.content is None else FileKind.FILE
    grows = view.grows if view and kind is FileKind.FILE else None
    modified = view.modified if grows and view else None
    return Node(kind, written.mode, written.uid, written.gid, grows=grows, modified=modified)
