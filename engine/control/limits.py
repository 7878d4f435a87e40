"""Resource limits (getrlimit(2)): what a login gets from pam_limits, and what systemd gives a service.

pam_limits of Ubuntu 24.04 (Linux-PAM 1.5.3 with Debian's changes) begins with the limits of process 1, reads
/etc/security/limits.conf and then limits.d/*.conf in the order of their names. A line for the user goes before one for
a group, that before `*`; within a kind the last line counts. Groups and `*` do not apply to root. Process 1 has what
the kernel gives it, and locked memory of an eighth of the memory (systemd: bump_rlimit_memlock); the soft limit of open
files is lowered to 1024. Sources: limits.conf(5), pam_limits.c, listings of `ulimit -a` of Debian and Ubuntu hosts. Not
read: ranges of uids, `%` domains and lines that take somebody out.

Values are in the units of bash's `ulimit` (those of limits.conf as well, but for `t`: seconds here, minutes there);
None is unlimited.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from engine.control import files
from engine.control.accounts import Identity, identity
from engine.control.history.boot_kernel import memory_kib
from engine.control.units import unit
from engine.kernel.quick_dataclass import dataclass
from engine.world.world import World

LIMITS_CONF = "/etc/security/limits.conf"
LIMITS_FOLDER = "/etc/security/limits.d/"
RDMA_CONF = f"{LIMITS_FOLDER}rdma.conf"
DEFAULT_FILES: Mapping[str, str] = {
    LIMITS_CONF: "# <domain> <type> <item> <value>; see limits.conf(5).\n# End of file\n",
    RDMA_CONF: (
        "# Registered memory is locked memory.\n"
        "*               soft    memlock         unlimited\n"
        "*               hard    memlock         unlimited\n"
        "*               soft    nofile          1048576\n"
        "*               hard    nofile          1048576\n"
    ),
}
"""What the site's image has."""


@dataclass(frozen=True, slots=True)
class Limit:
    """A soft and a hard limit."""

    soft: int | None
    hard: int | None

    @classmethod
    def both(cls, value: int | None) -> Limit:
        return cls(value, value)


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource: ulimit's letter, name and unit, the item of limits.conf and systemd's name ("" where there is none),
    and how many of the kernel's units one of ulimit's is.
    """

    letter: str
    name: str
    unit: str = ""
    item: str = ""
    systemd: str = ""
    scale: int = 1


# Names, units and order of bash 5.2 (ulimit.def); pipes have no limit of the kernel's, only a size.
RESOURCES = (
    Resource("R", "real-time non-blocking time", "microseconds", "", "RTTIME"),
    Resource("c", "core file size", "blocks", "core", "CORE", 1024),
    Resource("d", "data seg size", "kbytes", "data", "DATA", 1024),
    Resource("e", "scheduling priority", "", "nice", "NICE"),
    Resource("f", "file size", "blocks", "fsize", "FSIZE", 1024),
    Resource("i", "pending signals", "", "sigpending", "SIGPENDING"),
    Resource("l", "max locked memory", "kbytes", "memlock", "MEMLOCK", 1024),
    Resource("m", "max memory size", "kbytes", "rss", "RSS", 1024),
    Resource("n", "open files", "", "nofile", "NOFILE"),
    Resource("p", "pipe size", "512 bytes"),
    Resource("q", "POSIX message queues", "bytes", "msgqueue", "MSGQUEUE"),
    Resource("r", "real-time priority", "", "rtprio", "RTPRIO"),
    Resource("s", "stack size", "kbytes", "stack", "STACK", 1024),
    Resource("t", "cpu time", "seconds", "cpu", "CPU"),
    Resource("u", "max user processes", "", "nproc", "NPROC"),
    Resource("v", "virtual memory", "kbytes", "as", "AS", 1024),
    Resource("x", "file locks", "", "locks", "LOCKS"),
)
_BY_ITEM = {resource.item: resource for resource in RESOURCES if resource.item}
_BY_SYSTEMD = {resource.systemd: resource for resource in RESOURCES if resource.systemd}

Limits = Mapping[str, Limit]
"""Limits by ulimit's letter; all letters are there."""

MOST_FILES = 1_048_576  # fs.nr_open: no process can have more
_FILES_OF_SELECT = 1_024  # FD_SETSIZE
_SERVICE_FILES = Limit(1_024, 524_288)  # systemd's DefaultLimitNOFILE
_SERVICE_LOCKED = 8 * 1024  # systemd's DefaultLimitMEMLOCK in KiB
_KIB_PER_THREAD = 256  # kernel: max_threads / 2 with 16 KiB of stack in an eighth of the memory
_LOCKED_PART = 8
_UNLIMITED = ("unlimited", "infinity", "-1")
_USER, _GROUP, _EVERYBODY = 0, 1, 2


