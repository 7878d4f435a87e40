"""Changing mode, owner and time: the rules of chmod, chown and utimensat (notify_change in the Linux kernel)."""

from __future__ import annotations

from engine.hostfs import changes
from engine.hostfs.acting import Acting
from engine.hostfs.lookup import Found
from engine.hostfs.permissions import WRITE, owns
from engine.hostfs.tree import ErrorCode, FileError

PERMISSION_BITS = 0o7777


def set_mode(acting: Acting, path: str, mode: int) -> None:
    """Change the permission bits; the owner and root may."""
    found = _changeable(acting, path)
    node = found.node
    values = (acting.host, found.path, mode & PERMISSION_BITS, node.uid, node.gid)
    acting.do(changes.SetMode(*values, acting.lookup.modified(found)))


def set_owner(acting: Acting, path: str, uid: int | None, gid: int | None, follow: bool) -> None:
    """Change the owner (only root may) or the group (to one of the owner's own)."""
    found = _changeable(acting, path, follow)
    node, identity = found.node, acting.identity
    gives_away = uid is not None and uid != node.uid
    foreign = gid is not None and gid != node.gid and gid not in identity.group_ids
    if identity.uid != 0 and (gives_away or foreign):
        raise FileError(ErrorCode.NOT_PERMITTED, path)
    owner = node.uid if uid is None else uid
    group = node.gid if gid is None else gid
    acting.do(changes.SetOwner(acting.host, found.path, node.mode, owner, group, acting.lookup.modified(found)))


def set_modified(acting: Acting, path: str, time: int | None) -> None:
    """Set the time of modification (simulated ns; None: now). Now may be set by who can write, another time by the
    owner alone.
    """
    found = acting.lookup.found(path)
    if not owns(acting.identity, found.node.uid):
        if time is not None:
            raise FileError(ErrorCode.NOT_PERMITTED, path)
        acting.demand(found, WRITE, path)
    _refuse_kernel(found, path)
    node = found.node
    moment = acting.lookup.machine.now if time is None else time
    acting.do(changes.Touch(acting.host, found.path, node.mode, node.uid, node.gid, moment))


def _changeable(acting: Acting, path: str, follow: bool = True) -> Found:
    found = acting.lookup.found(path, follow)
    if not owns(acting.identity, found.node.uid):
        raise FileError(ErrorCode.NOT_PERMITTED, path)
    _refuse_kernel(found, path)
    return found


def _refuse_kernel(found: Found, path: str) -> None:
    """/proc keeps its modes and owners; sysfs would take others, which nobody needs."""
    if found.realm.is_kernel:
        raise FileError(ErrorCode.NOT_PERMITTED, path)
