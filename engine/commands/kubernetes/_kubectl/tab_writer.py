"""Columns as Go's text/tabwriter aligns them.

Source: the Go library's tabwriter.go. A cell is ended by a tab; the cells of one column in lines that follow each other
have one width, that of the widest and some padding; the last cell of a line, which no tab ends, belongs to no column.
"""

from __future__ import annotations

from collections.abc import Sequence


def aligned(text: str, least: int = 0, padding: int = 2) -> str:
    """Text with tabs, aligned with spaces. The defaults are those of `kubectl describe`."""
    lines = [line.split("\t") for line in text.split("\n")]
    out: list[str] = []
    _block(lines, [], out, least, padding)
    return "\n".join(out)


def table(rows: Sequence[Sequence[str]], widths: list[int] | None = None) -> str:
    """Rows as `kubectl get` prints them: at least 6 wide, 3 apart. `widths` remembers the widths that columns had, for
    rows that are printed later.
    """
    if not rows:
        return ""
    columns = max(len(row) for row in rows) - 1
    least = list(widths or ())
    for column in range(columns):
        widest = max((width(row[column]) + 3 for row in rows if len(row) - 1 > column), default=0)
        wide = max(6, widest)
        if column < len(least):
            least[column] = max(least[column], wide)
        else:
            least.append(wide)
    if widths is not None:
        widths[:] = least
    lines = []
    for row in rows:
        cells = [cell + " " * (least[column] - width(cell)) for column, cell in enumerate(row[:-1])]
        lines.append("".join(cells) + row[-1])
    return "".join(f"{line}\n" for line in lines)


def width(text: str) -> int:
    """Characters of a cell (tabwriter counts runes)."""
    return len(text)


def _block(lines: list[list[str]], widths: list[int], out: list[str], least: int, padding: int) -> None:
    column, first, at = len(widths), 0, 0
    while at < len(lines):
        if column >= len(lines[at]) - 1:
            at += 1
            continue
        out.extend(_line(line, widths) for line in lines[first:at])
        first = at
        while at < len(lines) and column < len(lines[at]) - 1:
            at += 1
        wide = max(least, *(width(line[column]) + padding for line in lines[first:at]))
        _block(lines[first:at], [*widths, wide], out, least, padding)
        first = at
    out.extend(_line(line, widths) for line in lines[first:])


def _line(cells: list[str], widths: list[int]) -> str:
    shown = []
    for column, cell in enumerate(cells):
        pad = widths[column] - width(cell) if column < len(widths) else 0
        shown.append(cell + " " * pad)
    return "".join(shown)
