"""fuser of PSmisc 23.7: which processes use a file. Texts compared with PSmisc 23.6.

File names and pids go to standard output and error in turn, as the real one does it. Sockets are not modelled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import open_files, paths, signal_words, tasks
from engine.commands.linux._support.program import PSMISC, program
from engine.commands.linux._support.usage import usage
from engine.commands.options import Option, Parsed, UsageError
from engine.hostfs.tree import FileError
from engine.world.records import Process

_HEADER = f"{'':21}USER        PID ACCESS COMMAND"
_NAME_WIDTH, _KILL = 20, 9
_LETTERS = {"cwd": "c", "txt": "e", "rtd": "r", "mem": "m"}


@dataclass(frozen=True, slots=True)
class _Use:
    """A process and how it uses a file: letters out of `cFerm`."""

    process: Process
    letters: str

    def columns(self) -> str:
        """The letters in their places, as -v shows them."""
        order = ("f", "r", "c", "e", "m")
        shown = ["F" if letter == "f" and "f" in self.letters else letter for letter in order]
        return "".join(letter if letter.lower() in self.letters else "." for letter in shown)

    def short(self) -> str:
        """The letters after a pid; that a file is open goes without saying."""
        return "".join(letter for letter in "cerm" if letter in self.letters)


async def run(ctx: Context, parsed: Parsed) -> int:
    """Show the users of every file named, and kill them if asked. Status 1 if no file has one."""
    if "list-signals" in parsed:
        return signal_words.list_signals(ctx)
    for key in ("namespace", "ipv4", "ipv6", "writeonly"):
        if key in parsed:
            return ctx.not_modelled(f"fuser --{key}")
    if not parsed.operands:
        raise UsageError("No process specification given\n" + usage(ctx))
    headed, status = False, 1
    for name in parsed.operands:
        users = _users(ctx, parsed, name)
        if users is None:
            continue
        mounted = "mount" in parsed and "verbose" in parsed
        if (users or mounted or "all" in parsed) and "silent" not in parsed:
            if "verbose" in parsed and not headed:
                ctx.error(_HEADER)
                headed = True
            await _show(ctx, parsed, name, users)
        if users or mounted:
            status = 0
            await _kill(ctx, parsed, users)
    return status


def _users(ctx: Context, parsed: Parsed, name: str) -> list[_Use] | None:
    """Who uses a file; None if there is no such file, after saying so."""
    place = paths.absolute(ctx, name)
    try:
        paths.look(ctx, name)
        real = paths.tree(ctx).real_path(place)
    except FileError as error:
        missing = error.text == "No such file or directory"
        ctx.error(f"Specified filename {name} does not exist." if missing else f"Cannot stat {name}: {error.text}")
        return None
    whole = "mount" in parsed
    target = open_files.mount_of(ctx, real).target if whole else real
    uses = []
    for process in tasks.tasks(ctx):
        if open_files.visible(ctx, process):
            letters = _letters(ctx, process, target, whole)
            if letters:
                uses.append(_Use(process, letters))
    return uses


def _letters(ctx: Context, process: Process, target: str, whole: bool) -> str:
    letters = set()
    for each in open_files.open_files(ctx, process):
        used = open_files.mount_of(ctx, each.path).target == target if whole else each.path == target
        if used and not (each.use == "rtd" and process.parent == 2):
            letters.add(_LETTERS.get(each.use, "f"))
    return "".join(sorted(letters))


async def _show(ctx: Context, parsed: Parsed, name: str, users: Sequence[_Use]) -> None:
    if "verbose" in parsed:
        await _show_table(ctx, parsed, name, users)
        return
    await _say(ctx, f"{name}:".ljust(_NAME_WIDTH + 1))
    for use in users:
        ctx.write(f" {use.process.pid:>5}")
        await ctx.flush()
        await _say(ctx, use.short() + (f"({use.process.user})" if "user" in parsed else ""))
    await _say(ctx, "\n")


async def _show_table(ctx: Context, parsed: Parsed, name: str, users: Sequence[_Use]) -> None:
    indent = " " * (_NAME_WIDTH + 1)
    head = f"{name}:"
    await _say(ctx, head.ljust(_NAME_WIDTH + 1) if len(head) <= _NAME_WIDTH else f"{head}\n{indent}")
    if "mount" in parsed:
        target = open_files.mount_of(ctx, paths.tree(ctx).real_path(paths.absolute(ctx, name))).target
        await _say(ctx, f"{'root':<8} kernel mount {target}\n" + (indent if users else ""))
    for number, use in enumerate(users):
        who = f"({use.process.user})" if "user" in parsed else ""
        await _say(ctx, f"{indent if number else ''}{use.process.user:<8} ")
        ctx.write(f"{use.process.pid:>6}")
        await ctx.flush()
        await _say(ctx, f" {use.columns()} {who}{tasks.name(use.process)}\n")
    if not users and "mount" not in parsed:
        await _say(ctx, "\n")


async def _say(ctx: Context, text: str) -> None:
    if text:
        ctx.stderr.write(text.encode())
        await ctx.flush()


async def _kill(ctx: Context, parsed: Parsed, users: Sequence[_Use]) -> None:
    if "kill" not in parsed:
        return
    signal = int(parsed["signal"]) if "signal" in parsed else _KILL
    for use in users:
        pid = use.process.pid
        if "interactive" in parsed and not await _agreed(ctx, pid):
            continue
        refusal = tasks.send(ctx, use.process, signal)
        if refusal:
            ctx.error(f"Could not kill process {pid}: {refusal}")


async def _agreed(ctx: Context, pid: int) -> bool:
    answer = await ctx.terminal.ask(f"Kill process {pid} ? (y/N) ") if ctx.terminal else None
    return (answer or "").lower().startswith("y")


_OPTIONS = (
    Option("a", "all", help="files that nobody uses too"),
    Option("c", None, name="mount", help="the same as -m"),
    Option("f", None, name="ignored", help="ignored"),
    Option("i", "interactive", help="with -k, ask before each"),
    Option("I", "inode", help="compare inodes"),
    Option("k", "kill", help="kill the processes that use the file"),
    Option("l", "list-signals", help="list the names of signals"),
    Option("m", "mount", help="whatever uses the file system that the file is on"),
    Option("M", "ismountpoint", help="only if the file is a mount point"),
    Option("n", "namespace", "SPACE", help="file, udp or tcp"),
    Option("s", "silent", help="print nothing"),
    Option(None, "signal", "SIGNAL", help="with -k, send SIGNAL, not KILL; -TERM is the same"),
    Option("u", "user", help="show users after ids"),
    Option("v", "verbose", help="a table with users, kinds of use and commands"),
    Option("w", "writeonly", help="with -k, only what may write"),
    Option("4", "ipv4", help="IPv4 sockets only"),
    Option("6", "ipv6", help="IPv6 sockets only"),
)
_STARTS = "-" + "".join(option.short or "" for option in _OPTIONS) + "V"


def _with_signal(ctx: Context) -> Context:
    signal, words = signal_words.take_signal(ctx, _STARTS)
    return ctx if signal is None else replace(ctx, arguments=(f"--signal={signal}", *words))


def _taking_signals(command: Command) -> Command:
    return replace(command, run=lambda ctx: command.run(_with_signal(ctx)))


COMMAND = _taking_signals(
    program(
        "fuser",
        "show which processes use a file",
        run,
        suite=PSMISC,
        synopsis="fuser [OPTION]... [-k [-SIGNAL]] NAME...",
        options=_OPTIONS,
        manual="""
        Prints the ids of the processes that use each file. In the table, F stands for open for writing, f for open, c
        for the current directory, e for the program that runs, m for mapped into memory, r for the root directory.

        Only root sees the files of others: as root, fuser -v /dev/nvidia* shows who holds the GPUs.
        """,
    )
)
