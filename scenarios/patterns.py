"""Text patterns of evidence: what has to be read on the screen for a fact to count as seen.

A plain text is a literal: `GPU {gpu.index} has fallen off the bus`. Names in braces stand for what the seed chose, `{{`
and `}}` for braces, and a run of spaces or tabs matches any other run, since columns move with their contents. A name
at either end stands for a whole word, so that `mlx5_{port}` is not found in `mlx5_10` when the port is 1.

`{regex: 'Xid.*: 79,'}` is an expression of RE2, whose time is linear in the text; a name in braces stands in it for its
value as literal text. Both kinds are sought line by line, in the text without colours and carriage returns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from engine.kernel.names import quoted, unknown
from scenarios.pattern_syntax import (
    PatternError,
    Piece,
    check_source,
    compile_expression,
    expression_pieces,
    literal_pieces,
)

__all__ = ["PatternError", "Span", "TextPattern", "plain_text"]

MATCHES_PER_LINE = 16
"""More matches in one line prove no more, and finding all of them could take the square of its length."""

_KEPT = 64
"""Compiled forms that a pattern keeps; a proof over many seeds uses one per choice of its names."""

_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor movements
    r"|\x1b[\]PX^_][^\x07\x1b\n]*(?:\x07|\x1b\\)?"  # strings for the terminal: titles, links
    r"|\x1b[ -/]*[0-~]"  # other escapes
    r"|[\x1b\x9b\r]"
)


@dataclass(frozen=True, slots=True)
class Span:
    """Where a pattern was found: the line, counted from 1, and the characters from `start` up to `end` in it."""

    line_number: int
    start: int
    end: int
    line_text: str


@dataclass(frozen=True)
class TextPattern:
    """A pattern as its author wrote it, ready to be sought with the values of one world."""

    source: str
    is_regex: bool = False
    _pieces: tuple[Piece, ...] = field(init=False, repr=False, compare=False)
    _compiled: dict[str, Any] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        source = self.source.strip("\n")
        check_source(source)
        pieces = expression_pieces(source) if self.is_regex else literal_pieces(source)
        object.__setattr__(self, "_pieces", pieces)
        if self._compile(dict.fromkeys(self.names, "x")).search(b""):
            raise PatternError(f"the pattern {quoted(source)} matches an empty text, so it would be seen everywhere")

    @classmethod
    def parse(cls, source: object) -> TextPattern:
        """The pattern in a scenario file: a text, or a mapping with the one key `regex`."""
        if isinstance(source, TextPattern):
            return source
        if isinstance(source, str):
            return cls(source)
        if not isinstance(source, Mapping):
            raise PatternError("a pattern is a text, or {regex: '...'}")
        for key in source:
            if key != "regex":
                raise PatternError(unknown("key", str(key), ["regex"]))
        if not isinstance(source.get("regex"), str):
            raise PatternError("a pattern that is a mapping needs a text as its regex; write {regex: '...'}")
        return cls(source["regex"], is_regex=True)

    @property
    def names(self) -> tuple[str, ...]:
        """The names in braces, in order, each once."""
        return tuple(dict.fromkeys(piece.name for piece in self._pieces if piece.name))

    def require(self, known: Iterable[str]) -> None:
        """Raise `PatternError` if the pattern holds a name that is not known."""
        available = set(known)
        for name in self.names:
            if name not in available:
                raise PatternError(f"{unknown('name', name, available)} (in the pattern {quoted(self.source)})")

    def find(self, text: str, values: Mapping[str, str]) -> list[Span]:
        """Where the pattern stands in `text`, with `values` for its names: in the order of the text, none overlapping,
        of each line the first `MATCHES_PER_LINE`."""
        self.require(values)
        return list(_spans(self._compile(values), _on_screen(text)))

    def _compile(self, values: Mapping[str, str]) -> Any:
        expression = "".join(piece.expression(values) for piece in self._pieces)
        if expression not in self._compiled:
            if len(self._compiled) >= _KEPT:
                self._compiled.clear()
            self._compiled[expression] = compile_expression(expression, self.source)
        return self._compiled[expression]

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """Models of scenario files may have fields of this type; mistakes are then reported with their line."""
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(cls.parse)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> dict[str, Any]:
        text = {"type": "string"}
        regex = {"type": "object", "properties": {"regex": text}, "required": ["regex"], "additionalProperties": False}
        return {"anyOf": [text, regex]}


def plain_text(text: str) -> str:
    """Text as it is read on a screen: without escape sequences and carriage returns."""
    return _ESCAPES.sub("", text) if any(mark in text for mark in "\x1b\x9b\r") else text


@lru_cache(maxsize=16)
def _on_screen(text: str) -> bytes:
    """The same as bytes; one output is asked for many patterns one after the other."""
    return plain_text(text).encode("utf-8", "replace")


def _spans(compiled: Any, text: bytes) -> Iterator[Span]:
    """The matches in a text, sought in the whole of it at once: most patterns stand nowhere, which is soon seen."""
    position = line_start = matches = 0
    number = 1
    while position <= len(text) and (found := compiled.search(text, position)):
        start, end = found.span()
        passed = text.count(b"\n", line_start, start)
        if passed:
            number, matches, line_start = number + passed, 0, text.rfind(b"\n", line_start, start) + 1
        line_end = text.find(b"\n", start)
        line_end = len(text) if line_end < 0 else line_end
        matches += 1
        if end > start:
            line = text[line_start:line_end].decode()
            column = len(text[line_start:start].decode())
            yield Span(number, column, column + len(text[start:end].decode()), line)
        position = max(start + 1, end if matches < MATCHES_PER_LINE else line_end)
