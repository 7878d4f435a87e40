"""tar of GNU tar 1.35: keep files in an archive, list them and take them out. gzip's and xz's packing are known.

Errors and the long listing are GNU tar's. Owners are not given back when members are taken out (whoever does so owns
them), as with --no-same-owner.
"""

from __future__ import annotations

from fnmatch import fnmatchcase

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import paths, tape
from engine.commands.linux._support.clock import shown
from engine.commands.linux._support.program import Suite, program
from engine.commands.linux._support.tape import Member
from engine.commands.options import Option, Parsed, UsageError
from engine.hostfs.tree import FileError, FileKind, Stat

_TAR = Suite("tar (GNU tar) 1.35", "Try 'tar --help' or 'tar --usage' for more information.", 64, short_help=False)
_WIDTH = 19
_OPTIONS = (
    Option("c", "create", help="make an archive"),
    Option("x", "extract", help="take members out"),
    Option("t", "list", help="list the members"),
    Option("f", "file", "ARCHIVE", help="the archive, - for standard input or output"),
    Option("v", "verbose", help="name each member; with -t, at length"),
    Option("z", "gzip", help="pack in gzip's form"),
    Option("J", "xz", help="pack in xz's form"),
    Option("a", "auto-compress", help="pack as the archive's name says"),
    Option("C", "directory", "DIR", help="work in DIR"),
    Option("O", "to-stdout", help="write the content of members to standard output"),
    Option("k", "keep-old-files", help="replace no file"),
    Option("p", "preserve-permissions", help="give modes back as they are"),
    Option(None, "strip-components", "N", help="leave out N leading parts of names"),
    Option(None, "exclude", "PATTERN", help="leave out what matches"),
    Option(None, "wildcards", help="members are given as patterns"),
    Option("j", "bzip2", help="(not modelled) bzip2's form"),
    Option("r", "append", help="(not modelled) add to an archive"),
    Option("u", "update", help="(not modelled) add what is newer"),
)
_MISSING = ("bzip2", "append", "update")
_END = "tar: Exiting with failure status due to previous errors"


class _Failed(Exception):
    """It cannot go on; the lines are what tar says."""


async def run(ctx: Context, parsed: Parsed) -> int:
    """Do the one thing that was asked for. Status 2 after an error."""
    for key in _MISSING:
        if key in parsed:
            return ctx.not_modelled(f"tar --{key}")
    asked = [key for key in ("create", "extract", "list") if key in parsed]
    if len(asked) != 1:
        text = "You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option"
        if not asked:
            text = "You must specify one of the '-Acdtrux', '--delete' or '--test-label' options"
        raise UsageError(f"tar: {text}\n{_TAR.trailer}\n", 2)
    try:
        if asked == ["create"]:
            return await _create(ctx, parsed)
        found, missing = _chosen(await _members(ctx, parsed), parsed)
        for number, member in enumerate(found):
            if asked == ["list"]:
                _list(ctx, parsed, found[: number + 1])
            else:
                _take_out(ctx, parsed, member)
    except _Failed as error:
        ctx.error(str(error))
        return 2
    for name in missing:
        ctx.error(f"tar: {name}: Not found in archive")
    if missing:
        ctx.error(_END)
    return 2 if missing else 0


async def _members(ctx: Context, parsed: Parsed) -> list[Member]:
    name = parsed["file"]
    if name is None:
        raise _Failed("tar: Refusing to read archive contents from terminal (missing -f option?)\n"
                      "tar: Error is not recoverable: exiting now")  # fmt: skip
    try:
        data = await ctx.stdin.read() if name == "-" else paths.read(ctx, name)
    except FileError as error:
        word = "Cannot read" if error.text == "Is a directory" else "Cannot open"
        raise _Failed(f"tar: {name}: {word}: {error.text}\ntar: Error is not recoverable: exiting now") from None
    try:
        return tape.members(data)
    except tape.NotAnArchive:
        raise _Failed(f"tar: This does not look like a tar archive\n{_END}") from None


def _chosen(members: list[Member], parsed: Parsed) -> tuple[list[Member], list[str]]:
    """The members that were asked for, and the operands that fit none."""
    left = [member for member in members if not _excluded(member.name, parsed)]
    if not parsed.operands:
        return left, []
    fits = fnmatchcase if "wildcards" in parsed else _below
    found = [m for m in left if any(fits(m.name.rstrip("/"), name.rstrip("/")) for name in parsed.operands)]
    missing = [name for name in parsed.operands if not any(fits(m.name.rstrip("/"), name.rstrip("/")) for m in found)]
    return found, missing


def _below(name: str, asked: str) -> bool:
    return name == asked or name.startswith(f"{asked}/")


def _excluded(name: str, parsed: Parsed) -> bool:
    bare = name.rstrip("/")
    parts = bare.split("/")
    return any(
        fnmatchcase(bare, pattern) or any(fnmatchcase(part, pattern) for part in parts)
        for pattern in parsed.all("exclude")
    )


def _list(ctx: Context, parsed: Parsed, so_far: list[Member]) -> None:
    member = so_far[-1]
    if "verbose" not in parsed:
        ctx.line(member.name)
        return
    width = max(_WIDTH, *(len(f"{one.user}/{one.group} {len(one.content)}") for one in so_far))
    owner = f"{member.user}/{member.group}"
    mode = paths.mode_text(Stat(FileKind(member.kind), member.mode, 0, 0, 0, 0))
    when = shown(ctx, member.modified, "%Y-%m-%d %H:%M")
    target = f" -> {member.target}" if member.kind == "l" else ""
    ctx.line(f"{mode} {owner} {len(member.content):>{width - len(owner) - 1}} {when} {member.name}{target}")


