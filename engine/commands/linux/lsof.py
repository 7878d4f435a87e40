"""lsof 4.95: lists open files, in a first form: directories, programs, NVIDIA's device files. Compared with 4.95.

Sockets, pipes, libraries and ordinary files of daemons are not modelled; descriptors are numbered from 3 on, a guess.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import open_files, paths, tasks
from engine.commands.linux._support.open_files import OpenFile
from engine.commands.options import Option, Parsed, UsageError, option_lines, parse
from engine.hostfs.tree import FileError, FileKind, Stat
from engine.world.records import Process

_LONGEST_COMMAND = 9
_HEADER = ("COMMAND", "PID", "USER", "  FD  ", "TYPE", "DEVICE", "SIZE/OFF", "NODE", "NAME")
_TYPES = {
    FileKind.DIRECTORY: "DIR",
    FileKind.FILE: "REG",
    FileKind.CHARACTER_DEVICE: "CHR",
    FileKind.BLOCK_DEVICE: "BLK",
    FileKind.SYMLINK: "LINK",
}
_DEVICES = {"/": "9,0", "/raid": "9,1", "/dev": "0,5"}

_OPTIONS = (
    Option("?", None, name="help", help="print this text"),
    Option("h", None, name="help", help="the same"),
    Option("a", None, name="and", help="all conditions must hold, not one"),
    Option("b", None, name="ignored", help="ignored"),
    Option("c", None, "COMMAND", name="command", help="files of commands that begin with COMMAND"),
    Option("i", None, "ADDRESS", optional=True, name="internet", help="sockets"),
    Option("l", None, name="numeric", help="user numbers, not names"),
    Option("n", None, name="ignored", help="no host names"),
    Option("P", None, name="ignored", help="no port names"),
    Option("p", None, "PID,...", name="pid", help="files of these processes"),
    Option("t", None, name="terse", help="only the process ids"),
    Option("U", None, name="sockets", help="Unix sockets"),
    Option("u", None, "USER,...", name="user", help="files of these users; ^USER: not of this one"),
    Option("v", None, name="version", help="print the version"),
    Option("w", None, name="ignored", help="no warnings"),
)
_UNMODELLED = {"internet": "-i (sockets)", "sockets": "-U (sockets)"}
Test = Callable[[Process], bool]


@dataclass(frozen=True, slots=True)
class _Row:
    process: Process
    cells: tuple[str, ...]


def run(ctx: Context) -> int:
    """List what was asked for. Status 1 if something named is not there or nobody uses it."""
    if "--help" in ctx.arguments:
        return _help(ctx)
    if any(word.startswith(("+d", "+D")) for word in ctx.arguments):
        return ctx.not_modelled("lsof +D")
    parsed = _parse(ctx)
    if "help" in parsed:
        return _help(ctx)
    if "version" in parsed:
        ctx.error("lsof version information:\n    revision: 4.95.0")
        return 0
    for key, what in _UNMODELLED.items():
        if key in parsed:
            return ctx.not_modelled(f"lsof {what}")
    tests, files, status = _tests(ctx, parsed), _files(ctx, parsed), 0
    if parsed.operands and not files:
        return 1
    rows = _rows(ctx, parsed, tests, files)
    if not rows:
        return 1
    used = {row.cells[-1] for row in rows}
    status = 0 if len(files) == len(parsed.operands) and all(path in used for path in files) else 1
    _print(ctx, parsed, rows)
    return status


def _parse(ctx: Context) -> Parsed:
    known = {option.short for option in _OPTIONS}
    for word in ctx.arguments:
        if word.startswith("-") and len(word) > 1 and word[1] not in known:
            raise UsageError(f"lsof: illegal option character: {word[1]}\n{_USAGE}")
    try:
        return parse("lsof", _OPTIONS, ctx.arguments)
    except UsageError as error:
        raise UsageError(error.text + _USAGE) from None


def _tests(ctx: Context, parsed: Parsed) -> list[Test]:
    tests: list[Test] = []
    if "pid" in parsed:
        words = [word for text in parsed.all("pid") for word in text.split(",")]
        wrong = next((word for word in words if not word.isdigit()), None)
        if wrong is not None:
            raise UsageError(f"lsof: illegal process ID: {wrong}\n{_USAGE}")
        tests.append(lambda each: str(each.pid) in words)
    if "user" in parsed:
        tests.append(_users(ctx, [word for text in parsed.all("user") for word in text.split(",")]))
    if "command" in parsed:
        starts = tuple(parsed.all("command"))
        tests.append(lambda each: tasks.name(each).startswith(starts))
    if "and" in parsed and not tests:
        raise UsageError(f"lsof: no select options to AND via -a\n{_USAGE}")
    return tests


def _users(ctx: Context, words: list[str]) -> Test:
    numbers = {word: tasks.user_number(ctx, word.removeprefix("^")) for word in words}
    wrong = next((word for word, number in numbers.items() if number is None), None)
    if wrong is not None:
        raise UsageError(f"lsof: can't get UID for {wrong}\n{_USAGE}")
    wanted = {number for word, number in numbers.items() if not word.startswith("^")}
    unwanted = {number for word, number in numbers.items() if word.startswith("^")}
    return lambda each: (uid := tasks.uid(ctx, each)) not in unwanted and (not wanted or uid in wanted)


def _files(ctx: Context, parsed: Parsed) -> list[str]:
    """The real paths of the files named; what is not there is complained about."""
    found = []
    for name in parsed.operands:
        try:
            paths.look(ctx, name)
            found.append(paths.tree(ctx).real_path(paths.absolute(ctx, name)))
        except FileError as error:
            ctx.error(f"lsof: status error on {name}: {error.text}")
    return found


def _rows(ctx: Context, parsed: Parsed, tests: Sequence[Test], files: Sequence[str]) -> list[_Row]:
    every = "and" in parsed
    rows = []
    for process in tasks.tasks(ctx):
        results = [test(process) for test in tests]
        chosen = (all(results) if every else any(results)) if tests else not files
        if not (chosen or files) or (every and not chosen):
            continue
        opened = open_files.open_files(ctx, process)
        shown = [each for each in opened if (chosen and not (every and files)) or each.path in files]
        if not open_files.visible(ctx, process):
            rows += [] if files and not chosen else _hidden(process)
        else:
            rows += [_row(ctx, parsed, process, each) for each in shown]
    return rows


def _row(ctx: Context, parsed: Parsed, process: Process, each: OpenFile) -> _Row:
    stat = _stat(ctx, each.path)
    kind = _TYPES[stat.kind] if stat else "unknown"
    device = f"{stat.device[0]},{stat.device[1]}" if stat and stat.device else _device(ctx, each.path)
    size = "0t0" if stat and stat.device and each.is_descriptor else "" if not stat or stat.device else str(stat.size)
    user = str(tasks.uid(ctx, process)) if "numeric" in parsed else process.user
    descriptor = f"{each.use:>4}" + ("u " if each.is_descriptor else "  ")
    inode = str(stat.inode) if stat else ""
    cells = (
        tasks.name(process)[:_LONGEST_COMMAND],
        str(process.pid),
        user,
        descriptor,
        kind,
        device,
        size,
        inode,
        each.path,
    )
    return _Row(process, cells)


def _hidden(process: Process) -> list[_Row]:
    """What an ordinary user sees of somebody else's process."""
    start = (tasks.name(process)[:_LONGEST_COMMAND], str(process.pid), process.user)
    links = (("cwd", "cwd"), ("rtd", "root"), ("txt", "exe"))
    rows = [
        _Row(
            process,
            (*start, f"{use:>4}  ", "unknown", "", "", "", f"/proc/{process.pid}/{link} (readlink: Permission denied)"),
        )
        for use, link in links
    ]
    closed = f"/proc/{process.pid}/fd (opendir: Permission denied)"
    return [*rows, _Row(process, (*start, "NOFD  ", "", "", "", "", closed))]


