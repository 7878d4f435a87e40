"""nvidia-bug-report.sh: collects what NVIDIA's support asks for first, packed into nvidia-bug-report.log.gz.

Texts and the form of the report (a line of 44 underscores, `***` before what follows, the `ls` line of a file) follow
published reports of version 31831145 and older publications of the script; the order of the sections follows what a
report of a recent driver holds. Each section is a file of the host or the output of a command of the host: what
breakfix does not model stands there as an error, as from a command that failed. How long it takes is a guess.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.options import Option, Parsed, parse
from engine.commands.streams import Capture, NoInput
from engine.hostfs.tree import FileError
from engine.hostfs.views._log_files import packed
from engine.kernel.units import SECOND

_RULE = "_" * 44
_VERSION = "31831145"
_TAKES = 25 * SECOND
_FILE = "nvidia-bug-report.log"
_OPTIONS = (
    Option(None, "safe-mode", help="leave out what is known to hang on some systems"),
    Option(None, "extra-system-data", help="collect more, which may take long"),
    Option(None, "output-file", "FILE", help="write FILE.gz instead"),
    Option("h", "help", help="print this text"),
)
_FILES = (
    "/proc/driver/nvidia/version",
    "/proc/driver/nvidia/params",
    "/proc/driver/nvidia/registry",
    "/etc/os-release",
    "/etc/dgx-release",
    "/var/log/nvidia-installer.log",
    "/proc/cmdline",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/modules",
    "/proc/version",
)
_COMMANDS = (
    "lspci -nntv",
    "lspci -nn",
    "lspci -nnDvvvxxxx",
    "numactl -H",
    "dmidecode",
    "modinfo nvidia",
    "lsmod",
    "dmesg",
    "journalctl -b 0 --no-pager",
    "journalctl -b -1 --no-pager",
    "systemctl status nvidia-persistenced",
    "systemctl status nvidia-fabricmanager",
)
_LAST = ("nvidia-smi --query", "nvidia-smi nvlink --status", "nvidia-smi topo -m")
_LOGS = ("/var/log/fabricmanager.log",)


async def run(ctx: Context) -> int:
    """Collect, and write the file."""
    parsed = parse(ctx.name, _OPTIONS, ctx.arguments)
    if "help" in parsed:
        _usage(ctx)
        return 0
    if not ctx.is_root:
        ctx.line(f"ERROR: Please run {ctx.name} as root.")
        return 1
    name = f"{(parsed['output_file'] or _FILE).removesuffix('.gz')}.gz"
    target, tree = paths.absolute(ctx, name), paths.tree(ctx)
    try:
        if tree.exists(target):
            tree.write(f"{target}.old", tree.read(target))
        tree.write(target, b"")
    except FileError:
        ctx.write(_NOT_WRITABLE.format(name=name))
        return 1
    ctx.write(_START.format(name=name))
    await ctx.sleep(_TAKES)
    text = await _report(ctx, parsed)
    tree.write(target, packed(text.encode("utf-8", "surrogateescape")))
    ctx.write(f" complete.\n\n{_END.format(name=name)}")
    return 0


async def _report(ctx: Context, parsed: Parsed) -> str:
    pieces = [await _prologue(ctx)]
    tree = paths.tree(ctx)
    gpus = [f"/proc/driver/nvidia/gpus/{gpu.address}/information" for gpu in ctx.node.gpus]
    for path in (*_FILES[:1], *gpus, *_FILES[1:]):
        pieces.append(await _file(ctx, path))
    for line in (*_COMMANDS, *(() if "safe_mode" in parsed else _LAST)):
        pieces.append(f"{_RULE}\n\n{await _output(ctx, line)}\n")
    for path in _LOGS:
        if tree.exists(path):
            pieces.append(await _file(ctx, path))
    end = (await _output(ctx, "date")).strip()
    pieces.append(f"{_RULE}\n\nEnd of NVIDIA bug report log file. Date: {end}\n{_RULE}\n")
    return "".join(pieces)


async def _prologue(ctx: Context) -> str:
    date, uname = (await _output(ctx, "date")).strip(), (await _output(ctx, "uname -a")).strip()
    flags = " ".join(ctx.arguments)
    return (
        f"{_RULE}\n\n"
        "Start of NVIDIA bug report log file.  Please include this file, along\n"
        "with a detailed description of your problem, when reporting a graphics\n"
        "driver bug via the NVIDIA Linux forum (see forums.developer.nvidia.com)\n"
        "or by sending email to 'linux-bugs@nvidia.com'.\n\n"
        f"nvidia-bug-report.sh Version: {_VERSION}\n\nDate: {date}\nuname: {uname}\ncommand line flags: {flags}\n\n"
    )


async def _file(ctx: Context, path: str) -> str:
    """A file with its line of ls, or that there is none."""
    try:
        content = paths.tree(ctx).read(path).decode("utf-8", "replace")
    except FileError:
        return f"{_RULE}\n\n*** {path} does not exist\n\n"
    listed = (await _output(ctx, f"ls -lL --full-time {path}")).strip()
    return f"{_RULE}\n\n*** {path}\n*** ls: {listed}\n{content}\n"


async def _output(ctx: Context, line: str) -> str:
    """What a command prints, errors too; the real script names no command before it."""
    kept = Capture()
    await ctx.runner.script(line, ctx.place, stdin=NoInput(), stdout=kept, stderr=kept)
    return kept.text


def _usage(ctx: Context) -> None:
    ctx.line(f"\nUsage: {ctx.name} [OPTION]...\n")
    for option in _OPTIONS:
        shown = f"--{option.long}" + (f" <{option.argument.lower()}>" if option.argument else "")
        ctx.line(f"    {shown}\n        {option.help}\n")


_NOT_WRITABLE = """
ERROR: Working directory is not writable; please cd to a directory
       where you have write permission so that the {name}
       file can be written.

"""
_END = """\
Please include the '{name}' log file when reporting
your bug via the NVIDIA Linux forum (see forums.developer.nvidia.com)
or by sending email to 'linux-bugs@nvidia.com'.

By delivering '{name}' to NVIDIA, you acknowledge
and agree that personal information may inadvertently be included in
the output.  Notwithstanding the foregoing, NVIDIA will use the
output only for the purpose of investigating your reported issue.

"""
_START = (
    """
nvidia-bug-report.sh will now collect information about your
system and create the file '{name}' in the current
directory.  It may take several seconds to run.  In some
cases, it may hang trying to capture data generated dynamically
by the Linux kernel and/or the NVIDIA kernel module.  While
the bug report log file will be incomplete if this happens, it
may still contain enough data to diagnose your problem.

If nvidia-bug-report.sh hangs, consider running with the --safe-mode
and --extra-system-data command line arguments.

"""
    + _END
    + "Running nvidia-bug-report.sh..."
)

COMMAND = Command(
    "nvidia-bug-report.sh",
    "collect what NVIDIA's support needs",
    run,
    "nvidia-bug-report.sh [OPTION]...",
    _OPTIONS,
    "Needs root. Writes nvidia-bug-report.log.gz into the current directory; zcat or zgrep read it.",
)
