"""sysctl of procps-ng 4.0.4: shows and sets the kernel's settings through /proc/sys. Compared with procps-ng 4.0.2."""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.linux._support.patterns import PatternError, compile_pattern
from engine.commands.linux._support.program import PROCPS, program
from engine.commands.linux._support.usage import try_help
from engine.commands.options import Option, Parsed, UsageError
from engine.hostfs.tree import ErrorCode, FileError, FileKind

_ROOT = "/proc/sys"
_USUAL_FILE = "/etc/sysctl.conf"
_FOLDERS = ("/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d", "/usr/lib/sysctl.d")


def run(ctx: Context, parsed: Parsed) -> int:
    """Show the settings named, or set those with a value. Status 1 if one failed."""
    if "system" in parsed:
        return _load_system(ctx, parsed)
    if "load" in parsed:
        names = [parsed["load"] or _USUAL_FILE, *parsed.operands]
        return max(_load(ctx, parsed, name) for name in names)
    words = list(parsed.operands)
    if "all" in parsed:
        return _show_all(ctx, parsed, _below(ctx, _ROOT))
    if not words:
        if not ctx.arguments:
            from engine.commands.linux._support.usage import usage

            raise UsageError(usage(ctx), 1)
        raise try_help(ctx, "no variables specified", 1, "`'")
    status = 0
    for word in words:
        name, equals, value = word.partition("=")
        if equals:
            status |= _set(ctx, parsed, name.strip(), value.strip())
        elif "write" in parsed:
            ctx.error("sysctl: command line(0): invalid syntax, continuing...")
            status = 1
        else:
            status |= _show(ctx, parsed, name)
    return status


def _path(name: str) -> str:
    """The file of a setting: `vm.swappiness` or `vm/swappiness`."""
    first = next((sign for sign in name if sign in "./"), ".")
    return f"{_ROOT}/{name if first == '/' else name.replace('.', '/')}"


def _name(path: str) -> str:
    return path.removeprefix(f"{_ROOT}/").replace("/", ".")


def _below(ctx: Context, path: str) -> Iterator[str]:
    """The files below a directory of /proc/sys."""
    for name, stat in paths.tree(ctx).entries(path):
        below = f"{path}/{name}"
        if stat.kind is FileKind.DIRECTORY:
            yield from _below(ctx, below)
        else:
            yield below


def _show(ctx: Context, parsed: Parsed, name: str) -> int:
    path = _path(name)
    try:
        directory = paths.tree(ctx).stat(path).kind is FileKind.DIRECTORY
    except FileError:
        if "ignore" not in parsed:
            ctx.error(f"sysctl: cannot stat {path}: No such file or directory")
            return 1
        return 0
    return _show_all(ctx, parsed, _below(ctx, path)) if directory else _print(ctx, parsed, path)


def _show_all(ctx: Context, parsed: Parsed, found: Iterator[str]) -> int:
    wanted = None
    if "pattern" in parsed:
        try:
            wanted = compile_pattern(parsed["pattern"])
        except PatternError:
            raise UsageError(f"sysctl: Could not compile pattern {parsed['pattern']}\n", 1) from None
    for path in found:
        if paths.tree(ctx).stat(path).mode & 0o444 and (wanted is None or wanted.search(_name(path))):
            _print(ctx, parsed, path)
    return 0


def _print(ctx: Context, parsed: Parsed, path: str) -> int:
    name = _name(path)
    if "names" in parsed:
        ctx.line(name)
        return 0
    try:
        value = paths.tree(ctx).read(path).decode("utf-8", "replace").rstrip("\n")
    except FileError as error:
        text = "permission denied on key" if error.code is ErrorCode.PERMISSION else "reading key"
        ctx.error(f"sysctl: {text} '{name}'")
        return 1
    if "binary" in parsed:
        ctx.write(value)
    else:
        ctx.line(value if "values" in parsed else f"{name} = {value}")
    return 0


