"""The history of a login: what was typed, `!`-expansion, and search. Modelled on GNU history (bash 5.2's
HISTCONTROL=ignoreboth).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from engine.shell.lines import heredoc_bodies

_EVENT = re.compile(r"!(!|-?\d+|\?[^?\n]+\??|[A-Za-z_./][^\s;|&<>()\"']*)(:?[$^*])?|!([$^*])")
_QUICK = re.compile(r"^\^([^^\n]*)\^([^^\n]*)\^?$")


class EventNotFound(Exception):
    """No history entry fits; the text is what bash prints."""


@dataclass
class History:
    """Lines typed, oldest first; `start` is the number of the first."""

    lines: list[str] = field(default_factory=list)
    start: int = 1
    limit: int = 1000

    def add(self, line: str) -> None:
        """Remember a line, unless it starts with a space or repeats the one before."""
        if not line.strip() or line.startswith(" ") or (self.lines and self.lines[-1] == line):
            return
        self.lines.append(line)
        if len(self.lines) > self.limit:
            self.start += 1
            self.lines.pop(0)

    def clear(self) -> None:
        """`history -c`."""
        self.lines.clear()

    def numbered(self, last: int | None = None) -> list[str]:
        """The lines as `history` prints them."""
        first = max(0, len(self.lines) - last) if last is not None else 0
        return [f"{self.start + index:5}  {line}" for index, line in enumerate(self.lines) if index >= first]

    def search(self, text: str, before: int | None = None) -> int | None:
        """The index of the newest line before `before` that contains `text` (Ctrl-R), or None."""
        last = len(self.lines) if before is None else before
        return next((index for index in range(last - 1, -1, -1) if text in self.lines[index]), None)

    def expand(self, line: str) -> str:
        """`line` with its `!!`, `!$`, `!n`, `!word` and `^a^b` replaced; what stands in a here-document is left alone.
        Raises EventNotFound.
        """
        if "!" not in line and not line.startswith("^"):
            return line
        if "\n" in line and "<<" in line:
            bodies = heredoc_bodies(line)
            pieces = [one if body else self.expand(one) for one, body in zip(line.split("\n"), bodies, strict=True)]
            return "\n".join(pieces)
        quick = _QUICK.match(line)
        if quick:
            return self._event("!", line).replace(quick[1], quick[2], 1)
        return self._expand_events(line)

    def _expand_events(self, line: str) -> str:
        pieces, position, quoted = [], 0, False
        while position < len(line):
            character = line[position]
            if character == "\\":
                pieces.append(line[position : position + 2])
                position += 2
                continue
            if character == "'":
                quoted = not quoted
            # bash leaves `[!`, `$!` and `${!` alone.
            literal = (
                quoted or line[position - 1 : position] in ("[", "$") or line[max(position - 2, 0) : position] == "${"
            )
            match = None if literal else _EVENT.match(line, position)
            pieces.append(self._replacement(match) if match else character)
            position = match.end() if match else position + 1
        return "".join(pieces)

    def _replacement(self, match: re.Match[str]) -> str:
        if match[3]:
            return _words(self._event("!", match[0]), match[3])
        event = self._event(match[1], match[0])
        return _words(event, match[2].lstrip(":")) if match[2] else event

    def _event(self, designator: str, text: str) -> str:
        found: str | None = None
        if designator == "!":
            found = self.lines[-1] if self.lines else None
        elif designator.lstrip("-").isdigit():
            number = int(designator)
            index = number - self.start if number > 0 else len(self.lines) + number
            found = self.lines[index] if 0 <= index < len(self.lines) else None
        elif designator.startswith("?"):
            index_found = self.search(designator.strip("?"))
            found = None if index_found is None else self.lines[index_found]
        else:
            found = next((line for line in reversed(self.lines) if line.startswith(designator)), None)
        if found is None:
            raise EventNotFound(f"{text}: event not found")
        return found


def _words(line: str, designator: str) -> str:
    words = line.split()
    chosen = {"$": words[-1:], "^": words[1:2], "*": words[1:]}[designator]
    return " ".join(chosen)
