"""What `ls` lists: one entry's columns, their widths, and the ways to lay names out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wcwidth import wcswidth

from engine.commands.context import Context
from engine.commands.linux._support import clock, paths, words
from engine.commands.linux._support.sizes import human
from engine.commands.linux._support.tables import side_by_side
from engine.hostfs.tree import FileError, FileKind, Stat
from engine.kernel.units import SECOND

HALF_A_YEAR = 31_556_952 * SECOND // 2
_DEFAULT_COLOURS = (
    "di=01;34:ln=01;36:pi=33:so=01;35:bd=01;33:cd=01;33:su=37;41:sg=30;43:tw=30;42:ow=34;42:st=37;44:ex=01;32"
)
_INDICATORS = {FileKind.DIRECTORY: "/", FileKind.SYMLINK: "@"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A name, what lies there (None: it could not be looked at) and where a link leads."""

    name: str
    stat: Stat | None
    target: str = ""
    leads_to: Stat | None = None


@dataclass(frozen=True, slots=True)
class Style:
    """How `ls` was asked to show entries."""

    layout: str = "one"
    columns: int = 80
    human: int = 0
    inode: bool = False
    blocks: bool = False
    numeric: bool = False
    owner: bool = True
    group: bool = True
    author: bool = False
    indicator: str = ""
    quoting: str = "literal"
    colour: bool = False
    time_style: str = "locale"
    block_size: int = 1024


def total_line(entries: Sequence[Entry], style: Style) -> str:
    """`total 24`."""
    return "total " + _size(
        sum(paths.blocks(entry.stat) for entry in entries if entry.stat) * 1024, style, rounded=True
    )


def lines(ctx: Context, entries: Sequence[Entry], style: Style) -> list[str]:
    """The entries as lines of text."""
    names = _shown_names(ctx, entries, style)
    if style.layout == "long":
        return _long(ctx, entries, names, style)
    prefixes = _prefixes(entries, style)
    cells = [prefix + name for prefix, name in zip(prefixes, names, strict=True)]
    if style.layout == "one" or not cells:
        return cells
    if style.layout == "commas":
        return _commas(cells, style.columns)
    widths = [_width(cell) for cell in cells]
    if style.layout == "across":
        return _horizontal(cells, widths, style.columns)
    return side_by_side(cells, widths, style.columns)


def _prefixes(entries: Sequence[Entry], style: Style) -> list[str]:
    """Inode numbers and sizes in front of names."""
    columns = []
    if style.inode:
        columns.append([str(entry.stat.inode) if entry.stat else "?" for entry in entries])
    if style.blocks:
        columns.append([_size(paths.blocks(e.stat) * 1024, style, rounded=True) if e.stat else "?" for e in entries])
    widths = [max(map(len, column), default=0) for column in columns]
    padded = [[cell.rjust(width) + " " for cell in column] for column, width in zip(columns, widths, strict=True)]
    return ["".join(cells) for cells in zip(*padded, strict=True)] if padded else [""] * len(entries)


def _long(ctx: Context, entries: Sequence[Entry], names: Sequence[str], style: Style) -> list[str]:
    prefixes = _prefixes(entries, style)
    minor = max((len(str(e.stat.device[1])) for e in entries if e.stat and e.stat.device), default=0)
    rows = [_fields(ctx, entry, style, minor) for entry in entries]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(len(rows[0]) if rows else 0)]
    left = {2, 3, 4}  # owner, group, author
    result = []
    for prefix, row, name in zip(prefixes, rows, names, strict=True):
        cells = [
            cell.ljust(width) if index in left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
            if width or index not in left
        ]
        result.append(prefix + " ".join(cells) + " " + name)
    return result


def _fields(ctx: Context, entry: Entry, style: Style, minor_width: int) -> list[str]:
    """Mode, links, owner, group, author, size (or device numbers) and time of an entry."""
    stat = entry.stat
    if stat is None:
        kind = "l?????????" if entry.target else "?" * 10
        return [kind, "?", "?" * style.owner, "?" * style.group, "", "?", "           ?"]
    owner, group = paths.owner(ctx, stat), paths.group(ctx, stat)
    if style.numeric:
        owner, group = str(stat.uid), str(stat.gid)
    size = f"{stat.device[0]}, {stat.device[1]:>{minor_width}}" if stat.device else _size(stat.size, style)
    return [
        paths.mode_text(stat),
        str(stat.links),
        owner if style.owner else "",
        group if style.group else "",
        owner if style.author else "",
        size,
        _time(ctx, stat.modified, style),
    ]


def _time(ctx: Context, modified: int, style: Style) -> str:
    recent = ctx.epoch - HALF_A_YEAR < modified <= ctx.epoch
    patterns = {
        "locale": "%b %e %H:%M" if recent else "%b %e  %Y",
        "full-iso": "%Y-%m-%d %H:%M:%S.%N %z",
        "long-iso": "%Y-%m-%d %H:%M",
        "iso": "%m-%d %H:%M" if recent else "%Y-%m-%d ",
    }
    if style.time_style.startswith("+"):
        older, _, newer = style.time_style[1:].partition("\n")
        return clock.shown(ctx, modified, newer if recent and newer else older)
    return clock.shown(ctx, modified, patterns[style.time_style])


