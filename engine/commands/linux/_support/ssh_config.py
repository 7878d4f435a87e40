"""What ~/.ssh/config and -o say, as far as it is modelled: HostName, User, Port, ConnectTimeout, LogLevel
(ssh_config(5)).
"""

from __future__ import annotations

import shlex
from fnmatch import fnmatchcase

from engine.commands.context import Context
from engine.commands.linux._support import paths

_TIMES = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def settings(ctx: Context, host: str, given: list[str]) -> dict[str, str]:
    """Settings for a host, keys in lower case: those of -o first, then the user's file; the first value counts."""
    found: dict[str, str] = {}
    for text in given:
        key, _, value = text.replace("=", " ", 1).strip().partition(" ")
        found.setdefault(key.lower(), value.strip())
    applies = True
    for line in paths.read_or(ctx, f"{ctx.identity.home}/.ssh/config").splitlines():
        key, value = _pair(line)
        if key == "host":
            applies = _matches(host, value)
        elif key == "match":
            applies = value.strip() == "all"
        elif key and applies:
            found.setdefault(key, value)
    return found


def seconds(text: str) -> int | None:
    """Seconds of `10`, `2m`, or None."""
    unit = _TIMES.get(text[-1:].lower(), 0)
    digits = text[:-1] if unit else text
    return int(digits) * (unit or 1) if digits.isdigit() else None


def _pair(line: str) -> tuple[str, str]:
    line = line.strip()
    if not line or line.startswith("#"):
        return "", ""
    key, _, value = line.replace("=", " ", 1).partition(" ")
    return key.lower(), value.strip()


def _matches(host: str, patterns: str) -> bool:
    try:
        words = shlex.split(patterns)
    except ValueError:
        words = patterns.split()
    if any(fnmatchcase(host, word[1:]) for word in words if word.startswith("!")):
        return False
    return any(fnmatchcase(host, word) for word in words if not word.startswith("!"))
