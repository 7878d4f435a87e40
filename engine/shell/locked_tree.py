"""A host's file tree as bash's threads see it: under the simulation's lock, and with mode bits that answer for the
user.

bash judges `[ -r f ]`, `[ -w f ]`, `[ -x f ]` by any of the mode bits. So a stat for bash shows, in all three places,
the bits that this
identity has; our own `ls`, `stat`, `chmod` and `find` read the tree directly and show the true ones.
"""

from __future__ import annotations

from dataclasses import replace
from threading import RLock

from engine.control.accounts import Identity
from engine.hostfs.tree import FileKind, FileTree, Stat


def effective_bits(stat: Stat, identity: Identity) -> int:
    """The rwx bits (0-7) that `identity` has on a file: owner's, group's or others', and root's."""
    if identity.uid == 0:
        executable = stat.kind is FileKind.DIRECTORY or stat.mode & 0o111
        return 7 if executable else 6
    if stat.uid == identity.uid:
        return stat.mode >> 6 & 7
    if stat.gid in identity.group_ids:
        return stat.mode >> 3 & 7
    return stat.mode & 7


class LockedTree:
    """`tree` for bash, on behalf of `identity`."""

    def __init__(self, tree: FileTree, identity: Identity, lock: RLock) -> None:
        self._tree, self._identity, self._lock = tree, identity, lock

    def read(self, path: str) -> bytes:
        with self._lock:
            return self._tree.read(path)

    def write(self, path: str, content: bytes) -> None:
        with self._lock:
            self._tree.write(path, content)

    def append(self, path: str, content: bytes) -> None:
        with self._lock:
            self._tree.append(path, content)

    def make_directory(self, path: str, parents: bool) -> None:
        with self._lock:
            self._tree.make_directory(path, parents)

    def remove(self, path: str, recursive: bool) -> None:
        with self._lock:
            self._tree.remove(path, recursive)

    def stat(self, path: str) -> Stat:
        with self._lock:
            return self._answering(self._tree.stat(path))

    def entries(self, path: str) -> list[tuple[str, Stat]]:
        with self._lock:
            return [(name, self._answering(stat)) for name, stat in self._tree.entries(path)]

    def exists(self, path: str) -> bool:
        with self._lock:
            return self._tree.exists(path)

    def rename(self, source: str, target: str) -> None:
        with self._lock:
            self._tree.rename(source, target)

    def copy(self, source: str, target: str) -> None:
        with self._lock:
            self._tree.copy(source, target)

    def symlink(self, target: str, path: str) -> None:
        with self._lock:
            self._tree.symlink(target, path)

    def read_link(self, path: str) -> str:
        with self._lock:
            return self._tree.read_link(path)

    def set_mode(self, path: str, mode: int) -> None:
        with self._lock:
            self._tree.set_mode(path, mode)

    def _answering(self, stat: Stat) -> Stat:
        return replace(stat, mode=stat.mode & ~0o777 | effective_bits(stat, self._identity) * 0o111)
