"""Making and writing files and directories: the rules of open(O_CREAT), mkdir and symlink, and what writing a view's
file does.
"""

from __future__ import annotations

from engine.hostfs import changes
from engine.hostfs.acting import Acting
from engine.hostfs.lookup import Found, Place
from engine.hostfs.nodes import Effect
from engine.hostfs.permissions import READ, SET_GROUP, WRITE
from engine.hostfs.tree import ErrorCode, FileError, FileKind
from engine.kernel.actions import Action

NEW_FILE = 0o666
NEW_DIRECTORY = 0o777
WRITABLE = 0o222
_DEVICES = (FileKind.CHARACTER_DEVICE, FileKind.BLOCK_DEVICE)


def read(acting: Acting, path: str) -> tuple[Found, bytes]:
    """A file and its content."""
    found = acting.lookup.found(path)
    if found.is_directory:
        raise FileError(ErrorCode.IS_DIRECTORY, path)
    acting.demand(found, READ, path)
    return found, acting.lookup.content(found)


def write(acting: Acting, path: str, content: bytes) -> None:
    """Replace a file's content, or create it."""
    place = acting.lookup.place(path)
    if place.found is None:
        _create(acting, place, content, NEW_FILE, path)
    else:
        _overwrite(acting, place.found, content, path)


def append(acting: Acting, path: str, content: bytes) -> None:
    """Add to a file's end, or create it."""
    found = acting.lookup.place(path).found
    if found is None or found.is_directory or _is_special(found):
        write(acting, path, content)
        return
    acting.demand(found, WRITE, path)
    written = found.written
    if written is None or written.live or written.source or found.node.grows:
        _overwrite(acting, found, acting.lookup.content(found) + content, path)
        return
    before = len(written.content or b"")
    acting.demand_room(found.path, before + len(content), before, files=0)
    acting.do(changes.AppendFile(acting.host, found.path, content))


def copy(acting: Acting, source: str, target: str) -> None:
    """Copy a file's content, and its mode where the target is new."""
    found, content = read(acting, source)
    place = acting.lookup.place(target)
    if place.found is None:
        _create(acting, place, content, found.node.mode & NEW_DIRECTORY, target)
    else:
        _overwrite(acting, place.found, content, target)


def make_directory(acting: Acting, path: str, parents: bool) -> None:
    """Create a directory; with `parents`, missing ones above it too."""
    if parents:
        _make_missing(acting, path)
        return
    place = acting.lookup.place(path, follow=False)
    _demand_node(acting, place, path)
    uid, gid = acting.owner(place.above)
    mode = NEW_DIRECTORY & ~acting.umask | place.above.node.mode & SET_GROUP
    acting.do(changes.MakeDirectory(acting.host, place.path, mode, uid, gid))


def make_link(acting: Acting, target: str, path: str) -> None:
    """Make a symbolic link."""
    place = acting.lookup.place(path, follow=False)
    _demand_node(acting, place, path)
    acting.do(changes.MakeLink(acting.host, place.path, target, *acting.owner(place.above)))


def _make_missing(acting: Acting, path: str) -> None:
    parts = [part for part in path.split("/") if part]
    for depth in range(1, len(parts) + 1):
        beginning = "/" + "/".join(parts[:depth])
        found = acting.lookup.place(beginning, follow=False).found
        if found is None:
            make_directory(acting, beginning, parents=False)
        elif not _leads_to_directory(acting, beginning):
            last = depth == len(parts) or found.is_link
            raise FileError(ErrorCode.EXISTS if last else ErrorCode.NOT_DIRECTORY, path)


def _leads_to_directory(acting: Acting, path: str) -> bool:
    try:
        return acting.lookup.found(path).is_directory
    except FileError:
        return False


def _demand_node(acting: Acting, place: Place, path: str) -> None:
    """Raises what keeps a directory or link from being made."""
    if place.found is not None:
        raise FileError(ErrorCode.EXISTS, path)
    if place.above.realm.make_directory:
        raise FileError(place.above.realm.make_directory, path)
    acting.demand_creation(place, path)
    acting.demand_room(place.path, 0)


def _create(acting: Acting, place: Place, content: bytes, mode: int, path: str) -> None:
    acting.demand_creation(place, path)
    acting.demand_room(place.path, len(content))
    uid, gid = acting.owner(place.above)
    acting.do(changes.WriteFile(acting.host, place.path, content, mode & ~acting.umask, uid, gid))


def _overwrite(acting: Acting, found: Found, content: bytes, path: str) -> None:
    if found.is_directory:
        raise FileError(ErrorCode.IS_DIRECTORY, path)
    acting.demand(found, WRITE, path)
    if _is_special(found):
        _write_special(acting, found, content, path)
        return
    node, written = found.node, found.written
    before = len(written.content or b"") if written else 0
    acting.demand_room(found.path, len(content), before, files=0 if written else 1)
    acting.do(changes.WriteFile(acting.host, found.path, content, node.mode, node.uid, node.gid))


def _is_special(found: Found) -> bool:
    """Whether writing means something else than keeping the bytes."""
    return bool(found.node.on_write) or found.realm.is_kernel or found.node.kind in _DEVICES


def _write_special(acting: Acting, found: Found, content: bytes, path: str) -> None:
    """Hand the bytes to the view's hook; opening such a file and writing nothing does nothing."""
    if not content and not found.realm.refuses_opening(found.node.on_write is not None):
        return
    hook = found.node.on_write
    effect: Effect = hook(acting.lookup.machine, content) if hook else _without_hook(found)
    if isinstance(effect, Action):
        acting.do(effect)
    elif effect is not None:
        raise FileError(effect, path)


def _without_hook(found: Found) -> ErrorCode:
    if found.node.kind is FileKind.CHARACTER_DEVICE:
        return ErrorCode.INVALID
    writable = found.node.mode & WRITABLE or found.node.kind is FileKind.BLOCK_DEVICE
    return ErrorCode.NOT_MODELLED if writable or not found.realm.write else found.realm.write
