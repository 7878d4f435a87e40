"""Tables, trees and JSON as libsmartcols of util-linux 2.39 prints them, for lsblk and findmnt."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engine.commands.context import Context
from engine.commands.linux._support.words import utf8
from engine.commands.options import Parsed, UsageError

Value = str | list[str]
_STEP = 3


@dataclass(frozen=True, slots=True)
class Column:
    """A column: aligned `right` or not; `kind` is how JSON writes its values: string, number, boolean or array."""

    name: str
    right: bool = False
    kind: str = "string"
    least: int = 0


@dataclass(slots=True)
class Item:
    """A line: values by column, and the lines below it in the tree."""

    values: Mapping[str, Value]
    children: list[Item] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Form:
    """How a table is printed: table, raw, pairs or json; as a tree or a list; `root` is JSON's outer name."""

    kind: str = "table"
    tree: bool = True
    header: bool = True
    ascii: bool = False
    root: str = ""


def form_of(ctx: Context, parsed: Parsed, root: str) -> Form:
    """The form that the usual options ask for."""
    kinds = [kind for kind in ("json", "pairs", "raw") if kind in parsed]
    kind = kinds[0] if kinds else "table"
    tree = "list" not in parsed and kind not in ("pairs", "raw")
    return Form(kind, tree, "noheadings" not in parsed, "ascii" in parsed or not utf8(ctx.environment), root)


def chosen(ctx: Context, parsed: Parsed, known: Mapping[str, Column], usual: Sequence[str]) -> list[Column]:
    """The columns that -o names, `+` before them meaning the usual ones too. Raises UsageError for unknown ones."""
    text = parsed["output"] or ""
    names = [name.upper() for name in text.removeprefix("+").split(",")] if text else []
    for name in names:
        if name not in known:
            raise UsageError(f"{ctx.name}: unknown column: {name}\n")
    everything = [*usual, *names] if not text or text.startswith("+") else names
    return [known[name] for name in everything]


def lines(columns: Sequence[Column], items: Sequence[Item], form: Form) -> list[str]:
    """The items as text."""
    if form.kind == "json":
        return _json(columns, items, form)
    rows = list(_rows(columns, items, form))
    if form.kind == "pairs":
        return [" ".join(f'{c.name}="{_joined(v)}"' for c, v in zip(columns, row, strict=True)) for row in rows]
    names: list[Value] = [column.name for column in columns]
    header = [names] if form.header else []
    if form.kind == "raw":
        return [" ".join(_plain(value) for value in row) for row in [*header, *rows]]
    cells = [[_lines_of(value) for value in row] for row in [*header, *rows]]
    widths = [
        max(len(column.name), column.least, *(len(text) for row in cells for text in row[place]))
        for place, column in enumerate(columns)
    ]
    return [line for row in cells for line in _table_lines(columns, row, widths)]


def _rows(columns: Sequence[Column], items: Sequence[Item], form: Form) -> Iterator[list[Value]]:
    """Values line by line; the first column bears the tree."""
    if not form.tree:
        for item in _flat(items):
            yield [item.values.get(column.name, "") for column in columns]
        return
    yield from _tree(columns, items, "", form.ascii, top=True)


def _flat(items: Sequence[Item]) -> Iterator[Item]:
    for item in items:
        yield item
        yield from _flat(item.children)


def _tree(
    columns: Sequence[Column], items: Sequence[Item], before: str, ascii: bool, top: bool
) -> Iterator[list[Value]]:
    branch, last, line = ("|-", "`-", "| ") if ascii else ("├─", "└─", "│ ")
    for number, item in enumerate(items):
        final = number == len(items) - 1
        mark = "" if top else last if final else branch
        values = [item.values.get(column.name, "") for column in columns]
        values[0] = f"{before}{mark}{values[0]}"
        yield values
        below = before + ("" if top else "  " if final else line)
        yield from _tree(columns, item.children, below, ascii, top=False)


def _table_lines(columns: Sequence[Column], row: Sequence[Sequence[str]], widths: Sequence[int]) -> Iterator[str]:
    """A row takes as many lines as its longest cell."""
    for line in range(max(len(cell) for cell in row)):
        texts = [cell[line] if line < len(cell) else "" for cell in row]
        shown = [
            text.rjust(width) if column.right else text.ljust(width)
            for column, text, width in zip(columns[:-1], texts, widths, strict=False)
        ]
        final = texts[-1].rjust(widths[-1]) if columns[-1].right else texts[-1]
        yield " ".join([*shown, final])


def _lines_of(value: Value) -> list[str]:
    return [value] if isinstance(value, str) else list(value) or [""]


def _joined(value: Value) -> str:
    return value if isinstance(value, str) else "\\x0a".join(value)


def _plain(value: Value) -> str:
    return _joined(value).replace(" ", "\\x20")


def _json(columns: Sequence[Column], items: Sequence[Item], form: Form) -> list[str]:
    return ["{", f'{" " * _STEP}"{form.root}": [', *_objects(columns, items, 2, form.tree), f"{' ' * _STEP}]", "}"]


def _objects(columns: Sequence[Column], items: Sequence[Item], depth: int, tree: bool) -> list[str]:
    indent, inner = " " * _STEP * depth, " " * _STEP * (depth + 1)
    result: list[str] = []
    listed = list(items) if tree else list(_flat(items))
    for number, item in enumerate(listed):
        result.append(f"{indent}{{" if number == 0 else f"{indent}}},{{")
        parts = [_member(column, item.values.get(column.name, ""), inner) for column in columns]
        children = item.children if tree else []
        if children:
            parts.append([f'{inner}"children": [', *_objects(columns, children, depth + 2, tree), f"{inner}]"])
        for place, part in enumerate(parts):
            result += [*part[:-1], part[-1] + ("," if place < len(parts) - 1 else "")]
    return [*result, f"{indent}}}"] if listed else []


def _member(column: Column, value: Value, indent: str) -> list[str]:
    name = f'{indent}"{column.name.lower()}": '
    if column.kind == "array":
        texts = [json.dumps(text, ensure_ascii=False) for text in value] if value else ["null"]
        return [
            f"{name}[",
            *(f"{indent}    {text}{',' if n < len(texts) else ''}" for n, text in enumerate(texts, 1)),
            f"{indent}]",
        ]
    return [name + _WRITERS[column.kind](_joined(value))]


_WRITERS: Mapping[str, Callable[[str], str]] = {
    "string": lambda text: json.dumps(text, ensure_ascii=False) if text else "null",
    "number": lambda text: text.strip() or "null",
    "boolean": lambda text: "true" if text.strip() == "1" else "false",
}
