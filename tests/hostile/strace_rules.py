"""What a breakfix process may do on a real machine: files by place, system calls by kind, each with its reason."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Allowed:
    """A file or folder (`*` matches across `/`) that the process may look at, and why."""

    pattern: str
    why: str


@dataclass(frozen=True)
class Rules:
    """What a traced process may look at and change, and where it was started."""

    readable: tuple[Allowed, ...]
    looked_for: tuple[Allowed, ...]
    writable: tuple[Allowed, ...]
    folder: str
    program: str


def permits(allowed: tuple[Allowed, ...], path: str) -> bool:
    return any(fnmatchcase(path, entry.pattern) for entry in allowed)


def leads_to(allowed: tuple[Allowed, ...], path: str) -> bool:
    """True for a folder above something allowed, which is named on the way to it."""
    return any(entry.pattern.startswith(path.rstrip("/") + "/") for entry in allowed)


def interpreter_files() -> Iterator[Allowed]:
    """The Python that runs breakfix: its library, its packages, its own start."""
    for folder in sorted({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}):
        yield Allowed(folder, "Python lists it to find modules")
        yield Allowed(f"{folder}/*", "Python's standard library and installed packages")
    for prefix in sorted({sys.prefix, sys.base_prefix}):
        yield Allowed(f"{prefix}/bin", "Python lists the folder of its script to find modules")
        yield Allowed(f"{prefix}/bin/breakfix", "the console script")
        yield Allowed(f"{prefix}/bin/py*", "the interpreter and what configures its paths")
        yield Allowed(f"{prefix}/share/locale/*", "argparse looks for translations of its texts")
        yield Allowed(f"{prefix}/pyvenv.cfg", "says where the environment's Python lies")
        yield Allowed(f"{prefix}/lib*/*.so*", "libraries that came with the interpreter")
        yield Allowed(f"{prefix}/lib*/python3*.zip", "a standard library in an archive, looked for first")


def looked_for(folder: str, home: str) -> Iterator[Allowed]:
    """What may be asked for and need not be there; it may not be opened."""
    yield Allowed("pipe:*", "standard input and output")
    yield Allowed("*/lib/python3*.zip", "a standard library in an archive, looked for upward from the interpreter")
    yield Allowed("*/lib/python3*/os.py", "the standard library, looked for upward from the interpreter")
    yield Allowed("*/lib/python3*/os.pyc", "the standard library, looked for upward from the interpreter")
    yield Allowed("*/lib/python3*/lib-dynload", "the standard library, looked for upward from the interpreter")
    yield Allowed("*/Modules/Setup*", "tells an interpreter in its build folder")
    for prefix in sorted({sys.base_prefix, "", "/usr", "/usr/local"}):
        yield Allowed(f"{prefix}/lib*/*", "the loader looks for libraries built for this processor")
    for place in (folder, *os.environ.get("PATH", os.defpath).split(os.pathsep)):
        yield Allowed(f"{place}/python*", "an interpreter started by name looks for itself")
        yield Allowed(f"{place}/pyvenv.cfg", "an interpreter started by name looks for its environment")
    yield Allowed(f"{home}/.local/lib/python*", "Python looks for the person's own packages")
    yield Allowed(f"{home}/config/breakfix*", "settings of the person")
    yield Allowed(f"{home}/state/breakfix*", "settings of the person")
    yield Allowed(f"{home}/cache/breakfix*", "settings of the person")


def project_files() -> Iterator[Allowed]:
    """The program itself, which an editable install reads in its checkout."""
    yield Allowed(str(PROJECT), "Python lists it to find the four packages")
    for name in ("engine", "scenarios", "exams", "tui"):
        yield Allowed(f"{PROJECT}/{name}", "a package of breakfix")
        yield Allowed(f"{PROJECT}/{name}/*", "a package of breakfix")
    yield Allowed(f"{PROJECT}/breakfix.egg-info*", "the installed version")
    yield Allowed(f"{PROJECT}/__pycache__/*", "looked for beside the packages")


# What the C library, the Rust runtime of the native packages and the terminal need from a Linux system.
SYSTEM_FILES = (
    Allowed("/etc/ld.so.cache", "the loader's index of libraries"),
    Allowed("/etc/ld.so.preload", "the loader's list of libraries to load first"),
    Allowed("/lib*/*.so*", "system libraries"),
    Allowed("/usr/lib*/*.so*", "system libraries"),
    Allowed("/usr/local/lib*/*.so*", "system libraries"),
    Allowed("/usr/lib/locale/*", "the C library's locale"),
    Allowed("/usr/share/locale/*", "the C library's locale"),
    Allowed("/usr/lib/*/gconv/*", "the C library's character sets"),
    Allowed("/etc/locale.alias", "the C library's locale"),
    Allowed("/usr/share/locale/locale.alias", "the C library's locale"),
    Allowed("/etc/ssl/openssl.cnf", "OpenSSL, loaded with Python's hash functions"),
    Allowed("/usr/lib/ssl/openssl.cnf", "OpenSSL, loaded with Python's hash functions"),
    Allowed("/etc/localtime", "the C library's time zone; breakfix shows none of it"),
    Allowed("/usr/share/zoneinfo/*", "the C library's time zone; breakfix shows none of it"),
    Allowed("/usr/share/terminfo/*", "what the terminal can do"),
    Allowed("/etc/terminfo/*", "what the terminal can do"),
    Allowed("/lib/terminfo/*", "what the terminal can do"),
    Allowed("/usr/lib/terminfo/*", "what the terminal can do"),
    Allowed("/dev/null", "nothing"),
    Allowed("/dev/tty", "the person's terminal"),
    Allowed("/dev/urandom", "seeds Python's hashing; no output depends on it"),
    Allowed("/dev/pts/*", "the person's terminal"),
    Allowed("/proc/self/cgroup", "how many processors the thread pool may use"),
    Allowed("/proc/self/mountinfo", "how many processors the thread pool may use"),
    Allowed("/proc/self/maps", "the Rust runtime's guard page of the main thread"),
    Allowed("/proc/self/status", "libffi (ctypes): whether memory may be made executable"),
    Allowed("/proc/self/mounts", "libffi (ctypes): whether memory may be made executable"),
    Allowed("/selinux", "libffi (ctypes): whether memory may be made executable"),
    Allowed("/proc/self/exe", "the interpreter's own path"),
    Allowed("/proc/self/fd*", "descriptors of the process itself"),
    Allowed("/sys/fs/cgroup/*", "how many processors the thread pool may use"),
    Allowed("/sys/devices/system/cpu*", "how many processors there are"),
    Allowed("/proc/cpuinfo", "which instructions the processor has"),
    Allowed("/proc/stat", "how many processors there are"),
    Allowed("/proc/meminfo", "the C library's page counts"),
    Allowed("/proc/sys/vm/overcommit_memory", "the native packages' memory allocators"),
    Allowed("/sys/kernel/mm/transparent_hugepage/*", "the native packages' memory allocators"),
)
WRITABLE_DEVICES = (
    Allowed("/dev/null", "nothing"),
    Allowed("/dev/tty", "the person's terminal"),
    Allowed("/dev/pts/*", "the person's terminal"),
)

# Calls by what they do. Those that only look may also name the folders above what is allowed.
OPENING = {"open", "openat", "openat2"}
LOOKING = {
    "access", "faccessat", "faccessat2", "stat", "stat64", "lstat", "newfstatat", "fstatat64", "statx", "readlink",
    "readlinkat", "statfs", "getxattr", "lgetxattr", "listxattr", "llistxattr", "name_to_handle_at",
    "inotify_add_watch",
}  # fmt: skip
FORBIDDEN = {
    "execve": "starts a program", "execveat": "starts a program", "fork": "starts a process",
    "vfork": "starts a process", "connect": "connects", "bind": "takes an address", "listen": "listens",
    "accept": "accepts a connection", "accept4": "accepts a connection", "ptrace": "traces a process",
    "chdir": "changes the real working directory", "fchdir": "changes the real working directory",
    "chroot": "changes the root folder", "pivot_root": "changes the root folder", "mount": "mounts",
    "umount2": "unmounts", "swapon": "swaps", "swapoff": "swaps", "unshare": "leaves a name space",
    "setns": "enters a name space",
}  # fmt: skip
SIGNALS = {"kill", "tkill", "tgkill", "pidfd_send_signal"}
# Calls without a path of their own in what is traced; sockets and clones are looked at one by one.
HARMLESS = {
    "exit", "exit_group", "wait4", "waitid", "waitpid", "getcwd", "socketpair", "getsockname", "getpeername",
    "getsockopt", "setsockopt", "shutdown", "sendto", "recvfrom", "sendmsg", "recvmsg", "sendmmsg", "recvmmsg",
    "rt_sigqueueinfo", "pidfd_open", "arch_prctl", "prlimit64",
}  # fmt: skip


def rules_for(program: Path, home: Path, data: Path, folder: Path) -> Rules:
    """The rules for a program started in `folder` by a person with this home and data folder."""
    readable = (
        *interpreter_files(),
        *project_files(),
        *SYSTEM_FILES,
        Allowed(str(program), "the program itself"),
        Allowed(str(program.parent), "Python lists the folder of its script to find modules"),
        Allowed(str(data), "the folder above breakfix's own, which has to exist"),
        Allowed(str(folder), "the working directory"),
    )
    writable = (Allowed(f"{data}/breakfix", "sessions"), Allowed(f"{data}/breakfix/*", "sessions"), *WRITABLE_DEVICES)
    return Rules(readable, tuple(looked_for(str(folder), str(home))), writable, str(folder), str(program))
