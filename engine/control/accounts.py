"""Accounts of a host: root, the system's own, and the site's people (the same on every host, as with a directory
service).

Modelled on Ubuntu 24.04's /etc/passwd and /etc/group: people have a group of their own, `adm` reads logs, `sudo` may
sudo. All hosts carry the accounts of all packages, as if made from one image. The numbers that packages are given when
they are installed (100 to 115, 989 to 991) differ between real hosts; these are usual ones.
"""

from __future__ import annotations

from engine.kernel.errors import BreakfixError
from engine.kernel.names import unknown
from engine.kernel.quick_dataclass import dataclass
from engine.world.inventory import Inventory


@dataclass(frozen=True, slots=True)
class Identity:
    """Who acts: name, uid, gid, all group ids and names, home and login shell."""

    name: str
    uid: int
    gid: int
    group_ids: frozenset[int]
    group_names: tuple[str, ...]
    home: str
    full_name: str = ""
    shell: str = "/bin/bash"

    @property
    def may_sudo(self) -> bool:
        return self.uid == 0 or "sudo" in self.group_names


@dataclass(frozen=True, slots=True)
class Account:
    """A line of /etc/passwd."""

    name: str
    uid: int
    gid: int
    comment: str
    home: str
    shell: str


_SYSTEM_ACCOUNTS = (
    Account("root", 0, 0, "root", "/root", "/bin/bash"),
    Account("daemon", 1, 1, "daemon", "/usr/sbin", "/usr/sbin/nologin"),
    Account("bin", 2, 2, "bin", "/bin", "/usr/sbin/nologin"),
    Account("sys", 3, 3, "sys", "/dev", "/usr/sbin/nologin"),
    Account("sync", 4, 65534, "sync", "/bin", "/bin/sync"),
    Account("man", 6, 12, "man", "/var/cache/man", "/usr/sbin/nologin"),
    Account("mail", 8, 8, "mail", "/var/mail", "/usr/sbin/nologin"),
    Account("www-data", 33, 33, "www-data", "/var/www", "/usr/sbin/nologin"),
    Account("nobody", 65534, 65534, "nobody", "/nonexistent", "/usr/sbin/nologin"),
    Account("systemd-network", 998, 998, "systemd Network Management", "/", "/usr/sbin/nologin"),
    Account("systemd-resolve", 991, 991, "systemd Resolver", "/", "/usr/sbin/nologin"),
    Account("polkitd", 990, 990, "User for polkitd", "/", "/usr/sbin/nologin"),
    Account("messagebus", 101, 101, "", "/nonexistent", "/usr/sbin/nologin"),
    Account("syslog", 102, 102, "", "/nonexistent", "/usr/sbin/nologin"),
    Account("sshd", 106, 65534, "", "/run/sshd", "/usr/sbin/nologin"),
    Account("_chrony", 110, 112, "Chrony daemon,,,", "/var/lib/chrony", "/usr/sbin/nologin"),
    Account("munge", 111, 113, "", "/nonexistent", "/usr/sbin/nologin"),
    Account("slurm", 64030, 64030, "", "/nonexistent", "/usr/sbin/nologin"),
    Account("nvidia-persistenced", 112, 114, "NVIDIA Persistence Daemon,,,", "/nonexistent", "/usr/sbin/nologin"),
    Account("mysql", 113, 115, "MariaDB Server", "/nonexistent", "/bin/false"),
    Account("nvidia-dcgm", 989, 989, "", "/nonexistent", "/usr/sbin/nologin"),
)

_SYSTEM_GROUPS = {
    "root": 0, "daemon": 1, "bin": 2, "sys": 3, "adm": 4, "tty": 5, "disk": 6, "mail": 8, "man": 12, "sudo": 27,
    "www-data": 33, "video": 44, "users": 100, "messagebus": 101, "syslog": 102, "systemd-journal": 999,
    "systemd-network": 998, "systemd-resolve": 991, "polkitd": 990, "nvidia-dcgm": 989, "_chrony": 112, "munge": 113,
    "nvidia-persistenced": 114, "mysql": 115, "slurm": 64030, "nogroup": 65534,
}  # fmt: skip

_FIRST_SITE_GROUP = 3000


def accounts(inventory: Inventory) -> list[Account]:
    """Every account, in /etc/passwd's order."""
    people = [
        Account(user.name, user.uid, user.uid, f"{user.full_name},,,", user.home, user.shell)
        for user in inventory.users
    ]
    return [*_SYSTEM_ACCOUNTS, *people]


def group_ids(inventory: Inventory) -> dict[str, int]:
    """Group ids by name: the system's, each person's own, and the site's other groups from 3000 on."""
    groups = dict(_SYSTEM_GROUPS)
    groups |= {user.name: user.uid for user in inventory.users}
    named = sorted({group for user in inventory.users for group in user.groups} - set(groups))
    return groups | {name: _FIRST_SITE_GROUP + offset for offset, name in enumerate(named)}


def group_members(inventory: Inventory) -> dict[str, list[str]]:
    """Members listed in /etc/group, by group."""
    members: dict[str, list[str]] = {name: [] for name in group_ids(inventory)}
    for user in inventory.users:
        for group in user.groups:
            members[group].append(user.name)
    return members


def identity(inventory: Inventory, name: str) -> Identity:
    """The identity of the account `name`. Raises BreakfixError with the nearest names if there is none."""
    known = {account.name: account for account in accounts(inventory)}
    if name not in known:
        raise BreakfixError(unknown("user", name, known))
    account, ids = known[name], group_ids(inventory)
    user = inventory.user(name)
    own = next((group for group, number in ids.items() if number == account.gid), "nogroup")
    names = (own, *(user.groups if user else ()))
    return Identity(
        name=name,
        uid=account.uid,
        gid=account.gid,
        group_ids=frozenset(ids[group] for group in names),
        group_names=names,
        home=account.home,
        full_name=account.comment.rstrip(","),
        shell=account.shell,
    )


def user_name(inventory: Inventory, uid: int) -> str:
    """The account with this uid, or the number as text."""
    return next((account.name for account in accounts(inventory) if account.uid == uid), str(uid))


def group_name(inventory: Inventory, gid: int) -> str:
    """The group with this gid, or the number as text."""
    return next((name for name, number in group_ids(inventory).items() if number == gid), str(gid))