def _stat(ctx: Context, path: str) -> Stat | None:
    try:
        return paths.tree(ctx).stat(path)
    except FileError:
        return None


def _device(ctx: Context, path: str) -> str:
    """The numbers of the file system that a file is on; network file systems get theirs in the order of mounting."""
    target = open_files.mount_of(ctx, path).target
    return _DEVICES.get(target) or {"/home": "0,48", "/data": "0,49"}.get(target, "0,25")


def _print(ctx: Context, parsed: Parsed, rows: Sequence[_Row]) -> None:
    if "terse" in parsed:
        for pid in sorted({row.process.pid for row in rows}):
            ctx.line(str(pid))
        return
    everything = [_HEADER, *(row.cells for row in rows)]
    widths = [max(len(cells[index]) for cells in everything) for index in range(len(_HEADER))]
    for cells in everything:
        parts = [
            cell.rjust(width) if name != "COMMAND" else cell.ljust(width)
            for name, cell, width in zip(_HEADER[:-1], cells, widths, strict=False)
        ]
        ctx.line(" ".join([*parts, cells[-1]]))


def _help(ctx: Context) -> int:
    ctx.write("\n".join(["Usage: lsof [OPTION]... [FILE]...", "Lists open files.", "", *option_lines(_OPTIONS), ""]))
    return 0


_USAGE = """lsof 4.95.0
 usage: lsof [-ahlnPtUvw] [-c COMMAND] [-i [ADDRESS]] [-p PID,...] [-u USER,...] [FILE]...
Use the ``-h'' option to get more help information.
"""

COMMAND = Command(
    "lsof",
    "list open files",
    run,
    "lsof [OPTION]... [FILE]...",
    _OPTIONS,
    "Lists the open files of processes, or the processes that have FILE open. Several conditions are joined by or,\n"
    "with -a by and. FD is cwd, rtd (root directory), txt (program), mem (mapped) or a descriptor (u: read, write).\n\n"
    "Only root sees the files of others: as root, lsof /dev/nvidia0 shows who holds the first GPU.",
    section=8,
)
