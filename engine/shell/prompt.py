"""The prompt: PS1's escapes as bash 5.2 expands them, and Ubuntu's default."""

from __future__ import annotations

from collections.abc import Mapping

from engine.control.accounts import Identity
from engine.kernel.calendar import local

DEFAULT = r"\u@\h:\w\$ "
CONTINUATION = "> "


def render(
    template: str, *, identity: Identity, host: str, directory: str, epoch: int, timezone: str, number: int
) -> str:
    """The prompt that `template` gives here and now."""
    now = local(timezone, epoch)
    escapes: Mapping[str, str] = {
        "u": identity.name,
        "h": host.partition(".")[0],
        "H": host,
        "w": _short(directory, identity.home),
        "W": _short(directory, identity.home).rstrip("/").rpartition("/")[2] or "/",
        "$": "#" if identity.uid == 0 else "$",
        "n": "\n",
        "t": now.strftime("%H:%M:%S"),
        "A": now.strftime("%H:%M"),
        "d": now.strftime("%a %b %d"),
        "!": str(number),
        "#": str(number),
        "s": "bash",
        "j": "0",
        "e": "\x1b",
        "a": "\a",
        "[": "",
        "]": "",
        "\\": "\\",
    }
    result, position = [], 0
    while position < len(template):
        if template[position] == "\\" and position + 1 < len(template):
            if template[position + 1 : position + 4] == "033":
                result.append("\x1b")
                position += 4
                continue
            letter = template[position + 1]
            result.append(escapes.get(letter, "\\" + letter))
            position += 2
            continue
        result.append(template[position])
        position += 1
    return "".join(result)


def _short(directory: str, home: str) -> str:
    if directory == home:
        return "~"
    return "~" + directory[len(home) :] if directory.startswith(home + "/") else directory
