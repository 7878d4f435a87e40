"""Manual pages: made from the declarations of our commands, and from `pages.txt` for what the shell provides itself.

Laid out as groff 1.23 and man-db 2.12 do it: a header with the section, an indent of seven, option texts at fourteen.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from engine.commands.command import Command, commands_of, installed, load_command
from engine.commands.context import Context
from engine.commands.options import Option

_SECTIONS = {
    1: "User Commands",
    5: "File Formats Manual",
    7: "Miscellaneous Information Manual",
    8: "System Administration",
}
_INDENT, _DEEP = 7, 14
WIDTH = 80
_BOLD, _OFF = "\x1b[1m", "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Page:
    """A page: `options` are pairs of an option's letters and its text; `manual` has paragraphs."""

    name: str
    section: int
    summary: str
    synopsis: str
    options: tuple[tuple[str, str], ...] = ()
    manual: str = ""


def page(ctx: Context, name: str) -> Page | None:
    """The page of a command that this host has, or None."""
    if installed(ctx.inventory, ctx.host, name):
        return _of_command(load_command(name))
    return _pages_of_shell().get(name)


def pages(ctx: Context) -> Iterator[Page]:
    """Every page of this host, by name."""
    own = commands_of(ctx.inventory, ctx.host)
    for name in sorted({*own, *_pages_of_shell()}):
        found = page(ctx, name)
        if found:
            yield found


def path(found: Page) -> str:
    """Where the page lies, as man -w says."""
    return f"/usr/share/man/man{found.section}/{found.name}.{found.section}.gz"


def lines(found: Page, width: int = WIDTH, bold: bool = False) -> list[str]:
    """The page as text."""
    title = f"{found.name.upper()}({found.section})"
    centre = _SECTIONS.get(found.section, "")
    body = [_three(title, centre, title, width), ""]
    body += [_head("NAME", bold), *_filled(f"{found.name} - {found.summary}", width, _INDENT), ""]
    if found.synopsis:
        body += [_head("SYNOPSIS", bold), *_filled(found.synopsis, width, _INDENT), ""]
    body += [_head("DESCRIPTION", bold), *_description(found, width)]
    if found.options:
        body.append(_head("OPTIONS", bold))
        for letters, text in found.options:
            body += [*_option(letters, text, width, bold), ""]
    return [*body, _three("breakfix", "", title, width)]


def _of_command(command: Command) -> Page:
    options = tuple((_letters(option), option.help) for option in command.options)
    return Page(command.name, command.section, command.summary, command.synopsis, options, command.manual)


def _letters(option: Option) -> str:
    """`-n, --lines=N`."""
    value = option.argument or ""
    if option.long is None:
        return f"-{option.short}" + (f" {value}" if value else "")
    long = f"--{option.long}" + ((f"[={value}]" if option.optional else f"={value}") if value else "")
    return f"-{option.short}, {long}" if option.short else long


@cache
def _pages_of_shell() -> Mapping[str, Page]:
    text = files(__package__).joinpath("pages.txt").read_text("utf-8")
    rows = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    found = [_page_of_row(row) for row in rows]
    return MappingProxyType({each.name: each for each in found})


def _page_of_row(row: str) -> Page:
    name, section, summary, synopsis, options, manual = _cells(row)
    pairs = [part.partition(" = ") for part in options.split(";;") if part.strip()]
    return Page(name, int(section), summary, synopsis, tuple((a.strip(), b.strip()) for a, _, b in pairs), manual)


def _cells(row: str) -> list[str]:
    """Six cells; a bar without blanks on both sides belongs to the text, and so does one in the last cell."""
    cells = [cell.strip() for cell in row.split(" | ", 5)]
    last = cells[-1].removesuffix("|").strip() if row.rstrip().endswith("|") else cells[-1]
    return [*cells[:-1], last, *[""] * (5 - len(cells)), ""][:6] if len(cells) < 6 else [*cells[:-1], last]


def _three(left: str, centre: str, right: str, width: int) -> str:
    """A header or footer: left, in the middle, right."""
    start = max(len(left) + 1, (width - len(centre)) // 2)
    text = f"{left}{' ' * (start - len(left))}{centre}"
    return text + " " * max(1, width - len(text) - len(right)) + right


def _head(text: str, bold: bool) -> str:
    return f"{_BOLD}{text}{_OFF}" if bold else text


def _description(found: Page, width: int) -> list[str]:
    summary = f"{found.summary[:1].upper()}{found.summary[1:]}."
    result = [*_filled(summary, width, _INDENT), ""]
    for paragraph in found.manual.split("\n\n"):
        if paragraph.strip():
            result += [*_paragraph(paragraph, width), ""]
    return result


def _paragraph(text: str, width: int) -> Sequence[str]:
    """A paragraph is filled; lines that are indented stay as they are."""
    if text.startswith((" ", "\t")):
        return [" " * _INDENT + line for line in text.splitlines()]
    return _filled(" ".join(text.split()), width, _INDENT)


def _filled(text: str, width: int, indent: int) -> list[str]:
    blank = " " * indent
    return textwrap.wrap(text, max(width - 2, indent + 20), initial_indent=blank, subsequent_indent=blank,
                         break_long_words=False, break_on_hyphens=False) or [""]  # fmt: skip


def _option(letters: str, text: str, width: int, bold: bool) -> list[str]:
    """A short option and its text share a line."""
    shown = f"{_BOLD}{letters}{_OFF}" if bold else letters
    rest = _filled(text, width, _DEEP) if text else []
    if len(letters) < _DEEP - _INDENT and rest:
        first = " " * _INDENT + shown + " " * (_DEEP - _INDENT - len(letters)) + rest[0].lstrip()
        return [first, *rest[1:]]
    return [" " * _INDENT + shown, *rest]
