"""The syntax that Slurm's configuration files share: lines of `keyword=value`, and what the daemons say of lines that
they cannot read.

Source: SchedMD/slurm src/common/parse_config.c and parse_value.c; error texts of 20.11 to 24.11 in
natefoo/slurm-drmaa#20 and Azure/cyclecloud-slurm#197. A line holds one keyword, except that keywords which begin a
record (NodeName, PartitionName, Name of gres.conf) take what follows them on the line. A backslash at a line's end
joins the next line to it; letter case of keywords does not matter; text before the first keyword of a line is passed
over. All lines are read, so that every mistake is told, and the program ends after the last.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache

from engine.control.tables import rows

_PAIR = re.compile(r"""(?:^|\s)([\w.]+)\s*[-*+/]?=\s*("[^"]*"|\S+)(?=\s|$)""")
_LIMITS = {"uint16": 65535, "uint32": 4294967295, "uint64": None}
_BOOLEANS = {
    word: yes for yes, words in ((True, "yes true up 1"), (False, "no false down 0")) for word in words.split()
}
_ENDLESS = ("unlimited", "infinite")


class ConfigurationError(Exception):
    """A file that a daemon cannot read: its lines in the daemon's words, the last of which is fatal."""

    def __init__(self, *lines: str) -> None:
        super().__init__(lines[-1])
        self.lines = lines


@dataclass(frozen=True, slots=True)
class Record:
    """A line of a file: the keyword that it begins with, in small letters, and all its settings by keyword in small
    letters, without quotes.
    """

    keyword: str
    words: Mapping[str, str]


@dataclass(slots=True)
class FileParser:
    """Reads one file. `kind` names its keywords in the table; `records` maps a keyword that begins a record (in small
    letters) to the kind of that record.
    """

    kind: str
    path: str
    records: Mapping[str, str] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)

    def parse(self, text: str) -> list[Record]:
        """The records of a text, in order; what is wrong is added to `errors`."""
        return [record for number, line in _lines(text) for record in self._line(number, line)]

    def _line(self, number: int, line: str) -> Iterator[Record]:
        match = _PAIR.search(line)
        if match is None and line.split(maxsplit=1)[0].lower() == "include":
            self.errors.append(f'error: "Include" failed in file {self.path} line {number}')
            return
        if match is None:
            self._unread(number, line)
            return
        key, value = match[1].lower(), match[2].strip('"')
        wanted = keywords(self.kind).get(key)
        if wanted is None:
            self.errors.append(f"error: _parse_next_key: Parsing error at unrecognized key: {match[1]}")
            self._unread(number, line)
            return
        wrong = _wrong(match[1], value, wanted)
        if wrong:
            self.errors.append(f"error: {wrong}")
            self._unread(number, line)
            return
        rest = line[match.end() :]
        if key not in self.records:
            if rest.strip():
                self._unread(number, rest)
            yield Record(key, {key: value})
            return
        words = self._rest(number, rest, self.records[key])
        if words is not None:
            yield Record(key, {key: value, **words})

    def _rest(self, number: int, rest: str, kind: str) -> dict[str, str] | None:
        """The settings that follow the beginning of a record; None if it cannot be read."""
        found: dict[str, str] = {}
        while match := _PAIR.search(rest):
            key, value = match[1], match[2].strip('"')
            wanted = keywords(kind).get(key.lower())
            if wanted is None:
                self.errors.append(f"error: Parsing error at unrecognized key: {key}")
                self._unread(number, rest)
                return None
            if wrong := _wrong(key, value, wanted):
                self.errors.append(f"error: {wrong}")
                self._unread(number, rest)
                return None
            found[key.lower()] = value
            rest = rest[match.end() :]
        if rest.strip():
            self._unread(number, rest)
        return found

    def _unread(self, number: int, text: str) -> None:
        self.errors.append(f'error: Parse error in file {self.path} line {number}: "{text}"')


@cache
def keywords(kind: str) -> Mapping[str, str]:
    """The kinds of value of a file's or a record's keywords, by keyword in small letters."""
    return {
        name.lower(): value for file, value, names in rows("slurm_keywords") if file == kind for name in names.split()
    }


def truth(text: str, default: bool = False) -> bool:
    """What a setting that is yes or no says."""
    return _BOOLEANS.get(text.lower(), default)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """(number of the first line, text) of each line with something in it, without comments."""
    number, joined, first = 0, "", 1
    for line in text.splitlines():
        number += 1
        if not joined:
            first = number
        plain = _without_comment(line)
        if plain.endswith("\\"):
            joined += plain[:-1]
            continue
        whole, joined = joined + plain, ""
        if whole.strip():
            yield first, whole.rstrip()
    if joined.strip():
        yield first, joined.rstrip()


def _without_comment(line: str) -> str:
    mark = re.search(r"(?<!\\)#", line)
    return line[: mark.start()] if mark else line


def _wrong(key: str, value: str, wanted: str) -> str:
    """What is wrong with a value of that kind, "" if nothing is."""
    if wanted == "boolean":
        return "" if value.lower() in _BOOLEANS else f'"{value}" is not a valid option for "{key}"'
    if wanted not in _LIMITS or value.lower() in _ENDLESS:
        return ""
    shown = f'"{value}"' if wanted == "uint16" else f"({value})"
    digits = value.removeprefix("-")
    if wanted == "uint64" and digits[-1:] in "kKmMgGtT":
        digits = digits[:-1]
    if not (digits.isascii() and digits.isdigit()):
        return f"{key} value {shown} is not a valid number"
    if value.startswith("-"):
        return f"{key} value ({value}) is less than zero"
    most = _LIMITS[wanted]
    if most is not None and (len(digits) > 12 or int(digits) > most):
        return f"{key} value ({value}) is greater than {most}"
    return ""
