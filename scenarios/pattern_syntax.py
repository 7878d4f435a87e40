"""How a text pattern is written, and the RE2 expression that it becomes (github.com/google/re2/wiki/Syntax)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.kernel.errors import BreakfixError
from engine.kernel.names import quoted
from engine.kernel.scalars import forbidden_in_value

LENGTH_LIMIT = 1_000
"""Characters of a pattern, and of a value put in its place."""

PROGRAM_LIMIT = 2_000
"""Instructions of a compiled pattern: times the length of the text, they bound the time of a search."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_LITERAL = re.compile(r"(?P<brace>\{\{|\}\})|\{(?P<name>[^{}]*)\}|(?P<space>[ \t]+)|(?P<text>[^{} \t]+)|(?P<lone>.)")
# In an expression, braces also count repetitions and enclose names of characters: `x{2,3}`, `\p{Greek}`, `\x{1F600}`.
_EXPRESSION = re.compile(rf"(?P<text>\\[pPx]\{{[^{{}}]*\}}|\\.|[^\\{{]+)|\{{(?P<name>{_NAME.pattern})\}}|(?P<lone>.)")
_INSTEAD = {
    "\\A": "^ for the start of a line",
    "\\z": "$ for the end of a line",
    "\\C": ". for a character",
    "\\Q": "a backslash before each character that is meant literally",
}
"""What has no place in an expression that is matched within lines of characters, and what to write."""


class PatternError(BreakfixError, ValueError):
    """A pattern that cannot be read, or a name in it that stands for nothing."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a pattern: an RE2 expression, or a name for whose value room is kept."""

    regex: str = ""
    name: str = ""
    starts: bool = False
    ends: bool = False

    def expression(self, values: Mapping[str, str]) -> str:
        """The piece as RE2. A value at the start or end of a literal is a whole word."""
        if not self.name:
            return self.regex
        value = values[self.name].encode("utf-8", "replace").decode()
        if not value or len(value) > LENGTH_LIMIT:
            size = f"more than {LENGTH_LIMIT} characters" if value else "nothing"
            raise PatternError(f"the name {quoted(self.name)} stands for {size}, which cannot be sought")
        before = r"\b" if self.starts and _in_word(value[0]) else ""
        after = r"\b" if self.ends and _in_word(value[-1]) else ""
        return f"(?:{before}{escape(value)}{after})"


def literal_pieces(source: str) -> tuple[Piece, ...]:
    """The pieces of a literal text."""
    pieces = [_literal_piece(found, source) for found in _LITERAL.finditer(source)]
    pieces[0] = replace(pieces[0], starts=True)
    pieces[-1] = replace(pieces[-1], ends=True)
    return tuple(pieces)


def expression_pieces(source: str) -> tuple[Piece, ...]:
    """The pieces of an RE2 expression."""
    return tuple(_expression_piece(found, source) for found in _EXPRESSION.finditer(source))


def check_source(source: str) -> None:
    """What holds for both kinds: there is something, on one line, and not too much of it."""
    if not source.strip():
        raise PatternError("the pattern is empty; write the text that shows the fact")
    if len(source) > LENGTH_LIMIT:
        raise PatternError(f"the pattern is longer than {LENGTH_LIMIT} characters; a telling part is enough")
    if forbidden_in_value(source) or "\n" in source or "\r" in source:
        raise PatternError(f"the pattern {quoted(source)} holds a line end or control character; keep to one line")


def escape(text: str) -> str:
    """The text as an expression that matches it and nothing else."""
    return re.sub(r"[^\w\x80-\U0010ffff]", lambda found: f"\\x{ord(found[0]):02x}", text)


def compile_expression(expression: str, source: str) -> Any:
    """The expression compiled by RE2, for lines: `^` and `$` are their ends, and nothing matches a line end."""
    import re2

    options = re2.Options()
    options.never_nl = options.never_capture = True
    options.log_errors = False
    try:
        compiled = re2.compile(f"(?m){expression}", options)
    except re2.error as error:
        reason = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error)
        raise PatternError(f"the pattern {quoted(source)} is no RE2 expression: {reason}") from None
    if compiled.programsize > PROGRAM_LIMIT:
        raise PatternError(f"the pattern {quoted(source)} is too complex; use smaller repetitions and classes")
    return compiled


def _in_word(character: str) -> bool:
    return character.isascii() and (character.isalnum() or character == "_")


def _literal_piece(found: re.Match[str], source: str) -> Piece:
    if found["lone"]:
        raise PatternError(f"the pattern {quoted(source)} has a single brace; write {{{{ and }}}} for braces")
    if found["name"] is not None:
        if not _NAME.fullmatch(found["name"]):
            wrong = quoted(f"{{{found['name']}}}")
            raise PatternError(f"{wrong} in a pattern holds no name; write {{{{ and }}}} for braces")
        return Piece(name=found["name"])
    return Piece(r"[ \t]+" if found["space"] else escape(found["brace"][0] if found["brace"] else found["text"]))


def _expression_piece(found: re.Match[str], source: str) -> Piece:
    instead = _INSTEAD.get(found[0])
    if instead:
        raise PatternError(f"{found[0]} has no meaning in the pattern {quoted(source)}; write {instead}")
    return Piece(name=found["name"]) if found["name"] else Piece(found[0])
