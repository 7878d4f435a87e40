"""YAML files that people write (sites, scenarios, exam banks), read as plain data that remembers where it stood.

PyYAML's parser delivers events; the data is built from them within limits on size, depth and number of values. What
would let a small file grow or would mean something its author does not see is refused with file and line: anchors and
aliases, tags, duplicate and merge keys, several documents, keys that are not text.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any, TypeAlias

from engine.kernel.places import DocumentError, Location, Place, Problem, refuse
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.scalars import character_name, forbidden_in_file
from engine.kernel.yaml_builder import DEPTH_LIMIT, NODE_LIMIT, Builder

__all__ = [
    "DEPTH_LIMIT",
    "NODE_LIMIT",
    "SIZE_LIMIT",
    "Document",
    "DocumentError",
    "Location",
    "Path",
    "Plain",
    "Problem",
    "read_document",
]

Plain: TypeAlias = "str | int | float | bool | list[Plain] | dict[str, Plain] | None"
Path: TypeAlias = tuple[str | int, ...]

SIZE_LIMIT = 1 << 20


@dataclass(frozen=True, slots=True)
class Document:
    """A file's plain data. `locate` tells where each value stood."""

    name: str
    data: Plain
    root: Place = field(repr=False)

    def locate(self, path: Path) -> Location:
        """Where the value at `path` stands: its key in a mapping, itself in a list, else its nearest parent."""
        place = self._place(path)
        return Location(self.name, place.line, place.column)

    def value(self, path: Path) -> Plain:
        """The value at `path`, or None where there is none."""
        value: Any = self.data
        for step in path:
            try:
                value = value[step]
            except (LookupError, TypeError):
                return None
        return value  # type: ignore[no-any-return]

    def written(self, path: Path) -> str | None:
        """An unquoted word as it stands in the file (`24.10`, where the value is 24.1); None for anything else."""
        return self._place(path).written

    def problem(self, path: Path, text: str) -> Problem:
        """A problem with the value at `path`."""
        return Problem(self.locate(path), text)

    def _place(self, path: Path) -> Place:
        place = self.root
        for step in path:
            inner = place.inside.get(step)
            if inner is None:
                return place
            place = inner
        return place


def read_document(text: str | bytes, name: str, size_limit: int = SIZE_LIMIT) -> Document:
    """The document in `text`; `name` is what its author calls the file. Raises `DocumentError` and nothing else."""
    checked = _checked(text, name, size_limit)
    builder = Builder(name)
    for event in _events(checked, name):
        builder.take(event)
    return Document(name, builder.data, builder.root)


def _checked(text: str | bytes, name: str, size_limit: int) -> str:
    """The text with plain line ends, once it is known to be small enough and readable."""
    if len(text) > size_limit:
        refuse(Location(name, 1), f"the file is larger than {size_limit} bytes; split it")
    decoded = _decoded(text, name) if isinstance(text, bytes) else text
    decoded = decoded.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    wrong = forbidden_in_file(decoded)
    if wrong:
        what = f"{character_name(wrong[0])} may not stand in a file; remove it"
        refuse(Location(name, decoded.count("\n", 0, wrong.start()) + 1), what)
    if len(decoded.encode()) > size_limit:
        refuse(Location(name, 1), f"the file is larger than {size_limit} bytes; split it")
    return decoded


def _decoded(text: bytes, name: str) -> str:
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        refuse(Location(name, line), "the file is not UTF-8 text; save it as UTF-8")


def _events(text: str, name: str) -> Iterator[Any]:
    """The parser's events: from libyaml where PyYAML was built with it, else from its Python twin."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        yield from yaml.parse(text, Loader=loader)
    except (yaml.YAMLError, ValueError) as error:  # ValueError: escapes and versions that the Python twin cannot hold
        raise DocumentError([_syntax_problem(error, name, text.split("\n"))]) from None


_ADVICE = {
    "tab character": "indent with spaces, not tabs",
    "cannot start any token": 'put text that begins with @, ` or % in quotes: "..."',
    "nesting depth": f"nest at most {DEPTH_LIMIT} levels",
    "mapping values are not allowed": "a text that holds a colon and a space needs quotes, or the indentation is off",
    "while parsing a flow": "text that begins with { or [ needs quotes, or a bracket or a comma is missing",
    "while scanning a quoted scalar": "the closing quote is missing",
    "while parsing a block mapping": "check the indentation; text that begins with a quote, { or [ needs quotes",
    "while parsing a block collection": "check the indentation; the dashes of one list stand in one column",
    "could not find expected ':'": "write `key: value` in a mapping and `- value` in a list",
    "escape": "a backslash in double quotes is written \\\\, or use single quotes",
}
"""What to do, by a part of PyYAML's complaint; the first that fits."""


def _syntax_problem(error: Exception, name: str, lines: list[str]) -> Problem:
    """PyYAML's complaint as one line with advice. What is unfinished at the end of the file is said to be
    where it began."""
    begun = getattr(error, "context_mark", None)
    mark = getattr(error, "problem_mark", None) or begun
    if mark and begun and not any(lines[mark.line :]):
        mark = begun
    location = Location(name, min(mark.line + 1, len(lines)), mark.column + 1) if mark else Location(name, 1)
    what = getattr(error, "problem", None) or "something here cannot be read"
    if lines[location.line - 1][location.column - 1 :].startswith("\t"):
        what = "found a tab character"
    context = getattr(error, "context", None)
    since = f" {context}, begun on line {begun.line + 1}" if context and begun else ""
    hints = (advice for clue, advice in _ADVICE.items() if clue in f"{what} {context}")
    return Problem(location, f"not YAML: {what}{since}; {next(hints, 'check the indentation and the quotes')}")
