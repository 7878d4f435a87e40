"""chmod of GNU coreutils 9.4. Texts compared with coreutils 9.1's."""

from __future__ import annotations

import re
from collections.abc import Awaitable
from dataclasses import replace

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import gnu, paths
from engine.commands.linux._support.modes import Change, parse_mode, rights
from engine.commands.linux._support.program import program
from engine.commands.linux._support.walking import walk
from engine.commands.linux._support.words import name, word
from engine.commands.options import Option, Parsed
from engine.hostfs.tree import FileError, FileKind, Stat

_MODE_LIKE_OPTION = re.compile(r"-[rwxXstugoa,+=0-7][-rwxXstugoa,+=0-7]*")


def run(ctx: Context, parsed: Parsed) -> int:
    """Change the permission bits of the operands."""
    operands = list(parsed.operands)
    change = _change(ctx, parsed, operands)
    results = [_one(ctx, parsed, change, path) for path in operands]
    return 0 if all(results) else 1


def _change(ctx: Context, parsed: Parsed, operands: list[str]) -> Change:
    if "reference" in parsed:
        bits = paths.look(ctx, parsed["reference"]).mode
        if not operands:
            raise gnu.missing_operand(ctx)
        return lambda _bits, _directory: bits
    if not operands:
        raise gnu.missing_operand(ctx)
    text = operands.pop(0)
    if not operands:
        raise gnu.missing_operand(ctx, text)
    change = parse_mode(text.removeprefix("\0"), paths.tree(ctx).umask if hasattr(ctx.files, "umask") else 0o022)
    if change is None:
        raise gnu.refuse(ctx, f"invalid mode: {word(ctx.environment, text.removeprefix(chr(0)))}")
    return change


def _one(ctx: Context, parsed: Parsed, change: Change, path: str) -> bool:
    done = True
    for found in walk(ctx, path, recursive="recursive" in parsed, quiet="silent" in parsed):
        if found is None:
            done = False
            continue
        shown, stat = found
        if stat.kind is not FileKind.SYMLINK:
            done = _set(ctx, parsed, change, shown, stat) and done
    return done


def _set(ctx: Context, parsed: Parsed, change: Change, path: str, stat: Stat) -> bool:
    bits = change(stat.mode, stat.kind is FileKind.DIRECTORY) & 0o7777
    try:
        paths.tree(ctx).set_mode(paths.absolute(ctx, path), bits)
    except FileError as error:
        if "silent" not in parsed:
            gnu.file_error(ctx, "changing permissions of", path, error)
        return False
    if bits != stat.mode and ("verbose" in parsed or "changes" in parsed):
        ctx.line(f"mode of {name(path)} changed from {rights(stat.mode)} to {rights(bits)}")
    elif "verbose" in parsed:
        ctx.line(f"mode of {name(path)} retained as {rights(bits)}")
    return True


def _with_negative_modes(command: Command) -> Command:
    """`chmod -x f`: a mode may begin with a dash."""

    def run_marked(ctx: Context) -> int | Awaitable[int]:
        words = [f"\0{text}" if _MODE_LIKE_OPTION.fullmatch(text) else text for text in ctx.arguments]
        return command.run(replace(ctx, arguments=tuple(words)))

    return replace(command, run=run_marked)


COMMAND = _with_negative_modes(
    program(
        "chmod",
        "change permission bits",
        run,
        synopsis="chmod [OPTION]... MODE[,MODE]... FILE...",
        options=(
            Option("c", "changes", help="name what was changed"),
            Option("f", "silent", help="no error messages"),
            Option(None, "quiet", name="silent", help="the same"),
            Option("v", "verbose", help="name everything"),
            Option(None, "reference", "RFILE", help="take the mode of RFILE"),
            Option("R", "recursive", help="directories with all that is below"),
            Option(None, "preserve-root", help="refuse to work on / recursively"),
            Option(None, "no-preserve-root", help="do not (the default)"),
        ),
        manual="""
        MODE is octal (644, 1777) or clauses of who (u g o a), how (+ - =) and what (r w x X s t, or u g o): u+x,go-w.
        X means x for directories and for what somebody can execute already. Only the owner and root may change a mode.
        """,
    )
)
