"""stat of GNU coreutils 9.4. The file system keeps the time of modification; the other times are shown as that, the
birth as `-`.

Device numbers are guesses by the kind of file system: 259,2 for the root disk, anonymous numbers for /proc, /sys, /dev
and /run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.linux._support import clock, gnu, paths, words
from engine.commands.linux._support.program import program
from engine.commands.options import Option, Parsed
from engine.hostfs.tree import FileError, FileKind, Stat
from engine.kernel.units import SECOND

_DIRECTIVE = re.compile(r"%([#0\-+ I']*)(\d*)(?:\.(\d*))?([HL]?[dr]|.)", re.DOTALL)
_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "e": "\x1b",
    "\\": "\\",
    '"': '"',
}
_DEVICES = (("/proc", (0, 23)), ("/sys", (0, 22)), ("/dev", (0, 5)), ("/run", (0, 25)))
_ROOT_DEVICE = (259, 2)
_TIME = "%Y-%m-%d %H:%M:%S.%N %z"

_TOP = "  File: %N\n  Size: %-10s\tBlocks: %-10b IO Block: %-6o %F\nDevice: %Hd,%Ld\tInode: %-10i  Links: "
_BOTTOM = "Access: (%04a/%10.10A)  Uid: (%5u/%8U)   Gid: (%5g/%8G)\nAccess: %x\nModify: %y\nChange: %z\n Birth: %w\n"
_DEFAULT = _TOP + "%h\n" + _BOTTOM
_DEFAULT_DEVICE = _TOP + "%-5h Device type: %Hr,%Lr\n" + _BOTTOM
_TERSE = "%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n"


@dataclass(frozen=True, slots=True)
class _Subject:
    """A file as it was named, and what lies there."""

    name: str
    place: str
    stat: Stat


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the operands' metadata."""
    if not parsed.operands:
        raise gnu.missing_operand(ctx)
    if "file_system" in parsed:
        return ctx.not_modelled("stat of a file system (try df)")
    status = 0
    for path in parsed.operands:
        try:
            stat = paths.look(ctx, path, follow="dereference" in parsed)
        except FileError as error:
            gnu.file_error(ctx, "cannot statx", path, error)
            status = 1
            continue
        _print(ctx, parsed, _Subject(path, paths.absolute(ctx, path), stat))
    return status


def _print(ctx: Context, parsed: Parsed, subject: _Subject) -> None:
    if "printf" in parsed:
        ctx.write(_filled(ctx, subject, _unescaped(parsed["printf"]), plain=False))
    elif "format" in parsed:
        ctx.line(_filled(ctx, subject, parsed["format"], plain=False))
    elif "terse" in parsed:
        ctx.write(_filled(ctx, subject, _TERSE, plain=True))
    else:
        pattern = _DEFAULT_DEVICE if subject.stat.device else _DEFAULT
        ctx.write(_filled(ctx, subject, pattern, plain=True))


def _unescaped(text: str) -> str:
    def one(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] == "x":
            return chr(int(code[1:], 16))
        return chr(int(code, 8) & 0xFF) if code[0].isdigit() else _ESCAPES.get(code, match[0])

    return re.sub(r"\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|.)", one, text)


def _filled(ctx: Context, subject: _Subject, pattern: str, plain: bool) -> str:
    return _DIRECTIVE.sub(lambda match: _directive(ctx, subject, match, plain), pattern)


def _directive(ctx: Context, subject: _Subject, match: re.Match[str], plain: bool) -> str:
    flags, width, precision, letter = match.groups()
    value = _value(ctx, subject, letter, plain)
    if value is None:
        return "?" if letter.isalpha() else match[0]
    if letter in "WXYZ" and precision is not None:
        value += f".{subject.stat.modified % SECOND:09d}"[: int(precision or 9) + 1]
    elif precision:
        value = value[: int(precision)]
    if letter == "a" and "#" in flags:
        value = "0" + value
    if not width:
        return value
    if "-" in flags:
        return value.ljust(int(width))
    return value.rjust(int(width), "0" if "0" in flags and letter not in "nNFAUGmxyzw" else " ")


def _value(ctx: Context, subject: _Subject, letter: str, plain: bool) -> str | None:
    stat = subject.stat
    if letter in ("x", "y", "z"):
        return clock.shown(ctx, stat.modified, _TIME)
    if letter in ("U", "G"):
        return paths.owner(ctx, stat) if letter == "U" else paths.group(ctx, stat)
    if letter == "N":
        return _with_target(ctx, subject, plain)
    return _plain_values(subject).get(letter)


def _plain_values(subject: _Subject) -> dict[str, str]:
    stat, device = subject.stat, _device(subject.place)
    major, minor = stat.device or (0, 0)
    return {
        "a": f"{stat.mode:o}",
        "A": paths.mode_text(stat),
        "b": str(paths.blocks(stat) * 2),
        "B": "512",
        "d": str(device[0] << 8 | device[1]),
        "D": f"{device[0] << 8 | device[1]:x}",
        "Hd": str(device[0]),
        "Ld": str(device[1]),
        "f": f"{paths.full_mode(stat):x}",
        "F": kind(stat),
        "g": str(stat.gid),
        "h": str(stat.links),
        "i": str(stat.inode),
        "m": "/",
        "n": subject.name,
        "o": "4096",
        "r": str(major << 8 | minor),
        "Hr": str(major),
        "Lr": str(minor),
        "R": f"{major << 8 | minor:x}",
        "s": str(stat.size),
        "t": f"{major:x}",
        "T": f"{minor:x}",
        "u": str(stat.uid),
        "w": "-",
        "W": "0",
        **dict.fromkeys(("X", "Y", "Z"), str(stat.modified // SECOND)),
        "%": "%",
    }


def _device(place: str) -> tuple[int, int]:
    return next((device for start, device in _DEVICES if f"{place}/".startswith(f"{start}/")), _ROOT_DEVICE)


def kind(stat: Stat) -> str:
    """`regular file`, `directory`, ..."""
    names = {
        FileKind.DIRECTORY: "directory",
        FileKind.SYMLINK: "symbolic link",
        FileKind.CHARACTER_DEVICE: "character special file",
        FileKind.BLOCK_DEVICE: "block special file",
    }
    return names.get(stat.kind) or ("regular file" if stat.size else "regular empty file")


def _with_target(ctx: Context, subject: _Subject, plain: bool) -> str:
    quote = (lambda text: text) if plain else words.name
    if subject.stat.kind is not FileKind.SYMLINK:
        return quote(subject.name)
    return f"{quote(subject.name)} -> {quote(paths.tree(ctx).read_link(subject.place))}"


COMMAND = program(
    "stat",
    "show a file's metadata",
    run,
    synopsis="stat [OPTION]... FILE...",
    options=(
        Option("L", "dereference", help="what a link leads to"),
        Option("f", "file-system", help="the file system instead of the file"),
        Option(None, "cached", "MODE", help="ignored"),
        Option("c", "format", "FORMAT", help="print FORMAT and a newline for each file"),
        Option(None, "printf", "FORMAT", help="the same with escapes such as \\n and no newline"),
        Option("t", "terse", help="one line of numbers"),
    ),
    manual="""
    In a FORMAT: %n name, %N quoted name with a link's target, %s size, %F kind, %a and %A mode, %u %U owner, %g %G
    group, %h links, %i inode, %b blocks, %y time of modification, %Y the same in seconds since 1970, %t %T device
    numbers.
    """,
)
