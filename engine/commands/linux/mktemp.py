"""mktemp of GNU coreutils 9.4, with names from the simulation's chance. Texts compared with coreutils 9.1's."""

from __future__ import annotations

import re

from engine.commands.context import Context
from engine.commands.linux._support import gnu, paths
from engine.commands.linux._support.program import program
from engine.commands.linux._support.words import name, word
from engine.commands.options import Option, Parsed, UsageError
from engine.control.chance import fresh_stream
from engine.hostfs.tree import FileError

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_ATTEMPTS = 100


def run(ctx: Context, parsed: Parsed) -> int:
    """Create the file or directory and print its name."""
    if len(parsed.operands) > 1:
        raise gnu.refuse(ctx, "too many templates")
    template = _template(ctx, parsed)
    path = _fresh(ctx, template)
    if "dry_run" not in parsed:
        try:
            _create(ctx, path, "directory" in parsed)
        except FileError as error:
            if "quiet" not in parsed:
                kind = "directory" if "directory" in parsed else "file"
                shown = word(ctx.environment, "".join(template))
                ctx.error(f"mktemp: failed to create {kind} via template {shown}: {error.text}")
            return 1
    ctx.line(path)
    return 0


def _template(ctx: Context, parsed: Parsed) -> tuple[str, str, str]:
    """What stands before the Xs, the Xs, and what follows them."""
    text = parsed.operands[0] if parsed.operands else "tmp.XXXXXXXXXX"
    suffix = parsed["suffix"] or ""
    matches = list(re.finditer("X+", text))
    if parsed["suffix"] is not None:
        if not text.endswith("X"):
            raise UsageError(f"mktemp: with --suffix, template {word(ctx.environment, text)} must end in X\n")
    elif matches:
        suffix = text[matches[-1].end() :]
        text = text[: matches[-1].end()]
    if "/" in suffix:
        raise UsageError(f"mktemp: invalid suffix {word(ctx.environment, suffix)}, contains directory separator\n")
    count = len(text) - len(text.rstrip("X"))
    if count < 3:
        raise UsageError(f"mktemp: too few X's in template {word(ctx.environment, text + suffix)}\n")
    return _directory(ctx, parsed) + text[:-count], "X" * count, suffix


def _directory(ctx: Context, parsed: Parsed) -> str:
    chosen = "tmpdir" in parsed or "deprecated" in parsed or not parsed.operands
    if not chosen:
        return ""
    directory = parsed["tmpdir"] or ctx.environment.get("TMPDIR") or "/tmp"
    if parsed.operands and parsed.operands[0].startswith("/"):
        text = f"invalid template, {word(ctx.environment, parsed.operands[0])}; with --tmpdir, it may not be absolute"
        raise UsageError(f"mktemp: {text}\n")
    return f"{directory.rstrip('/')}/"


def _fresh(ctx: Context, template: tuple[str, str, str]) -> str:
    """A name that is not taken."""
    before, letters, after = template
    files = paths.tree(ctx)
    chance = fresh_stream(ctx.simulation, ctx.host, "mktemp")
    for _ in range(_ATTEMPTS):
        path = before + "".join(chance.choice(_LETTERS) for _ in letters) + after
        if not files.exists(paths.absolute(ctx, path)):
            return path
    raise UsageError(f"mktemp: failed to find a free name like {name(before + letters + after)}\n")


def _create(ctx: Context, path: str, directory: bool) -> None:
    files, place = paths.tree(ctx), paths.absolute(ctx, path)
    if directory:
        files.make_directory(place, False)
        files.set_mode(place, 0o700)
    else:
        files.write(place, b"")
        files.set_mode(place, 0o600)


COMMAND = program(
    "mktemp",
    "create a file or directory with a fresh name",
    run,
    synopsis="mktemp [OPTION]... [TEMPLATE]",
    options=(
        Option("d", "directory", help="a directory, not a file"),
        Option("u", "dry-run", help="only print a name"),
        Option("q", "quiet", help="say nothing if it fails"),
        Option(None, "suffix", "SUFF", help="put SUFF behind the name"),
        Option("p", None, "DIR", name="tmpdir", help="in DIR"),
        Option(None, "tmpdir", "DIR", optional=True, help="in DIR, or in $TMPDIR or /tmp"),
        Option("t", None, name="deprecated", help="in $TMPDIR or /tmp"),
    ),
    manual="TEMPLATE has three or more X in a row, to be replaced; if not given, tmp.XXXXXXXXXX in $TMPDIR or /tmp.",
)
