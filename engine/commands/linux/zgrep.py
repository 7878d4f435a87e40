"""zgrep of gzip 1.12: searches packed files with grep. Texts compared with gzip 1.12.

grep itself does the work, file by file, as the real script has it.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support.gzip_files import NotPacked, found, plain
from engine.commands.options import Option, UsageError, option_lines
from engine.commands.streams import BytesInput
from engine.hostfs.tree import FileError

_WITH_VALUE = "ABCDefm"
_LONG_WITH_VALUE = ("--regexp", "--file", "--max-count", "--after-context", "--before-context", "--context")
_REFUSED = {"-r", "-R", "--recursive", "--dereference-recursive", "-d", "--directories", "-Z", "--null", "-z",
            "--null-data", "--include", "--exclude"}  # fmt: skip
_WRONG = 2
_OPTIONS = (
    Option("i", "ignore-case", help="capitals are the same as small letters"),
    Option("v", "invert-match", help="lines that do not match"),
    Option("c", "count", help="only how many lines match"),
    Option("n", "line-number", help="with line numbers"),
    Option("l", "files-with-matches", help="only names of files"),
    Option("h", "no-filename", help="without names of files"),
    Option("H", "with-filename", help="with names of files"),
    Option("e", "regexp", "PATTERN", help="one more pattern"),
    Option("E", "extended-regexp", help="extended expressions"),
    Option("F", "fixed-strings", help="plain text"),
    Option(None, "help", help="print this text"),
    Option("V", "version", help="print the version"),
)


async def run(ctx: Context) -> int:
    """Search every file. Status 0 if something matched, 1 if nothing did, 2 after an error."""
    if "--help" in ctx.arguments:
        ctx.write("\n".join(["Usage: zgrep [OPTION]... [-e] PATTERN [FILE]...", "", *option_lines(_OPTIONS), ""]))
        return 0
    if {"--version", "-V"} & set(ctx.arguments):
        ctx.line("zgrep (gzip) 1.12")
        return 0
    options, names = _read(ctx)
    named = len(names) > 1 and not {"-h", "--no-filename"} & set(options)
    statuses = [await _search(ctx, options, name, named) for name in names or ["-"]]
    if _WRONG in statuses:
        return _WRONG
    return 0 if 0 in statuses else 1


def _read(ctx: Context) -> tuple[list[str], list[str]]:
    """grep's options with the pattern among them, and the files."""
    options: list[str] = []
    names: list[str] = []
    queue, has_pattern = list(ctx.arguments), False
    while queue:
        word = queue.pop(0)
        if word == "--":
            names += queue
            break
        if word in _REFUSED or any(word.startswith(f"{name}=") for name in _REFUSED):
            raise UsageError(f"/usr/bin/zgrep: {word.partition('=')[0]}: option not supported\n", _WRONG)
        if not word.startswith("-") or word == "-":
            names.append(word)
            continue
        options.append(word)
        takes = word in _LONG_WITH_VALUE or (not word.startswith("--") and word[-1] in _WITH_VALUE)
        if takes and queue:
            options.append(queue.pop(0))
        has_pattern |= word.startswith(("--regexp", "--file")) or (word[1] != "-" and bool(set(word) & {"e", "f"}))
    if not has_pattern:
        if not names:
            raise UsageError("/usr/bin/zgrep: 1: missing pattern; try `/usr/bin/zgrep --help' for help\n", _WRONG)
        options += ["-e", names.pop(0)]
    return options, names


async def _search(ctx: Context, options: list[str], name: str, named: bool) -> int:
    try:
        data = plain(await ctx.stdin.read() if name == "-" else found(ctx, name))
    except FileError as error:
        ctx.error(f"gzip: {error.path or name}: {error.text}")
        return _WRONG
    except NotPacked as error:
        ctx.error(f"\ngzip: {name}: {error}")
        return _WRONG
    label = [f"--label={'(standard input)' if name == '-' else name}", *(["-H"] if named else [])]
    await ctx.flush()
    return await ctx.runner.run(["grep", *label, *options], ctx.place, stdin=BytesInput(data))


COMMAND = Command(
    "zgrep",
    "search packed files",
    run,
    "zgrep [OPTION]... [-e] PATTERN [FILE]...",
    _OPTIONS,
    "Searches packed and plain files alike: zgrep Xid /var/log/kern.log*",
)
