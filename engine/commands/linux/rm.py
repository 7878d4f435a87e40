"""rm of GNU coreutils 9.4: removes files, links themselves and (with -r) directories; refuses the root directory."""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.options import Option, option_lines, parse
from engine.hostfs.tree import ErrorCode, FileError, FileKind

_OPTIONS = (
    Option("f", "force", help="ignore what is not there, never ask"),
    Option("i", help="ask before each (not modelled: nothing is asked)"),
    Option("r", "recursive", help="directories with all they hold"),
    Option("R", name="recursive", help="the same as -r"),
    Option("d", "dir", help="empty directories"),
    Option("v", "verbose", help="say what is removed"),
    Option(None, "preserve-root", help="do not remove / (the default)"),
    Option(None, "no-preserve-root", help="treat / like any other directory"),
    Option(None, "one-file-system", help="stay on the file system of the operand"),
    Option(None, "help", help="print this text"),
    Option(None, "version", help="print the version"),
)
_TRAILER = "Try 'rm --help' for more information."


def run(ctx: Context) -> int:
    """Remove every operand. Status 1 if one could not be removed."""
    given = parse("rm", _OPTIONS, ctx.arguments, trailer=_TRAILER)
    if given["help"]:
        ctx.write("\n".join(["Usage: rm [OPTION]... [FILE]...", "", *option_lines(_OPTIONS), ""]))
        return 0
    if given["version"]:
        ctx.line("rm (GNU coreutils) 9.4")
        return 0
    if not given.operands:
        if given["force"]:
            return 0
        ctx.error("rm: missing operand")
        ctx.error(_TRAILER)
        return 1
    recursive, force = bool(given["recursive"]), bool(given["force"])
    statuses = []
    for name in given.operands:
        problem = _refusal(ctx, name, recursive, bool(given["dir"]), bool(given["no_preserve_root"]))
        problem = problem or _removed(ctx, name, recursive, force)
        if problem:
            ctx.error(f"rm: {problem}")
        elif given["verbose"]:
            ctx.line(f"removed '{name}'")
        statuses.append(bool(problem))
    return int(any(statuses))


def _refusal(ctx: Context, name: str, recursive: bool, directories: bool, whole_root: bool) -> str | None:
    """Why rm does not even try."""
    if name.rstrip("/").rpartition("/")[2] in (".", ".."):
        return f"refusing to remove '.' or '..' directory: skipping '{name}'"
    if recursive and not whole_root and paths.absolute(ctx, name) == "/":
        return "it is dangerous to operate recursively on '/'\nrm: use --no-preserve-root to override this failsafe"
    try:
        found = paths.tree(ctx).lstat(paths.absolute(ctx, name))
    except FileError:
        return None
    if found.kind is FileKind.DIRECTORY and not (recursive or directories):
        return f"cannot remove '{name}': Is a directory"
    return None


def _removed(ctx: Context, name: str, recursive: bool, force: bool) -> str | None:
    """Remove it. Returns what went wrong."""
    try:
        paths.tree(ctx).remove(paths.absolute(ctx, name), recursive)
    except FileError as error:
        if force and error.code in (ErrorCode.NOT_FOUND, ErrorCode.NOT_DIRECTORY):
            return None
        return f"cannot remove '{name}': {error.text}"
    return None


COMMAND = Command(
    "rm",
    "remove files or directories",
    run,
    synopsis="rm [OPTION]... [FILE]...",
    options=_OPTIONS,
    manual="A symbolic link is removed itself, never what it names. The root directory is refused.",
)
