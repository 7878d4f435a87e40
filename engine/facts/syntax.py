"""The words of the fact language and the tree of an expression. Columns count from 1."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from engine.kernel.errors import BreakfixError
from engine.kernel.names import quoted

LENGTH_LIMIT = 2_000
KEYWORDS = frozenset({"and", "or", "not", "all", "any", "count", "where", "in", "as", "true", "false", "contains"})
OPERATORS = ("==", "!=", "<=", ">=", "<", ">", "contains")

_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<number>\d+(?:\.\d+)?(?:[A-Za-z%][A-Za-z0-9%/.]*)?)
    |(?P<word>[A-Za-z_][A-Za-z0-9_]*(?:[./:@-]+[A-Za-z0-9_]+)*)
    |(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<sign>==|!=|<=|>=|[<>(),])""",
    re.VERBOSE,
)
_ADVICE = {
    "=": "write == for equality",
    "&": "write `and`",
    "|": "write `or`",
    "!": "write `not`",
    '"': "the closing quote is missing",
    "'": "the closing quote is missing",
    "{": "write names without braces here",
    "-": "there is no arithmetic",
}


class FactError(BreakfixError):
    """A mistake in an expression, at a column of it."""

    def __init__(self, column: int, message: str) -> None:
        super().__init__(f"column {column}: {message}")
        self.column = column


@dataclass(frozen=True, slots=True)
class Token:
    """One word: kind is number, word, keyword, text, sign or end."""

    kind: str
    text: str
    column: int

    @property
    def called(self) -> str:
        """How an error speaks of it."""
        return "the end" if self.kind == "end" else quoted(self.text)


@dataclass(frozen=True, slots=True)
class Literal:
    """`true`, `8`, `85C` or a quoted text, as written."""

    kind: str
    text: str
    column: int


@dataclass(frozen=True, slots=True)
class Word:
    """A bare word: a name that is known, or else a component's id or a text."""

    text: str
    column: int


@dataclass(frozen=True, slots=True)
class Call:
    """`gpu.xid(dgx-02/gpu5, 79)`."""

    fact: str
    arguments: tuple[Tree, ...]
    column: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """`left operator right`."""

    operator: str
    left: Tree
    right: Tree
    column: int


@dataclass(frozen=True, slots=True)
class Negation:
    """`not operand`."""

    operand: Tree
    column: int


@dataclass(frozen=True, slots=True)
class Junction:
    """Operands joined by `and` or by `or`."""

    word: str
    operands: tuple[Tree, ...]
    column: int


@dataclass(frozen=True, slots=True)
class Quantifier:
    """`all|any|count KIND [as NAME] [in PLACE] [where condition]`."""

    word: str
    kind: str
    name: str
    place: Word | None
    condition: Tree | None
    column: int


Tree = Literal | Word | Call | Comparison | Negation | Junction | Quantifier


def tokens(text: str) -> Iterator[Token]:
    """The words of an expression, with an end."""
    if len(text) > LENGTH_LIMIT:
        raise FactError(1, f"the expression is longer than {LENGTH_LIMIT} characters; split it")
    position = 0
    while position < len(text):
        found = _TOKEN.match(text, position)
        if found is None:
            raise FactError(position + 1, _unreadable(text[position]))
        kind, word = str(found.lastgroup), found[0]
        if kind != "space":
            yield Token("keyword" if kind == "word" and word in KEYWORDS else kind, word, position + 1)
        position = found.end()
    yield Token("end", "", len(text) + 1)


def unquoted(text: str) -> str:
    """What stands between the quotes."""
    return re.sub(r"\\(.)", r"\1", text[1:-1])


def _unreadable(character: str) -> str:
    advice = _ADVICE.get(character, "put texts in quotes")
    return f"{quoted(character)} has no meaning here; {advice}"
