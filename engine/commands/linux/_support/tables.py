"""Tables of text: columns as wide as their widest cell, as libsmartcols (util-linux 2.39) prints them."""

from __future__ import annotations

from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[str] = (), gap: int = 1) -> list[str]:
    """Lines of a table; columns named in `right` are aligned right. The last column is not padded."""
    everything = [list(header), *[list(row) for row in rows]] if header else [list(row) for row in rows]
    if not everything:
        return []
    widths = [max(len(row[column]) for row in everything) for column in range(len(everything[0]))]
    flags = [name in right for name in header] if header else [False] * len(widths)
    return [_row(row, widths, flags, gap) for row in everything]


def _row(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool], gap: int) -> str:
    texts = []
    for index, cell in enumerate(cells):
        last = index == len(cells) - 1
        texts.append(cell.rjust(widths[index]) if right[index] else cell if last else cell.ljust(widths[index]))
    return (" " * gap).join(texts)


def side_by_side(names: Sequence[str], widths: Sequence[int], columns: int) -> list[str]:
    """Names in as few rows as fit into `columns`, down and then across, as `ls` fills a terminal. `widths` are their
    shown widths.
    """
    count = len(names)
    for rows in range(1, count + 1):
        starts = range(0, count, rows)
        spans = [max(widths[start : start + rows]) + 2 for start in starts]
        if sum(spans) - 2 < columns or rows == count:
            return [_across(names, widths, spans, row, rows) for row in range(rows)]
    return []


def _across(names: Sequence[str], widths: Sequence[int], spans: Sequence[int], row: int, rows: int) -> str:
    cells = range(row, len(names), rows)
    text = ""
    for column, index in enumerate(cells):
        last = index + rows >= len(names)
        text += names[index] + ("" if last else " " * (spans[column] - widths[index]))
    return text
