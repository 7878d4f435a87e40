"""Subnet managers of an InfiniBand fabric, and the partition keys that they have given to ports."""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ManagerMemory:
    """A subnet manager on a node or on a managed switch.

    `role` is the state that it took last, at `since` (ns): discovering, standby, master, or "" while it does not run.
    None: as the site began. `settings` are those of its file, as it read them when it started. While it stands by,
    `follows` names the place of the manager that it asks for a sign of life, `path` the ports on the way there,
    `unanswered` how often in a row that has been in vain, and `due` when it asks next, if it must be told.
    `enabled` and `priority` are what a switch was told by its administrator; on a node `enabled` says that the
    `process` of somebody's own manages, beside or instead of the service. `stood_by` tells a manager that has stood by
    since it started.
    """

    role: str | None = None
    since: int = 0
    settings: tuple[tuple[str, str], ...] = ()
    follows: str = ""
    path: tuple[int, ...] = ()
    unanswered: int = 0
    due: int | None = None
    enabled: bool = False
    priority: int = 0
    process: int = 0
    stood_by: bool = False


FULL_DEFAULT_KEY = 0xFFFF


@dataclass(frozen=True, slots=True)
class KeyTable:
    """The table of partition keys (P_Keys) of a port, without the zeros at its end; bit 15 tells full membership.

    `given` is the key that each index had last, also where it was taken away since: who gets that key again gets its
    old place.
    """

    keys: tuple[int, ...] = (FULL_DEFAULT_KEY,)
    given: tuple[int, ...] = (FULL_DEFAULT_KEY,)


@dataclass(frozen=True, slots=True)
class Partition:
    """A partition as the master made it last: name, the 15 bits of its key, and whether it has the group that carries
    IP broadcasts; that one's rate, MTU and service level are numbered as in the InfiniBand specification.
    """

    name: str
    key: int
    ipoib: bool = False
    rate: int = 3
    mtu: int = 4
    level: int = 0
