"""Reads what strace wrote: one file for each thread of the traced process (`strace -ff -y`), one call a line."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass

NAME = re.compile(r"^(\w+)\(")
PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)(?:<((?:[^>\\]|\\.)*)>)?, )?"((?:[^"\\]|\\.)*)"')
OWN_DESCRIPTOR = re.compile(r"^\w+\(\d+<((?:[^>\\]|\\.)*)>")
# Calls whose further strings are no paths: arguments, attribute names, a link's text that was read.
FIRST_STRING_ONLY = re.compile(r"(execve|readlink|[a-z]*xattr$)")
RESULT = re.compile(r"\)\s+= (-?\d+|\?)(?:<((?:[^>\\]|\\.)*)>)?(?: .*)?$")


@dataclass(frozen=True)
class Call:
    """One traced system call: its paths are absolute; `opened` is the real file behind a successful open."""

    name: str
    text: str
    paths: tuple[str, ...]
    opened: str | None
    failed: bool


def unescape(text: str) -> str:
    """strace's C string as the path it stands for."""
    return text.encode("latin-1", "replace").decode("unicode_escape").encode("latin-1").decode("utf-8", "replace")


def absolute(path: str, base: str, own_pids: set[str]) -> str:
    """The path without `..`, with the process's own /proc folder under the name /proc/self."""
    path = os.path.normpath(os.path.join(base, path))
    owner = re.match(r"/proc/(\d+)(/|$)", path)
    if owner and owner.group(1) in own_pids:
        path = "/proc/self" + path[owner.end(1) :]
    return re.sub(r"^/proc/(thread-self|self/task/\d+)(?=/|$)", "/proc/self", path)


def parse_call(line: str, folder: str, own_pids: set[str]) -> Call | None:
    """The call in a line of the trace; None for signals, exits and the like."""
    name = NAME.match(line)
    if not name:
        return None
    result = RESULT.search(line)
    before = line[: result.start()] if result else line
    found = [(unescape(base) if base else folder, unescape(path)) for base, path in PATH.findall(before)]
    if FIRST_STRING_ONLY.match(name.group(1)):
        found = found[:1]
    paths = [absolute(path, base, own_pids) for base, path in found]
    descriptor = OWN_DESCRIPTOR.match(line)
    if name.group(1) in ("fchmod", "fchown") and descriptor:
        paths = [unescape(descriptor.group(1))]
    opened = result.group(2) if result else None
    failed = bool(result and result.group(1).startswith("-"))
    return Call(name.group(1), line, tuple(paths), opened and absolute(unescape(opened), "/", own_pids), failed)
