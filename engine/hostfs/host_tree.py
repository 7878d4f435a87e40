"""The live root file system of one host, as one identity sees it.

What lies where comes from `views/` (see `areas`), with what people changed over it (`world.files`). Reading
computes; every change is an action of `changes`, or what a view's file makes of a write. Rights, refusals and their
order are the Linux kernel's.
"""

from __future__ import annotations

from engine.control import host_clock
from engine.control.accounts import Identity
from engine.hostfs import attributes, editing, moving
from engine.hostfs.acting import Acting, Apply
from engine.hostfs.drafts import Drafts
from engine.hostfs.lookup import Lookup
from engine.hostfs.machine import Machine, Programs, no_programs
from engine.hostfs.permissions import READ
from engine.hostfs.structure import Structure
from engine.hostfs.tree import ErrorCode, FileError, Stat
from engine.hostfs.written import Layer
from engine.kernel.simulation import Simulation
from engine.world.world import World


class HostTree:
    """A FileTree, and what chown, touch, access and lstat need besides."""

    def __init__(
        self,
        simulation: Simulation[World],
        host: str,
        identity: Identity,
        *,
        programs: Programs = no_programs,
        apply: Apply | None = None,
        shell: int | None = None,
    ) -> None:
        """`programs` gives the commands installed besides the usual ones, `shell` is the pid that /proc/self means.

        `apply` performs actions, where the simulation's own must not be called from the shell's threads.
        """
        machine = Machine(simulation, host, identity.name, shell, programs)
        self._structure = Structure()
        self._set_up(machine, identity, Layer(host), apply or simulation.apply)

    def _set_up(self, machine: Machine, identity: Identity, layer: Layer, apply: Apply) -> None:
        self._lookup = Lookup(machine, identity, self._structure, layer)
        self._acting = Acting(machine.host, self._lookup, layer, apply)
        self._drafts = Drafts(self._acting)

    def seen_by(self, identity: Identity, shell: int | None = None) -> HostTree:
        """The same tree for another identity; what was worked out so far is shared."""
        other = object.__new__(HostTree)
        other._structure = self._structure
        machine = self._lookup.machine.seen_by(identity.name, shell)
        other._set_up(machine, identity, self._acting.layer, self._acting.apply)
        return other

    @property
    def identity(self) -> Identity:
        return self._acting.identity

    @property
    def umask(self) -> int:
        """The permission bits that new files do not get."""
        return self._acting.umask

    @umask.setter
    def umask(self, bits: int) -> None:
        self._acting.umask = bits & 0o777

    def read(self, path: str) -> bytes:
        """The whole content; follows a final link."""
        return self._drafts.read(path) if path in self._drafts else editing.read(self._acting, path)[1]

    def write(self, path: str, content: bytes) -> None:
        """Replace the content or create the file; follows a final link."""
        if not self._drafts.take(path, content):
            editing.write(self._acting, path, content)

    def append(self, path: str, content: bytes) -> None:
        """Add to the end or create the file; follows a final link."""
        if not self._drafts.take(path, content, added=True):
            editing.append(self._acting, path, content)

    def make_directory(self, path: str, parents: bool) -> None:
        """Create a directory; with `parents`, missing ones above too and no error if it is there."""
        editing.make_directory(self._acting, path, parents)

    def symlink(self, target: str, path: str) -> None:
        """Make `path` a symbolic link holding `target` as given."""
        editing.make_link(self._acting, target, path)

    def copy(self, source: str, target: str) -> None:
        """Copy a file's content, and its mode where the target is new; follows final links."""
        editing.copy(self._acting, source, target)

    def remove(self, path: str, recursive: bool) -> None:
        """Remove a file, a link itself or a directory (with content only if `recursive`)."""
        if path in self._drafts:
            self._drafts.remove(path)
        else:
            moving.remove(self._acting, path, recursive)

    def rename(self, source: str, target: str) -> None:
        """Move a file, link or directory, replacing a file at the target; follows no final link."""
        if source in self._drafts:
            self._drafts.put(source, target)
        else:
            moving.rename(self._acting, source, target)

    def stat(self, path: str) -> Stat:
        """Metadata of what the path leads to; follows a final link."""
        if path in self._drafts:
            return self._drafts.stat(path)
        return self._lookup.stat(self._lookup.found(path))

    def lstat(self, path: str) -> Stat:
        """Metadata of what lies at the path itself, be it a link."""
        if path in self._drafts:
            return self._drafts.stat(path)
        return self._lookup.stat(self._lookup.found(path, follow=False))

    def entries(self, path: str) -> list[tuple[str, Stat]]:
        """A directory's entries by name, links not followed; follows a final link."""
        found = self._lookup.found(path)
        if not found.is_directory:
            raise FileError(ErrorCode.NOT_DIRECTORY, path)
        self._acting.demand(found, READ, path)
        return [(child.name, self._lookup.stat(child)) for child in self._lookup.children(found)]

    def exists(self, path: str) -> bool:
        """Whether the path leads somewhere; follows a final link."""
        try:
            return path in self._drafts or self._lookup.place(path).found is not None
        except FileError:
            return False

    def access(self, path: str, wanted: int) -> bool:
        """Whether the identity may read (4), write (2), execute or search (1) what the path leads to, as access(2)
        says.
        """
        try:
            return path in self._drafts or self._lookup.may(self._lookup.found(path), wanted)
        except FileError:
            return False

    def read_link(self, path: str) -> str:
        """The text of a symbolic link; INVALID for anything else."""
        found = self._lookup.found(path, follow=False)
        if not found.is_link:
            raise FileError(ErrorCode.INVALID, path)
        return self._lookup.link_text(found)

    def real_path(self, path: str) -> str:
        """The path without links, as `readlink -f` prints it: all components but the last must exist."""
        return self._lookup.place(path).path or "/"

    def set_mode(self, path: str, mode: int) -> None:
        """Change the permission bits; follows a final link."""
        if path in self._drafts:
            self._drafts.set_mode(path, mode)
        else:
            attributes.set_mode(self._acting, path, mode)

    def set_owner(self, path: str, uid: int | None, gid: int | None, follow: bool = True) -> None:
        """Change owner and group (None: leave)."""
        attributes.set_owner(self._acting, path, uid, gid, follow)

    def set_modified(self, path: str, time: int | None = None) -> None:
        """Change the time of modification, in ns since the epoch (None: now); follows a final link."""
        machine = self._lookup.machine
        known = None if time is None else host_clock.moment(machine.world, machine.host, time, machine.now)
        attributes.set_modified(self._acting, path, known)