def memory_lock(world: World, host: str, user: str) -> int | None:
    """KiB that a new login's processes may lock (the soft RLIMIT_MEMLOCK), or None: as much as they like."""
    return of_login(world, host, user)["l"].soft


def of_login(world: World, host: str, user: str) -> Limits:
    """The limits of a login of `user` that begins now."""
    found = dict(_of_init(world, host))
    found["l"] = Limit.both(memory_kib(world.node(host).memory_bytes)[1] // _LOCKED_PART)
    found["n"] = Limit(_FILES_OF_SELECT, MOST_FILES)
    who = identity(world.inventory, user)
    ranks: dict[tuple[str, str], int] = {}
    for rank, kind, letter, value in _lines(world, host, who):
        for side in ("soft", "hard") if kind == "-" else (kind,):
            if ranks.get((letter, side), _EVERYBODY) >= rank:
                ranks[letter, side] = rank
                found[letter] = _changed(found[letter], side, value)
    return {letter: Limit(_lower(limit.soft, limit.hard), limit.hard) for letter, limit in found.items()}


def of_unit(world: World, host: str, name: str) -> Limits:
    """The limits of a service's processes: systemd's defaults, and what its unit file sets (LimitMEMLOCK=)."""
    found = dict(_of_init(world, host))
    found["l"], found["n"] = Limit.both(_SERVICE_LOCKED), _SERVICE_FILES
    known = unit(name)
    for mark in known.limits if known else ():
        resource, _, text = mark.partition("=")
        of = _BY_SYSTEMD[resource]
        found[of.letter] = Limit.both(None if text in _UNLIMITED else int(text) // of.scale)
    return found


def _of_init(world: World, host: str) -> Limits:
    """What the kernel gives the first process."""
    threads = memory_kib(world.node(host).memory_bytes)[1] // _KIB_PER_THREAD
    found = {resource.letter: Limit(None, None) for resource in RESOURCES}
    return found | {
        "c": Limit(0, None),
        "e": Limit.both(0),
        "i": Limit.both(threads),
        "p": Limit.both(8),
        "q": Limit.both(819_200),
        "r": Limit.both(0),
        "s": Limit(8_192, None),
        "u": Limit.both(threads),
    }


def _lines(world: World, host: str, who: Identity) -> Iterator[tuple[int, str, str, int | None]]:
    """The lines that mean somebody: (which kind of domain, soft, hard or -, ulimit's letter, value)."""
    for path in (LIMITS_CONF, *_folder(world, host)):
        for line in files.text(world, host, path, DEFAULT_FILES.get(path, "")).splitlines():
            words = line.partition("#")[0].split()
            if len(words) != 4:
                continue
            rank, kind, resource = _rank(words[0], who), words[1].lower(), _BY_ITEM.get(words[2].lower())
            value = _value(resource, words[3].lower()) if resource else ""
            if rank is not None and kind in ("soft", "hard", "-") and resource and not isinstance(value, str):
                yield rank, kind, resource.letter, value


def _folder(world: World, host: str) -> list[str]:
    """Paths of limits.d/*.conf, in their order."""
    written = world.files[files.files_key(host, LIMITS_FOLDER)].files
    paths = {path for path in (*DEFAULT_FILES, *written) if path.startswith(LIMITS_FOLDER) and path.endswith(".conf")}
    return sorted(path for path in paths if "/" not in path.removeprefix(LIMITS_FOLDER))


def _rank(domain: str, who: Identity) -> int | None:
    """Which kind of domain means somebody; None if it means others."""
    if domain == who.name:
        return _USER
    if who.uid == 0:
        return None
    if domain.startswith("@"):
        return _GROUP if domain[1:] in who.group_names else None
    return _EVERYBODY if domain == "*" else None


def _value(resource: Resource, text: str) -> int | str | None:
    """A value in ulimit's units; the text itself if it is none."""
    if text in _UNLIMITED:
        return MOST_FILES if resource.letter == "n" else None
    if not text.lstrip("-").isdigit():
        return text
    number = int(text)
    if resource.letter == "e":
        return 20 - number  # RLIMIT_NICE counts from 20 (nice 0) to 40 (nice -20)
    return number * 60 if resource.letter == "t" else number


def _changed(limit: Limit, side: str, value: int | None) -> Limit:
    return Limit(value, limit.hard) if side == "soft" else Limit(limit.soft, value)


def _lower(one: int | None, other: int | None) -> int | None:
    """The lower of two limits."""
    return other if one is None else one if other is None else min(one, other)
