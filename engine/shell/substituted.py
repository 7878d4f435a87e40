"""Process substitution for our commands: `zgrep x <(...)` names a file, /dev/fd/63, that only the running bash has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from engine.hostfs.tree import ErrorCode, FileError, FileKind, FileTree, Stat

_PLACE = "/dev/fd/"


def with_substitutions(tree: FileTree, words: Sequence[str], bash_files: Any) -> FileTree:
    """`tree`, with the substitutions that `words` name; `bash_files` is the running bash's file system."""
    if not any(_PLACE in word for word in words):
        return tree
    return cast(FileTree, _Substituted(tree, bash_files))


class _Substituted:
    """The tree of a host with /dev/fd/N read from bash."""

    def __init__(self, tree: FileTree, bash_files: Any) -> None:
        self._tree, self._files = tree, bash_files

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tree, name)

    def read(self, path: str) -> bytes:
        if not path.startswith(_PLACE):
            return self._tree.read(path)
        try:
            return bytes(self._files.read_file(path))
        except Exception:
            raise FileError(ErrorCode.NOT_FOUND, path) from None

    def stat(self, path: str) -> Stat:
        if not path.startswith(_PLACE):
            return self._tree.stat(path)
        size = len(self.read(path))
        return Stat(FileKind.FILE, 0o600, 0, 0, size, 0)

    def exists(self, path: str) -> bool:
        return path.startswith(_PLACE) or self._tree.exists(path)

    def access(self, path: str, wanted: int) -> bool:
        return path.startswith(_PLACE) or bool(self._tree.access(path, wanted))  # type: ignore[attr-defined]