def _set(ctx: Context, parsed: Parsed, name: str, value: str) -> int:
    path, shown = _path(name), name.replace("/", ".")
    try:
        stat = paths.tree(ctx).stat(path)
        if stat.kind is FileKind.DIRECTORY or not stat.mode & 0o222:
            ctx.error(f'sysctl: setting key "{shown}": Invalid argument')
            return 0
        if "dry-run" not in parsed:
            paths.tree(ctx).write(path, value.encode() + b"\n")
    except FileError as error:
        return _refuse(ctx, parsed, shown, path, error)
    if "quiet" not in parsed:
        ctx.line(name if "names" in parsed else value if "values" in parsed else f"{shown} = {value}")
    return 0


def _refuse(ctx: Context, parsed: Parsed, name: str, path: str, error: FileError) -> int:
    if error.code is ErrorCode.NOT_FOUND:
        if "ignore" in parsed:
            return 0
        ctx.error(f"sysctl: cannot stat {path}: No such file or directory")
    elif error.code in (ErrorCode.PERMISSION, ErrorCode.NOT_PERMITTED):
        ctx.error(f'sysctl: permission denied on key "{name}"')
    else:
        ctx.error(f'sysctl: setting key "{name}": {error.text}')
    return 1


def _load_system(ctx: Context, parsed: Parsed) -> int:
    found: dict[str, str] = {}
    for folder in _FOLDERS:
        if paths.tree(ctx).exists(folder):
            for name, _ in paths.tree(ctx).entries(folder):
                if name.endswith(".conf"):
                    found.setdefault(name, f"{folder}/{name}")
    files = [found[name] for name in sorted(found)]
    files += [_USUAL_FILE] if paths.tree(ctx).exists(_USUAL_FILE) else []
    for path in files:
        if "quiet" not in parsed:
            ctx.line(f"* Applying {path} ...")
    return max([0, *(_load(ctx, parsed, path) for path in files)])


def _load(ctx: Context, parsed: Parsed, path: str) -> int:
    """Set what a file says, line by line."""
    try:
        text = paths.read(ctx, path).decode("utf-8", "replace")
    except FileError as error:
        ctx.error(f'sysctl: cannot open "{path}": {error.text}')
        return 1
    status = 0
    for number, line in enumerate(text.splitlines(), 1):
        plain = line.strip()
        if not plain or plain[0] in "#;":
            continue
        name, equals, value = plain.partition("=")
        if not equals:
            ctx.error(f"sysctl: {path}({number}): invalid syntax, continuing...")
            continue
        refused = _set(ctx, parsed, name.strip().removeprefix("-"), value.strip())
        status |= 0 if name.startswith("-") else refused
    return status


COMMAND = program(
    "sysctl",
    "show and set the kernel's settings",
    run,
    suite=PROCPS,
    section=8,
    path="/usr/sbin",
    synopsis="sysctl [OPTION]... [NAME[=VALUE]]...",
    options=(
        Option("a", "all", help="show all"),
        Option("A", None, name="all", help="the same"),
        Option("X", None, name="all", help="the same"),
        Option(None, "deprecated", help="deprecated ones too"),
        Option(None, "dry-run", name="dry-run", help="do not write"),
        Option("b", "binary", help="values without newlines"),
        Option("e", "ignore", help="no complaints about unknown names"),
        Option("N", "names", help="only names"),
        Option("n", "values", help="only values"),
        Option("p", "load", "FILE", optional=True, help="set what FILE says, /etc/sysctl.conf if not given"),
        Option("f", None, "FILE", optional=True, name="load", help="the same"),
        Option(None, "system", help="set what all of the system's files say"),
        Option("r", "pattern", "EXPRESSION", help="with -a, only names that match"),
        Option("q", "quiet", help="do not show what was set"),
        Option("w", "write", help="words must be NAME=VALUE"),
        Option("o", None, name="ignored", help="ignored"),
        Option("x", None, name="ignored", help="ignored"),
        Option("d", None, name="help", help="print this text"),
    ),
    manual="""
    Settings are the files below /proc/sys; dots and slashes mean the same in their names. Only root may set them, and
    they last until the next boot: put them into a file in /etc/sysctl.d to keep them.
    """,
)
