"""Removing and renaming: the rules of unlink, rmdir, `rm -r` and rename, in the order in which the kernel applies
them.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.control.files import SHARED_DIRECTORIES, below
from engine.hostfs import changes
from engine.hostfs.acting import Acting
from engine.hostfs.changes import Copied
from engine.hostfs.lookup import Found, Place
from engine.hostfs.permissions import READ, SEARCH, WRITE, sticky_forbids
from engine.hostfs.tree import ErrorCode, FileError, FileKind

MOUNT_POINTS = (
    "", "/boot/efi", "/data", "/dev", "/dev/pts", "/dev/shm", "/home", "/proc", "/raid", "/run", "/run/lock", "/sys",
    "/sys/fs/cgroup",
)  # fmt: skip


def remove(acting: Acting, path: str, recursive: bool) -> None:
    """Remove a file, a link itself or a directory; recursively as `rm -r` does, which removes what it can."""
    place = acting.lookup.place(path, follow=False)
    found = place.found
    if found is None:
        raise FileError(ErrorCode.NOT_FOUND, path)
    mounted = found.path in MOUNT_POINTS
    if found.is_directory and recursive and (mounted or not _all_removable(acting, found)):
        _remove_below(acting, found, path)
    if mounted:
        raise FileError(ErrorCode.BUSY, path)
    acting.demand_removal(place.above, found, path)
    if found.is_directory and not recursive and next(acting.lookup.children(found), None):
        raise FileError(ErrorCode.NOT_EMPTY, path)
    viewed, by = acting.lookup.hides(place), acting.identity.name
    acting.do(changes.RemovePath(acting.host, found.path, viewed, by, _loser(acting, found)))


def _loser(acting: Acting, found: Found) -> str:
    """The person whose shared data is removed by somebody else; the learner's own, removed as root, are nobody's
    loss.
    """
    if not below(found.path, SHARED_DIRECTORIES):
        return ""
    inventory = acting.lookup.machine.inventory
    owner = next((user.name for user in inventory.users if user.uid == found.node.uid), "")
    return "" if owner in (acting.identity.name, inventory.learner) else owner


def rename(acting: Acting, source: str, target: str) -> None:
    """Move a file, link or directory, replacing a file or an empty directory at the target."""
    origin = acting.lookup.place(source, follow=False)
    place = acting.lookup.place(target, follow=False)
    found = origin.found
    if found is None:
        raise FileError(ErrorCode.NOT_FOUND, source)
    if place.path == found.path:
        return
    _demand_move(acting, origin, found, place, target)
    copied = tuple(_views_of(acting, found, found.path))
    size = sum(len(content or b"") for _, content, *_ in copied)
    acting.demand_room(place.path, size, files=len(copied) + 1)
    acting.do(changes.RenamePath(acting.host, found.path, place.path, acting.lookup.hides(origin), copied))


def _all_removable(acting: Acting, found: Found) -> bool:
    """Whether everything in a directory can go, so that one action does it."""
    children = list(acting.lookup.children(found))
    if not children:
        return True
    if found.realm.remove or not acting.lookup.may(found, READ | WRITE | SEARCH):
        return False
    node = found.node
    return not any(
        sticky_forbids(acting.identity, node.mode, node.uid, child.node.uid)
        or child.path in MOUNT_POINTS
        or (child.is_directory and not _all_removable(acting, child))
        for child in children
    )


def _remove_below(acting: Acting, found: Found, path: str) -> None:
    """Remove what can be removed in a directory. Raises the first refusal."""
    acting.demand(found, READ, path)
    refusals = []
    for child in list(acting.lookup.children(found)):
        try:
            remove(acting, child.path, recursive=True)
        except FileError as refusal:
            refusals.append(refusal)
    if refusals:
        raise refusals[0]


def _demand_move(acting: Acting, origin: Place, found: Found, place: Place, target: str) -> None:
    """Raises what keeps a rename from being done."""
    if found.path in MOUNT_POINTS or place.path in MOUNT_POINTS:
        raise FileError(ErrorCode.BUSY, target)
    if place.path.startswith(f"{found.path}/"):
        raise FileError(ErrorCode.INVALID, target)
    if found.path.startswith(f"{place.path}/"):
        raise FileError(ErrorCode.NOT_EMPTY, target)
    if place.found is None:
        acting.demand_creation(place, target)
    acting.demand_removal(origin.above, found, target)
    if place.found is not None:
        acting.demand_removal(place.above, place.found, target)
        _demand_same_kind(found, place.found, target)
    if found.is_directory and origin.above.path != place.above.path:
        acting.demand(found, WRITE, target)
    if place.found is not None and next(acting.lookup.children(place.found), None):
        raise FileError(ErrorCode.NOT_EMPTY, target)


def _demand_same_kind(found: Found, there: Found, target: str) -> None:
    if found.is_directory and not there.is_directory:
        raise FileError(ErrorCode.NOT_DIRECTORY, target)
    if there.is_directory and not found.is_directory:
        raise FileError(ErrorCode.IS_DIRECTORY, target)


def _views_of(acting: Acting, found: Found, top: str) -> Iterator[Copied]:
    """What the site gives at and below `found`, as it is now; what was written moves by itself."""
    if found.viewed:
        yield _copied(acting, found, top)
    if found.is_directory:
        for child in acting.lookup.children(found):
            yield from _views_of(acting, child, top)


def _copied(acting: Acting, found: Found, top: str) -> Copied:
    node, lookup = found.node, acting.lookup
    if node.kind in (FileKind.CHARACTER_DEVICE, FileKind.BLOCK_DEVICE) or node.on_write:
        raise FileError(ErrorCode.NOT_MODELLED, found.path)
    content = lookup.content(found) if node.kind is FileKind.FILE else None
    target = lookup.link_text(found) if found.is_link else None
    modified = lookup.modified(found)
    return found.path.removeprefix(top), content, node.mode, node.uid, node.gid, modified, target
