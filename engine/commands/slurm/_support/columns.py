"""Format strings of sinfo and squeue: `-o "%.18i %t"` and `-O NodeList:20,Reason:.30`.

Source: SchedMD/slurm 24.11 src/sinfo/opts.c and print.c (squeue's are alike): a width cuts and pads, a dot aligns to
the right, what follows a field up to the next `%` is printed after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

R = TypeVar("R")
_DEFAULT_WIDTH = 20
_WIDEST = 4096  # of no use to anybody, and what follows would take the machine's memory


@dataclass(frozen=True, slots=True)
class Field(Generic[R]):
    """A field: its long name, its letter ("": none), its heading, and what it shows. `whole_heading`: the heading is
    not cut.
    """

    name: str
    letter: str
    heading: str
    value: Callable[[R], str]
    whole_heading: bool = False
    whole: bool = False
    hidden: bool = False


@dataclass(slots=True)
class Column(Generic[R]):
    """A field with its width (0: as long as it is); without a field only `suffix` is printed."""

    field: Field[R] | None
    width: int = 0
    right: bool = False
    suffix: str = ""

    def heading(self) -> str:
        """The column's cell of the heading line."""
        if self.field is None:
            return self.suffix
        return fit(self.field.heading, self.width, self.right, cut=not self.field.whole_heading) + self.suffix

    def cell(self, row: R) -> str:
        """The column's cell of a row."""
        if self.field is None:
            return self.suffix
        return fit(self.field.value(row), self.width, self.right, cut=not self.field.whole) + self.suffix


@dataclass(frozen=True, slots=True)
class Format(Generic[R]):
    """A parsed format: its columns, and what was wrong with it."""

    columns: list[Column[R]]
    unknown: list[str]

    def lines(self, rows: Sequence[R], heading: bool = True) -> list[str]:
        """The table."""
        top = ["".join(column.heading() for column in self.columns)] if heading else []
        return [*top, *("".join(column.cell(row) for column in self.columns) for row in rows)]


def fit(text: str, width: int, right: bool, cut: bool = True) -> str:
    """`text` in `width` columns as `_print_str` does it: aligned to the left it is cut in any case."""
    if width == 0:
        return text
    if right and not cut:
        return text.rjust(width)
    short = text[:width]
    return text.rjust(width)[:width] if right else short.ljust(width)


def parse_short(text: str, fields: Sequence[Field[R]]) -> Format[R]:
    """A format of -o. An unknown letter is printed as it stands."""
    if text.lower() == "%all":
        return _everything(fields)
    head, *tokens = text.split("%")
    columns: list[Column[R]] = [Column(None, suffix=head)] if head else []
    unknown = []
    for token in filter(None, tokens):
        right, width, letter, suffix = _split(token)
        field = _by_letter(fields, letter)
        if field is None:
            unknown.append(letter)
            columns.append(Column(None, suffix=f"%{token}"))
        else:
            columns.append(Column(field, width, right, suffix))
    return Format(columns, unknown)


def parse_long(text: str, fields: Sequence[Field[R]]) -> Format[R]:
    """A format of -O. An unknown name prints nothing."""
    columns: list[Column[R]] = []
    unknown = []
    for token in filter(None, text.split(",")):
        name, colon, size = token.partition(":")
        right = size.startswith(".")
        digits = size.removeprefix(".")
        number = digits[: len(digits) - len(digits.lstrip("0123456789"))]
        width = _width(number) if colon else _DEFAULT_WIDTH
        if name.lower() == "all":
            columns += _everything(fields).columns
            continue
        field = next((field for field in fields if field.name.lower() == name.lower()), None)
        if field is None:
            unknown.append(name)
        else:
            columns.append(Column(field, width, right, digits[len(number) :] if colon else ""))
    return Format(columns, unknown)


def _split(token: str) -> tuple[bool, int, str, str]:
    """(right, width, letter, suffix) of `.18i |`."""
    right = token.startswith(".")
    rest = token.removeprefix(".")
    digits = rest[: len(rest) - len(rest.lstrip("0123456789"))]
    rest = rest[len(digits) :]
    return right, _width(digits), rest[:1], rest[1:]


def _width(digits: str) -> int:
    return min(int(digits[:6] or 0), _WIDEST)


def _by_letter(fields: Sequence[Field[R]], letter: str) -> Field[R] | None:
    return next((field for field in fields if letter and field.letter == letter), None)


def _everything(fields: Sequence[Field[R]]) -> Format[R]:
    """`%all`: the small letters, then the capital ones with a blank after each."""
    small = [(chr(code), "|") for code in range(ord("a"), ord("z") + 1)]
    large = [(chr(code), " |") for code in range(ord("A"), ord("Z") + 1)]
    known = [(field, suffix) for letter, suffix in [*small, *large] if (field := _by_letter(fields, letter))]
    columns = [Column(field, suffix=suffix) for field, suffix in known]
    if columns:
        columns[-1].suffix = columns[-1].suffix.removesuffix("|")
    return Format(columns, [])