def _take_out(ctx: Context, parsed: Parsed, member: Member) -> None:
    if "verbose" in parsed:
        ctx.line(member.name)
    if "to_stdout" in parsed:
        ctx.write(member.content)
        return
    parts = member.name.strip("/").split("/")[int(parsed["strip_components"] or 0) :]
    if not parts or ".." in parts:
        return
    name, tree = "/".join(parts), paths.tree(ctx)
    target = paths.absolute(ctx, f"{parsed['directory'] or '.'}/{name}")
    try:
        if member.kind == "d":
            tree.make_directory(target, True)
        else:
            tree.make_directory(target.rpartition("/")[0] or "/", True)
            _write(ctx, parsed, member, name, target)
    except FileError as error:
        raise _Failed(f"tar: {name}: Cannot open: {error.text}\n{_END}") from None


def _write(ctx: Context, parsed: Parsed, member: Member, name: str, target: str) -> None:
    tree = paths.tree(ctx)
    if "keep_old_files" in parsed and tree.exists(target):
        raise _Failed(f"tar: {name}: Cannot open: File exists\n{_END}")
    if member.kind == "l":
        tree.symlink(member.target, target)
        return
    tree.write(target, member.content)
    tree.set_mode(target, member.mode if ctx.is_root or "preserve_permissions" in parsed else member.mode & ~tree.umask)
    tree.set_modified(target, member.modified)


async def _create(ctx: Context, parsed: Parsed) -> int:
    name = parsed["file"] or "-"
    if not parsed.operands:
        raise UsageError(f"tar: Cowardly refusing to create an empty archive\n{_TAR.trailer}\n", 2)
    if name == "-" and ctx.terminal is not None and parsed["file"] is None:
        raise _Failed("tar: Refusing to write archive contents to terminal (missing -f option?)\n"
                      "tar: Error is not recoverable: exiting now")  # fmt: skip
    found: list[Member] = []
    failed = False
    if any(operand.startswith("/") for operand in parsed.operands):
        ctx.error("tar: Removing leading `/' from member names")
    for operand in parsed.operands:
        failed |= not _gather(ctx, parsed, operand, found)
    data = tape.packed(tape.archived(found), _form(parsed, name))
    try:
        if name == "-":
            ctx.write(data)
        else:
            paths.tree(ctx).write(paths.absolute(ctx, name), data)
    except FileError as error:
        text = f"tar: {name}: Cannot open: {error.text}\ntar: Error is not recoverable: exiting now"
        raise _Failed(text) from None
    if failed:
        ctx.error(_END)
    return 2 if failed else 0


def _form(parsed: Parsed, name: str) -> str:
    if "gzip" in parsed or ("auto_compress" in parsed and name.endswith((".gz", ".tgz"))):
        return "gzip"
    return "xz" if "xz" in parsed or ("auto_compress" in parsed and name.endswith((".xz", ".txz"))) else ""


def _gather(ctx: Context, parsed: Parsed, name: str, found: list[Member]) -> bool:
    """Take a file, or a directory with what is in it. Whether all could be read."""
    if _excluded(name, parsed):
        return True
    tree, place = paths.tree(ctx), paths.absolute(ctx, f"{parsed['directory'] or '.'}/{name}")
    place = paths.absolute(ctx, name) if name.startswith("/") else place
    try:
        stat = tree.lstat(place)
        folder = stat.kind is FileKind.DIRECTORY
        content = tree.read(place) if stat.kind is FileKind.FILE else b""
        target = tree.read_link(place) if stat.kind is FileKind.SYMLINK else ""
        inside = [entry for entry, _ in tree.entries(place)] if folder else []
    except FileError as error:
        word = "Cannot stat" if error.text == "No such file or directory" else "Cannot open"
        ctx.error(f"tar: {name}: {word}: {error.text}")
        return False
    kept = name.strip("/") + ("/" if folder else "")
    kind = stat.kind.value if stat.kind.value in "dl" else "-"
    who = {"uid": stat.uid, "gid": stat.gid, "user": paths.owner(ctx, stat), "group": paths.group(ctx, stat)}
    found.append(Member(kept, kind, stat.mode, stat.modified, content, target, **who))  # type: ignore[arg-type]
    if "verbose" in parsed:
        ctx.line(name.rstrip("/") + ("/" if folder else ""))
    return all([_gather(ctx, parsed, paths.join(name, entry), found) for entry in inside])


def _old_style(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """`tar czf x.tgz dir`: the first word holds letters, whose arguments follow in their order."""
    if not arguments or arguments[0].startswith("-"):
        return arguments
    letters, rest, words = arguments[0], list(arguments[1:]), []
    for letter in letters:
        words.append(f"-{letter}")
        if letter in "fC" and rest:
            words.append(rest.pop(0))
    return (*words, *rest)


_PROGRAM = program(
    "tar",
    "keep files in an archive",
    run,
    suite=_TAR,
    synopsis="tar [OPTION...] [FILE]...",
    options=_OPTIONS,
    manual="tar tf ARCHIVE lists what an archive holds; tar xOf ARCHIVE MEMBER prints a member.",
)


async def _run(ctx: Context) -> int:
    ctx.arguments = _old_style(ctx.arguments)
    ended = _PROGRAM.run(ctx)
    return ended if isinstance(ended, int) else await ended


COMMAND = Command("tar", _PROGRAM.summary, _run, _PROGRAM.synopsis, _PROGRAM.options, _PROGRAM.manual)
