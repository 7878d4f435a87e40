"""The file systems that a host's tree is made of: what each refuses even to root, and how it gives sizes and times.

Refusals are those of Linux 6.x, tried on a running kernel: /proc looks up a new name before it asks whether it may
create (ENOENT), sysfs has no create (EACCES) and refuses mkdir and unlink itself (EPERM); writing a read-only file
gives EIO in /proc, EINVAL in /proc/PID, EACCES in /proc/sys and sysfs.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.hostfs.machine import Machine
from engine.hostfs.tree import ErrorCode
from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Realm:
    """One file system. A refusal of None leaves it to the permissions."""

    name: str
    create: ErrorCode | None = None
    make_directory: ErrorCode | None = None
    remove: ErrorCode | None = None
    write: ErrorCode | None = None
    read: ErrorCode = ErrorCode.INVALID
    file_size: int | None = None
    directory_size: int = 4096
    modified: Callable[[Machine], int] = lambda machine: machine.installed

    @property
    def is_kernel(self) -> bool:
        """Whether its files are the kernel's own: nobody creates, removes or replaces one."""
        return self.create is not None

    def refuses_opening(self, writable: bool) -> bool:
        """Whether opening a file for writing fails already, before anything is written (EACCES rather than EIO or
        EINVAL).
        """
        return not writable and self.write is ErrorCode.PERMISSION


def _booted(machine: Machine) -> int:
    return machine.booted


_NEW = ErrorCode.NOT_FOUND
_NEVER = ErrorCode.NOT_PERMITTED

DISK = Realm("ext4")
EXPORTED = Realm("ext4", modified=lambda machine: machine.installed_on(machine.head))
"""What the head node exports: the same files with the same times on every host."""
MEMORY = Realm("tmpfs", modified=_booted)
PROC = Realm("proc", _NEW, _NEW, _NEVER, ErrorCode.IO, file_size=0, directory_size=0, modified=_booted)
PROC_PID = Realm("proc", _NEW, _NEW, _NEVER, ErrorCode.INVALID, file_size=0, directory_size=0, modified=_booted)
PROC_SYS = Realm("proc", _NEW, _NEW, _NEVER, ErrorCode.PERMISSION, file_size=0, directory_size=0, modified=_booted)
SYSFS = Realm(
    "sysfs",
    ErrorCode.PERMISSION,
    _NEVER,
    _NEVER,
    ErrorCode.PERMISSION,
    ErrorCode.PERMISSION,
    file_size=4096,
    directory_size=0,
    modified=_booted,
)
