"""What a batch script says, as far as it can be read without running it: the variables that it exports to what it
starts, and the words of the command that does the work.

Understood are `export NAME=VALUE ...`, `NAME=VALUE command`, `srun --export=ALL,NAME=VALUE`, comments, and lines that
go on after a backslash. A value that the shell would have to work out (with `$` or a backquote) is taken from what the
script exported before, or left out.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_REFERENCE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")
_SEPARATORS = {"&&", "||", ";", "|", "&"}
_EXPORT_OPTION = "--export="


def commands(script: str) -> list[list[str]]:
    """The words of each simple command, in order; lines that are no shell words are left out."""
    found: list[list[str]] = []
    for line in _lines(script):
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            continue
        current: list[str] = []
        for word in words:
            ends = word.endswith(";") and word != ";"
            if word in _SEPARATORS:
                found.append(current)
                current = []
            else:
                current.append(word.removesuffix(";") if ends else word)
            if ends:
                found.append(current)
                current = []
        found.append(current)
    return [words for words in found if words]


def exports(script: str) -> tuple[tuple[str, str], ...]:
    """The variables that the processes of the script's work get beside their user's own, by name."""
    known: dict[str, str] = {}
    exported: set[str] = set()
    for words in commands(script):
        if words[0] == "export":
            _take(known, words[1:])
            exported.update(word.partition("=")[0] for word in words[1:])
        elif words[0] == "unset":
            exported.difference_update(words[1:])
        else:
            before, command = _split(words)
            _take(known, before)
            if command:
                given = _from_option(command)
                _take(known, given)
                exported.update(word.partition("=")[0] for word in (*before, *given))
    return tuple(sorted((name, value) for name, value in known.items() if name in exported))


def options(script: str) -> dict[str, str]:
    """Long options of all commands with their values (`--num-layers 40`, `--num-layers=40`; "" for one without)."""
    found: dict[str, str] = {}
    for words in commands(script):
        for index, word in enumerate(words):
            if not word.startswith("--") or word == "--":
                continue
            name, equals, value = word[2:].partition("=")
            following = words[index + 1] if index + 1 < len(words) else ""
            found[name.replace("_", "-")] = value if equals else "" if following.startswith("-") else following
    return found


def is_launched_by(script: str, launcher: str) -> bool:
    """Whether a command of the script begins its processes with `launcher` (srun, torchrun, ...)."""
    return any(launcher in (word.rpartition("/")[2] for word in words) for words in commands(script))


def _lines(script: str) -> Iterator[str]:
    """Lines, with those that go on put together."""
    for line in script.replace("\\\n", " ").splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            yield line


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """Assignments at the beginning (after `env`, too), and the command that they are for."""
    rest = words[1:] if words[0] == "env" else words
    count = next((index for index, word in enumerate(rest) if not _ASSIGNMENT.fullmatch(word)), len(rest))
    return rest[:count], rest[count:]


def _from_option(words: list[str]) -> list[str]:
    """`--export=ALL,NAME=VALUE` of srun."""
    for word in words:
        if word.startswith(_EXPORT_OPTION):
            return [part for part in word.removeprefix(_EXPORT_OPTION).split(",") if "=" in part]
    return []


def _take(known: dict[str, str], words: list[str]) -> None:
    for word in words:
        match = _ASSIGNMENT.fullmatch(word)
        if match and (value := _worked_out(match[2], known)) is not None:
            known[match[1]] = value


def _worked_out(value: str, known: dict[str, str]) -> str | None:
    """A value with references to variables that are known; None where it takes a shell."""
    if "`" in value or "$(" in value:
        return None
    names = [first or second for first, second in _REFERENCE.findall(value)]
    if any(name not in known for name in names):
        return None
    return _REFERENCE.sub(lambda match: known[match[1] or match[2]], value)
