"""Programs as files. A command of ours or of the shell is a stub that calls it by name, so that paths, `which` and
`type` work.

What a package brought and nobody has modelled says so when it is run. Contents of programs and libraries are not
modelled.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.control import packages
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Node, file

# Commands that bashkit has built in and that Ubuntu 24.04 installs as programs in /usr/bin.
SHELL_PROGRAMS = (
    "arch", "awk", "b2sum", "base32", "base64", "basename", "basenc", "bash", "bc", "bunzip2", "bzcat", "bzip2", "cat",
    "chgrp", "chmod", "chown", "cksum", "clear", "cmp", "column", "comm", "cp", "curl", "cut", "date", "dd", "df",
    "diff", "dirname", "du", "echo", "egrep", "env", "envsubst", "expand", "expr", "factor", "false", "fgrep", "file",
    "find", "flock", "fmt", "fold", "free", "gawk", "getconf", "grep", "groups", "gunzip", "gzip", "head", "hexdump",
    "hostid", "hostname", "iconv", "id", "install", "join", "jq", "kill", "less", "link", "ln", "locale", "logname",
    "ls", "make", "man", "mawk", "md5sum", "mkdir", "mkfifo", "mktemp", "more", "mv", "nano", "nice", "nl", "nohup",
    "nproc", "numfmt", "od", "openssl", "paste", "patch", "pgrep", "pkill", "pr", "printenv", "printf", "ps", "pwd",
    "readlink", "realpath", "rev", "rm", "rmdir", "sed", "seq", "sh", "sha1sum", "sha224sum", "sha256sum", "sha384sum",
    "sha512sum", "shasum", "shuf", "sleep", "sort", "split", "stat", "strings", "sudo", "sum", "sync", "tac", "tail",
    "tar", "tee", "test", "time", "timeout", "touch", "tr", "tree", "true", "truncate", "tsort", "tty", "uname",
    "unexpand", "uniq", "unlink", "unzip", "uptime", "users", "uuidgen", "vi", "watch", "wc", "wget", "which", "who",
    "whoami", "xargs", "xxd", "yes", "zip",
)  # fmt: skip

# Where Debian puts the administrator's programs; all others are in /usr/bin.
IN_SBIN = frozenset({
    "agetty", "arp", "blkid", "chroot", "cron", "depmod", "dmidecode", "dkms", "dmsetup", "ethtool", "exportfs",
    "fdisk", "fsck", "grub-install", "halt", "ibaddr", "ibhosts", "iblinkinfo", "ibnetdiscover", "ibnodes", "ibping",
    "ibportstate", "ibqueryerrors", "ibroute", "ibstat", "ibstatus", "ibswitches", "ibsysstat", "ibtracert", "init",
    "insmod", "iptables", "logrotate", "lvm", "mdadm", "modinfo", "modprobe", "mount.nfs", "munged", "netplan",
    "nologin", "nvme", "opensm", "parted", "perfquery", "poweroff", "reboot", "rmmod", "rsyslogd", "runuser", "saquery",
    "shutdown", "slurmctld", "slurmd", "slurmdbd", "smartctl", "sminfo", "smpdump", "smpquery", "sshd", "swapon",
    "sysctl", "update-grub", "update-initramfs", "update-pciids", "useradd", "usermod", "vendstat", "visudo",
})  # fmt: skip

PROGRAM = 0o755
CALL = '#!/bin/bash\n{name} "$@"\n'
NOT_MODELLED = '#!/bin/bash\necho "breakfix: not modelled: {name}" >&2\nexit 125\n'
BINARY = b"\x7fELF\x02\x01\x01\x00breakfix: what is inside programs and libraries is not modelled\n"


def programs(machine: Machine, folder: str) -> dict[str, Node]:
    """The programs of `bin` or `sbin`: commands of ours, of the shell, and what packages have there."""
    brought = package_files(machine, f"/usr/{folder}")
    called = {*machine.programs(), *SHELL_PROGRAMS}
    here = {name for name in called if (name in IN_SBIN) == (folder == "sbin")} | set(brought)
    return {name: _program(name, name in called, brought.get(name)) for name in sorted(here)}


def package_files(machine: Machine, directory: str) -> dict[str, str]:
    """Names of packages by the path of a file that they have below a directory, relative to it."""
    start = f"{directory}/"
    installed = packages.installed(machine.world, machine.host).values()
    return {
        path.removeprefix(start): package.name
        for package in installed
        for path in package.files
        if path.startswith(start)
    }


def brought_by(package: str) -> Callable[[Machine], int]:
    """When a package was last changed: the time of its files."""
    return lambda machine: _changed(machine, package)


def binary(package: str) -> Node:
    """A file of a package that nobody reads as text."""
    return file(BINARY, modified=brought_by(package))


def _program(name: str, called: bool, package: str | None) -> Node:
    text = CALL.format(name=name) if called else NOT_MODELLED.format(name=name)
    return file(text, PROGRAM, modified=brought_by(package) if package else None)


def latest_change(machine: Machine) -> int:
    """When the package manager last did something."""
    times = [change.time for change in packages.history(machine.world, machine.host)]
    return max(times, default=machine.installed)


def _changed(machine: Machine, package: str) -> int:
    history = packages.history(machine.world, machine.host)
    times = [change.time for change in history if any(name == package for name, _, _ in change.upgrades)]
    return max(times, default=machine.installed)
