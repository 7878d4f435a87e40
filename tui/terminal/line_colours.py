"""Colours for a line of shell while it is typed: what is a command, a string, an option, a variable, a comment.

A lexer in a first form: it follows quotes and operators, not the whole grammar of bash. Where it is not sure, text
stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"(?P<blank>\s+)"
    r"|(?P<comment>(?<![^\s;|&(])#.*)"
    r"|(?P<string>'[^']*'?|\"(?:\\.|[^\"\\])*\"?)"
    r"|(?P<variable>\$(?:\w+|\{[^}]*\}?|[?$!#*@-]))"
    r"|(?P<redirection>\d?>>?(?:&\d?)?|\d?<<?<?)"
    r"|(?P<operator>\|\||&&|\$\(|[|;&()`])"
    r"|(?P<word>(?:\\.|[^\s'\"$|;&<>()`\\])+)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_KEYWORDS = frozenset({"if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "in"})
_BEFORE_COMMAND = frozenset({"if", "then", "elif", "else", "while", "until", "do", "!", "{", "time"})
_CARRIERS = frozenset({"sudo", "watch", "time", "nohup", "exec", "xargs", "env"})
"""Commands whose first word that is no option is a command again."""
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")

COMMAND, UNKNOWN, KEYWORD = "\x1b[1m", "\x1b[31m", "\x1b[35m"
STRING, OPTION, VARIABLE, OPERATOR, COMMENT = "\x1b[33m", "\x1b[36m", "\x1b[35m", "\x1b[34m", "\x1b[2m"
_PLAIN = {"string": STRING, "variable": VARIABLE, "operator": OPERATOR, "redirection": OPERATOR, "comment": COMMENT}


@dataclass(frozen=True, slots=True)
class Coloured:
    """A part of the line, and the SGR sequence that it is shown with."""

    start: int
    end: int
    sgr: str


def coloured(line: str, knows: Callable[[str], bool], cursor: int = -1) -> list[Coloured]:
    """The parts of a line that have a colour. `knows` says whether a command of a name is there; the word that the
    cursor is in is not told to be unknown while it is being typed.
    """
    return list(_parts(line, knows, cursor))


def _parts(line: str, knows: Callable[[str], bool], cursor: int) -> Iterator[Coloured]:
    first = True  # whether a command comes next
    for match in _TOKEN.finditer(line):
        kind, text, (start, end) = match.lastgroup, match[0], match.span()
        if kind in _PLAIN:
            yield Coloured(start, end, _PLAIN[kind])
        if kind == "operator":
            first = text != ")"
        elif kind in ("string", "variable"):
            first = False
        elif kind == "word" and first and not _ASSIGNMENT.match(text):
            sgr = _first_word(text, knows, typing=start <= cursor <= end)
            if sgr:
                yield Coloured(start, end, sgr)
            first = text in _BEFORE_COMMAND or text in _CARRIERS or (first and text.startswith("-"))
        elif kind == "word" and text.startswith("-"):
            yield Coloured(start, end, OPTION)
        elif kind == "word" and text in ("do", "then") and not first:
            first = False


def _first_word(text: str, knows: Callable[[str], bool], *, typing: bool) -> str:
    """How a word looks where a command stands."""
    if text in _KEYWORDS or text in ("{", "}", "!", "[["):
        return KEYWORD
    if text.startswith("-"):
        return OPTION
    if "/" in text or text.startswith("~"):
        return COMMAND
    if knows(text):
        return COMMAND
    return "" if typing else UNKNOWN
