"""dcgmi's ways to print: a tree in two columns, a table of columns, rows of fixed width, JSON.

Layouts: dcgmi/DcgmiOutput.cpp and CommandOutputController.cpp of DCGM 4.4.2. JSON is jsoncpp's styled form: keys in
alphabetical order, three blanks a level, short arrays on one line.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


def rule(character: str, widths: Sequence[int]) -> str:
    """A line across a table."""
    return "+" + "+".join(character * width for width in widths) + "+"


@dataclass(slots=True)
class Box:
    """A labelled value with what belongs below it; `more` are further lines of the value."""

    value: str = ""
    more: list[str] = field(default_factory=list)
    children: dict[str, Box] = field(default_factory=dict)

    def at(self, label: str) -> Box:
        """The box below this one, made when first asked for."""
        return self.children.setdefault(label, Box())

    def set_or_append(self, text: str) -> None:
        """The value, or one more line of it."""
        if self.value:
            self.more.append(text)
        else:
            self.value = text

    def plain(self) -> dict[str, object]:
        """The box as data for JSON."""
        found: dict[str, object] = {}
        if self.children:
            found["children"] = {label: box.plain() for label, box in self.children.items()}
        if self.more:
            found["overflow"] = [*self.more]
        if self.value:
            found["value"] = self.value
        return found


class Tree:
    """A tree of boxes, its left part `left` wide and its right part `right` wide, rules counted."""

    def __init__(self, left: int, right: int, *, separate: bool = False) -> None:
        self.left, self.right, self.separate = left, right, separate
        self.headers: list[str] = []
        self.sections: dict[str, Box] = {}

    def at(self, label: str) -> Box:
        """The section of that name, made when first asked for."""
        return self.sections.setdefault(label, Box())

    def text(self) -> str:
        """The tree as it is printed."""
        widths = (self.left - 1, self.right - 2)
        lines = [rule("-", widths)]
        lines += [f"| {header:<{self.left + self.right - 3}}|" for header in self.headers]
        if self.headers:
            lines.append(rule("=", widths))
        for number, (label, box) in enumerate(self.sections.items()):
            if number and self.separate:
                lines.append(rule("-", widths))
            lines += self._level(0, label, box)
        return "\n".join([*lines, rule("-", widths), ""])

    def _level(self, depth: int, label: str, box: Box) -> Iterable[str]:
        yield self._row(f"{'-> ' if depth else '':>{depth * 3}}{label}", box.value)
        yield from (self._row("", text) for text in box.more)
        for name, child in box.children.items():
            yield from self._level(depth + 1, name, child)

    def _row(self, label: str, value: str) -> str:
        return f"| {label:<{self.left - 3}} | {value:<{self.right - 4}} |"

    def json(self) -> str:
        """The same as JSON."""
        return styled({"body": {label: box.plain() for label, box in self.sections.items()}, "header": self.headers})


@dataclass(slots=True)
class Columns:
    """A table: (width, name) of each column, header lines above, rows of cells that may have several lines."""

    columns: Sequence[tuple[int, str]]
    headers: list[str] = field(default_factory=list)
    rows: list[Sequence[Sequence[str]]] = field(default_factory=list)
    separate: bool = False

    def add(self, *cells: str | Sequence[str]) -> None:
        """A row; a cell of several lines is a list."""
        self.rows.append([[cell] if isinstance(cell, str) else [*cell] for cell in cells])

    def text(self) -> str:
        """The table as it is printed."""
        widths = [width for width, _ in self.columns]
        full = sum(widths) + len(widths)
        lines = [rule("-", widths), *(f"| {header:<{full - 2}}|" for header in self.headers)]
        if self.headers:
            lines.append(rule("=", widths))
        lines += [self._line([name for _, name in self.columns]), rule("-", widths)]
        for number, row in enumerate(self.rows):
            if number and self.separate:
                lines.append(rule("-", widths))
            height = max(len(cell) for cell in row)
            lines += [self._line([cell[at] if at < len(cell) else "" for cell in row]) for at in range(height)]
        return "\n".join([*lines, rule("-", widths), ""])

    def _line(self, cells: Sequence[str]) -> str:
        padded = (f"{cell:<{width - 2}}" for cell, (width, _) in zip(cells, self.columns, strict=True))
        return "| " + " | ".join(padded) + " |"

    def json(self) -> str:
        """The same as JSON: each row by its second column, or its first where that is all."""
        names = [name for _, name in self.columns]
        body = {}
        for row in self.rows:
            cells = {name: {"value": cell[0]} for name, cell in zip(names, row, strict=True)}
            body[row[min(1, len(row) - 1)][0]] = {"children": cells}
        return styled({"body": body, "header": self.headers})


def fitted(text: str, width: int) -> str:
    """A text in a place of `width` characters; a longer one ends in three dots."""
    return f"{text:<{width}}" if len(text) <= width else text[: width - 3] + "..."


_ONE_LINE = 74


def styled(value: object, indent: str = "") -> str:
    """A value as jsoncpp prints it, with a newline after the whole."""
    return _styled(value, indent) + ("\n" if not indent else "")


def _styled(value: object, indent: str) -> str:
    inner = indent + "   "
    if isinstance(value, Mapping):
        if not value:
            return "{}"
        lines = []
        for key in sorted(value):
            text = _styled(value[key], inner)
            joint = f"\n{inner}" if text.startswith(("{\n", "[\n")) else " "
            lines.append(f"{inner}{json.dumps(key)} :{joint}{text}")
        return "{\n" + ",\n".join(lines) + f"\n{indent}}}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        if not value:
            return "[]"
        plain = not any(isinstance(each, (Mapping, list, tuple)) and each for each in value)
        short = "[ " + ", ".join(_styled(each, inner) for each in value) + " ]"
        if plain and len(short) <= _ONE_LINE and len(value) * 3 < _ONE_LINE:
            return short
        return "[\n" + ",\n".join(inner + _styled(each, inner) for each in value) + f"\n{indent}]"
    return json.dumps(value, ensure_ascii=False)
