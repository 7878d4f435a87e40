"""How views declare files: a directory's table maps relative paths to files, links, devices and further directories.

Content is computed when somebody reads. A directory's table is a plain mapping or a function of the machine; a
function is asked again when the world has changed, unless the table is `fixed`: a matter of the inventory alone; one
that is `personal` depends on who looks. Directories between are derived from the paths: `{"opensm/opensm.conf":
file(...)}`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from engine.hostfs.machine import Machine
from engine.hostfs.realms import Realm
from engine.hostfs.tree import ErrorCode, FileKind
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass

ROOT = 0

Content = Callable[[Machine], str | bytes]
Children = Mapping[str, "Node"]
Effect = Action | ErrorCode | None
Write = Callable[[Machine, bytes], Effect]
"""What writing does: an action (whose result may be an ErrorCode), a refusal, or nothing."""
Grows = Callable[[Machine, int | None], bytes]
"""What has been added to a log since a time (None: since it began)."""


@dataclass(frozen=True, slots=True)
class Node:
    """A file as the site gives it. What is None is as usual: the realm's size and time, no hook, nothing to read."""

    kind: FileKind
    mode: int
    uid: int = ROOT
    gid: int = ROOT
    content: Content | None = None
    grows: Grows | None = None
    on_write: Write | None = None
    target: str | Callable[[Machine], str] | None = None
    device: tuple[int, int] | None = None
    children: Children | Callable[[Machine], Children] | None = None
    fixed: bool = False
    personal: bool = False
    realm: Realm | None = None
    size: int | None = None
    modified: Callable[[Machine], int] | None = None


def file(
    content: Content | str | bytes,
    mode: int = 0o644,
    *,
    uid: int = ROOT,
    gid: int = ROOT,
    on_write: Write | None = None,
    modified: Callable[[Machine], int] | None = None,
) -> Node:
    """A file whose content is worked out when read, or fixed."""
    if isinstance(content, str | bytes):
        fixed = content
        size = len(fixed.encode()) if isinstance(fixed, str) else len(fixed)
        return Node(FileKind.FILE, mode, uid, gid, lambda _: fixed, on_write=on_write, size=size, modified=modified)
    return Node(FileKind.FILE, mode, uid, gid, content, on_write=on_write, modified=modified)


def log(grows: Grows, modified: Callable[[Machine], int], mode: int = 0o640, uid: int = ROOT, gid: int = ROOT) -> Node:
    """A file that a daemon appends to; it goes on growing after somebody has written to it."""
    return Node(FileKind.FILE, mode, uid, gid, lambda machine: grows(machine, None), grows, modified=modified)


def control_file(write: Write, mode: int = 0o200) -> Node:
    """A file of the kernel that can only be written."""
    return Node(FileKind.FILE, mode, on_write=write)


def directory(
    children: Children | Callable[[Machine], Children] | None = None,
    mode: int = 0o755,
    *,
    uid: int = ROOT,
    gid: int = ROOT,
    fixed: bool = False,
    personal: bool = False,
    realm: Realm | None = None,
    modified: Callable[[Machine], int] | None = None,
) -> Node:
    """A directory; its realm is that of the directory above unless given."""
    table = children if callable(children) else nested(children or {})
    return Node(
        FileKind.DIRECTORY,
        mode,
        uid,
        gid,
        children=table,
        fixed=fixed,
        personal=personal,
        realm=realm,
        modified=modified,
    )


def link(target: str | Callable[[Machine], str]) -> Node:
    """A symbolic link."""
    return Node(FileKind.SYMLINK, 0o777, target=target)


def character_device(
    major: int,
    minor: int,
    mode: int = 0o666,
    gid: int = ROOT,
    content: Content | None = None,
    on_write: Write | None = None,
) -> Node:
    """A character device; without content or hook, reading or writing it as a file is invalid."""
    return Node(FileKind.CHARACTER_DEVICE, mode, ROOT, gid, content, on_write=on_write, device=(major, minor), size=0)


def block_device(major: int, minor: int, gid: int) -> Node:
    """A block device; what is on it is not modelled."""
    return Node(FileKind.BLOCK_DEVICE, 0o660, ROOT, gid, device=(major, minor), size=0)


def nested(children: Children) -> Children:
    """The table with one name per entry: entries further down are put into (derived or declared) directories."""
    if not any("/" in path for path in children):
        return children
    plain = {path: node for path, node in children.items() if "/" not in path}
    deeper: dict[str, dict[str, Node]] = {}
    for path, node in children.items():
        name, slash, rest = path.partition("/")
        if slash:
            deeper.setdefault(name, {})[rest] = node
    return plain | {name: _with(plain.get(name), below) for name, below in deeper.items()}


def _with(declared: Node | None, below: Children) -> Node:
    """A directory with further entries; `declared` says its mode, owner and own entries."""
    if declared is None:
        return directory(below)
    own = declared.children
    if callable(own):
        listing = own
        return dataclasses.replace(declared, children=lambda machine: {**listing(machine), **below})
    return dataclasses.replace(declared, children=nested({**(own or {}), **below}))
