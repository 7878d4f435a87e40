"""A file tree that is a directory of the test's own disk, so that our file commands and the machine's real ones see
the same files.
"""

from __future__ import annotations

import os
import stat as modes
from pathlib import Path

from engine.hostfs.tree import ErrorCode, FileError, FileKind, Stat

_KINDS = {
    modes.S_IFREG: FileKind.FILE,
    modes.S_IFDIR: FileKind.DIRECTORY,
    modes.S_IFLNK: FileKind.SYMLINK,
    modes.S_IFCHR: FileKind.CHARACTER_DEVICE,
    modes.S_IFBLK: FileKind.BLOCK_DEVICE,
}


class DiskTree:
    """The directory `root`, as the whole tree of a host."""

    def __init__(self, root: Path, now: int) -> None:
        self.root, self.now = root, now

    def _real(self, path: str) -> str:
        return str(self.root) + path

    def _do(self, path: str, act, *arguments):
        try:
            return act(self._real(path), *arguments)
        except OSError as error:
            text = os.strerror(error.errno)
            raise FileError(next(code for code in ErrorCode if code.value == text), path) from None

    def _stat(self, found: os.stat_result) -> Stat:
        kind = _KINDS[modes.S_IFMT(found.st_mode)]
        device = (os.major(found.st_rdev), os.minor(found.st_rdev)) if kind.value in "bc" else None
        bits = modes.S_IMODE(found.st_mode)
        return Stat(
            kind,
            bits,
            found.st_uid,
            found.st_gid,
            found.st_size,
            found.st_mtime_ns,
            found.st_nlink,
            found.st_ino,
            device,
        )

    def stat(self, path: str) -> Stat:
        return self._stat(self._do(path, os.stat))

    def lstat(self, path: str) -> Stat:
        return self._stat(self._do(path, os.lstat))

    def entries(self, path: str) -> list[tuple[str, Stat]]:
        return [(name, self.lstat(f"{path.rstrip('/')}/{name}")) for name in sorted(self._do(path, os.listdir))]

    def exists(self, path: str) -> bool:
        return os.path.exists(self._real(path))

    def access(self, path: str, wanted: int) -> bool:
        return os.access(self._real(path), wanted)

    def read(self, path: str) -> bytes:
        return self._do(path, lambda real: Path(real).read_bytes())

    def read_link(self, path: str) -> str:
        return self._do(path, os.readlink)

    def real_path(self, path: str) -> str:
        return os.path.realpath(self._real(path)).removeprefix(os.path.realpath(self.root)) or "/"

    def write(self, path: str, content: bytes) -> None:
        self._do(path, lambda real: Path(real).write_bytes(content))

    def append(self, path: str, content: bytes) -> None:
        self.write(path, (self.read(path) if self.exists(path) else b"") + content)

    def make_directory(self, path: str, parents: bool) -> None:
        self._do(path, os.makedirs if parents else os.mkdir)

    def remove(self, path: str, recursive: bool) -> None:
        self._do(path, os.rmdir if self.lstat(path).kind is FileKind.DIRECTORY else os.remove)

    def set_mode(self, path: str, mode: int) -> None:
        self._do(path, os.chmod, mode)

    def set_owner(self, path: str, uid: int | None, gid: int | None, follow: bool = True) -> None:
        change = os.chown if follow else os.lchown
        self._do(path, change, -1 if uid is None else uid, -1 if gid is None else gid)

    def set_modified(self, path: str, time: int | None = None) -> None:
        moment = self.now if time is None else time
        self._do(path, lambda real: os.utime(real, ns=(moment, moment)))
