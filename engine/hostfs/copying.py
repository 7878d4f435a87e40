"""The fallback where a file tree can't be mounted (``bridge.BridgeUnavailable``): a copy in bashkit's own memory.

What is lost, and has to be said to the user: values are those of the moment of copying, nobody is refused anything,
writes don't reach the host, links aren't followed, and time stamps are the real clock's.
"""

from typing import TYPE_CHECKING

from engine.hostfs.tree import FileError, FileKind, FileTree

if TYPE_CHECKING:
    import bashkit

LARGEST_FILE = 10_000_000  # bashkit's own limit for one file


def copy_tree(tree: FileTree) -> "bashkit.FileSystem":
    """A native file system with what the tree holds now; files that can't be read or are too big are left out."""
    from bashkit import FileSystem

    copied = FileSystem()
    _copy_directory(tree, "", copied)
    return copied


def _copy_directory(tree: FileTree, directory: str, copied: "bashkit.FileSystem") -> None:
    for name, stat in tree.entries(directory or "/"):
        path = f"{directory}/{name}"
        if stat.kind is FileKind.DIRECTORY:
            copied.mkdir(path, True)
            _copy_directory(tree, path, copied)
        elif stat.kind is FileKind.SYMLINK:
            copied.symlink(tree.read_link(path), path)
            continue
        else:
            _copy_file(tree, path, copied)
        if copied.exists(path):
            copied.chmod(path, stat.mode)


def _copy_file(tree: FileTree, path: str, copied: "bashkit.FileSystem") -> None:
    try:
        content = tree.read(path)
    except FileError:
        return
    if len(content) <= LARGEST_FILE:
        copied.write_file(path, content)
