"""The vocabulary of a host's file tree: what a file is, how an operation fails, what a tree offers.

Nothing here knows how the tree is mounted. Error words are Linux's (strerror of glibc 2.39), because they reach the
learner's terminal as they are: ``cat: /etc/shadow: Permission denied``.
"""

from enum import Enum
from typing import Protocol

from engine.kernel.quick_dataclass import dataclass


class FileKind(Enum):
    """What an inode is. A shell mount shows devices as plain files; ``ls -l`` and ``stat`` show them as they are."""

    FILE = "-"
    DIRECTORY = "d"
    SYMLINK = "l"
    CHARACTER_DEVICE = "c"
    BLOCK_DEVICE = "b"


@dataclass(frozen=True, slots=True)
class Stat:
    """An inode's metadata. ``modified`` is in nanoseconds since the epoch, ``device`` is (major, minor)."""

    kind: FileKind
    mode: int
    uid: int
    gid: int
    size: int
    modified: int
    links: int = 1
    inode: int = 0
    device: tuple[int, int] | None = None


class ErrorCode(Enum):
    """Why an operation failed; the value is what Linux says."""

    NOT_FOUND = "No such file or directory"
    EXISTS = "File exists"
    PERMISSION = "Permission denied"
    NOT_PERMITTED = "Operation not permitted"
    INVALID = "Invalid argument"
    IS_DIRECTORY = "Is a directory"
    NOT_DIRECTORY = "Not a directory"
    NOT_EMPTY = "Directory not empty"
    READ_ONLY = "Read-only file system"
    LOOP = "Too many levels of symbolic links"
    NAME_TOO_LONG = "File name too long"
    TOO_BIG = "File too large"
    IO = "Input/output error"
    NOT_SUPPORTED = "Operation not supported"
    NO_SPACE = "No space left on device"
    NO_DEVICE = "No such device"
    BUSY = "Device or resource busy"
    CROSS_DEVICE = "Invalid cross-device link"
    NOT_MODELLED = "breakfix: not modelled"


class FileError(Exception):
    """A file operation failed; ``text`` is what the user reads."""

    def __init__(self, code: ErrorCode, path: str = "") -> None:
        super().__init__(f"{path}: {code.value}" if path else code.value)
        self.code = code
        self.path = path

    @property
    def text(self) -> str:
        """Linux's words for the error, without the path."""
        return self.code.value


class FileTree(Protocol):
    """What a mounted tree offers. Paths are absolute and normalised (no ``.``, ``..``, ``//`` or trailing slash).

    bashkit resolves no symbolic link itself. It hands over the path as typed, made absolute and lexically normalised
    (``link/..`` holds the link), and judges a path by one ``stat``: ``cd``, ``[ -f ]``, ``[ -d ]``,
    globs and the search in PATH want the link's target. So every component but the last is followed in all operations,
    and the last one where the operation says so. The price: bashkit's own ``[ -L ]``, ``ls -l LINK``, ``find -type l``
    and ``rm DANGLING`` take a link for its target. What needs lstat asks ``entries`` or ``read_link``.

    Operations are called from the shell's own threads, several at a time; a failure is a FileError.
    """

    def read(self, path: str) -> bytes:
        """The whole content; follows a final link."""

    def write(self, path: str, content: bytes) -> None:
        """Replace the content or create the file; follows a final link."""

    def append(self, path: str, content: bytes) -> None:
        """Add to the end or create the file; follows a final link."""

    def make_directory(self, path: str, parents: bool) -> None:
        """Create a directory; with ``parents``, missing ones above too and no error if it is there."""

    def remove(self, path: str, recursive: bool) -> None:
        """Remove a file, a link itself or a directory (with content only if ``recursive``)."""

    def stat(self, path: str) -> Stat:
        """Metadata of what the path leads to; follows a final link (NOT_FOUND if that dangles, LOOP)."""

    def entries(self, path: str) -> list[tuple[str, Stat]]:
        """A directory's entries by name, each with its own metadata (links not followed); follows a final link."""

    def exists(self, path: str) -> bool:
        """Whether the path leads somewhere; follows a final link."""

    def rename(self, source: str, target: str) -> None:
        """Move a file, link or directory, replacing a file at the target; follows no final link."""

    def copy(self, source: str, target: str) -> None:
        """Copy a file's content and mode; follows final links."""

    def symlink(self, target: str, path: str) -> None:
        """Make ``path`` a symbolic link holding ``target`` as given (may be relative or dangling)."""

    def read_link(self, path: str) -> str:
        """The text of a symbolic link; INVALID for anything else."""

    def set_mode(self, path: str, mode: int) -> None:
        """Change the permission bits; follows a final link."""
