"""Who may do what, as the Linux kernel decides it (path_permission, may_delete, notify_change): owner, group,
others, root, sticky.
"""

from __future__ import annotations

from engine.control.accounts import Identity

READ = 4
WRITE = 2
SEARCH = 1
EXECUTE = 1
STICKY = 0o1000
SET_GROUP = 0o2000
ANY_EXECUTE = 0o111


def allowed(identity: Identity, mode: int, uid: int, gid: int, wanted: int, is_directory: bool = False) -> bool:
    """Whether the bits `wanted` are granted. Root may all, but execute a file only if somebody may."""
    if identity.uid == 0:
        return not wanted & EXECUTE or is_directory or bool(mode & ANY_EXECUTE)
    if identity.uid == uid:
        granted = mode >> 6
    elif gid in identity.group_ids:
        granted = mode >> 3
    else:
        granted = mode
    return wanted & granted & 7 == wanted


def sticky_forbids(identity: Identity, directory_mode: int, directory_uid: int, uid: int) -> bool:
    """Whether a directory's sticky bit keeps an entry of `uid` from being removed or renamed."""
    return bool(directory_mode & STICKY) and identity.uid not in (0, uid, directory_uid)


def owns(identity: Identity, uid: int) -> bool:
    """Whether the identity may change mode and times at will."""
    return identity.uid in (0, uid)