def _size(number: int, style: Style, rounded: bool = False) -> str:
    if style.human:
        return human(number, style.human)
    if style.block_size != 1024 or rounded:
        return str(-(-number // style.block_size))
    return str(number)


def _shown_names(ctx: Context, entries: Sequence[Entry], style: Style) -> list[str]:
    quoted = [_quoted(entry.name, style) for entry in entries]
    aligned = style.layout in ("long", "columns", "across") and style.quoting == "shell"
    shifted = aligned and any(text != entry.name for text, entry in zip(quoted, entries, strict=True))
    colours = _colours(ctx) if style.colour else {}
    result = []
    for entry, text in zip(entries, quoted, strict=True):
        space = " " if shifted and text == entry.name else ""
        shown = space + _coloured(text, entry.name, _kind(entry), colours)
        if style.layout == "long" and entry.target:
            known = colours if "or" in colours or "mi" in colours else {}
            shown += " -> " + _coloured(_quoted(entry.target, style), entry.target, _target_kind(entry), known)
            shown += _indicator(entry.leads_to, style) if entry.leads_to else ""
        else:
            shown += _indicator(entry.stat, style)
        result.append(shown)
    return _with_reset(result)


def _with_reset(names: list[str]) -> list[str]:
    """A reset before the first colour of a listing, as `ls` writes it."""
    for index, name in enumerate(names):
        if "\x1b[" in name:
            names[index] = name.replace("\x1b[", "\x1b[0m\x1b[", 1)
            break
    return names


def _quoted(name: str, style: Style) -> str:
    if style.quoting == "shell":
        return words.listed(name)
    if style.quoting == "c":
        return '"' + _escaped(name).replace('"', '\\"') + '"'
    if style.quoting == "escape":
        return _escaped(name).replace(" ", "\\ ")
    return words.visible(name) if style.quoting == "visible" else name


def _escaped(name: str) -> str:
    escaped = name.replace("\\", "\\\\")
    for character, letter in (
        ("\n", "n"),
        ("\t", "t"),
        ("\r", "r"),
        ("\b", "b"),
        ("\a", "a"),
        ("\f", "f"),
        ("\v", "v"),
    ):
        escaped = escaped.replace(character, "\\" + letter)
    return escaped


def _indicator(stat: Stat | None, style: Style) -> str:
    if stat is None or not style.indicator:
        return ""
    if stat.kind is FileKind.DIRECTORY:
        return "/"
    if style.indicator == "slash":
        return ""
    if stat.kind is FileKind.FILE and stat.mode & 0o111 and style.indicator == "classify":
        return "*"
    return _INDICATORS.get(stat.kind, "")


def _kind(entry: Entry) -> str:
    """The two letters of LS_COLORS for an entry."""
    stat = entry.stat
    if stat is None:
        return "or" if entry.target else "mi"
    if stat.kind is FileKind.SYMLINK:
        return "ln" if entry.leads_to else "or"
    return _kind_of(stat)


def _target_kind(entry: Entry) -> str:
    return _kind_of(entry.leads_to) if entry.leads_to else "mi"


def _kind_of(stat: Stat) -> str:
    if stat.kind is FileKind.DIRECTORY:
        sticky, open_ = stat.mode & 0o1000, stat.mode & 0o002
        return "tw" if sticky and open_ else "ow" if open_ else "st" if sticky else "di"
    if stat.kind is FileKind.FILE:
        if stat.mode & 0o4000:
            return "su"
        return "sg" if stat.mode & 0o2000 else "ex" if stat.mode & 0o111 else "fi"
    return {FileKind.CHARACTER_DEVICE: "cd", FileKind.BLOCK_DEVICE: "bd", FileKind.SYMLINK: "ln"}[stat.kind]


def _colours(ctx: Context) -> dict[str, str]:
    text = ctx.environment.get("LS_COLORS", "") or _DEFAULT_COLOURS
    return dict(pair.split("=", 1) for pair in text.split(":") if "=" in pair)


def _coloured(shown: str, name: str, kind: str, colours: dict[str, str]) -> str:
    code = colours.get(kind, "")
    if kind == "fi":
        code = next((value for key, value in colours.items() if key.startswith("*") and name.endswith(key[1:])), code)
    if kind == "or" and not code:
        code = colours.get("ln", "")
    return f"\x1b[{code}m{shown}\x1b[0m" if code and code not in ("0", "00") else shown


def _width(text: str) -> int:
    """Columns that a text takes on a terminal, colours not counted."""
    import re

    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    return max(wcswidth(plain), 0) if not plain.isascii() else len(plain)


def _commas(cells: Sequence[str], columns: int) -> list[str]:
    result, line = [], ""
    for index, cell in enumerate(cells):
        piece = cell + ("," if index < len(cells) - 1 else "")
        if line and len(line) + 1 + len(piece) >= columns:
            result.append(line)
            line = piece
        else:
            line = f"{line} {piece}" if line else piece
    return [*result, line]


def _horizontal(cells: Sequence[str], widths: Sequence[int], columns: int) -> list[str]:
    for count in range(len(cells), 0, -1):
        spans = [max(widths[column::count]) + 2 for column in range(count)]
        if sum(spans) - 2 < columns or count == 1:
            rows = [range(start, min(start + count, len(cells))) for start in range(0, len(cells), count)]
            return [_join(cells, widths, spans, row) for row in rows]
    return []


def _join(cells: Sequence[str], widths: Sequence[int], spans: Sequence[int], row: range) -> str:
    text = ""
    for column, index in enumerate(row):
        text += cells[index] + (" " * (spans[column] - widths[index]) if index != row[-1] else "")
    return text


def entry_of(ctx: Context, path: str, name: str, stat: Stat | None) -> Entry:
    """An entry with what its link leads to; `path` is absolute."""
    if stat is None or stat.kind is not FileKind.SYMLINK:
        return Entry(name, stat)
    files = paths.tree(ctx)
    try:
        target = files.read_link(path)
    except FileError:
        target = ""
    try:
        return Entry(name, stat, target, files.stat(path))
    except FileError:
        return Entry(name, stat, target)
