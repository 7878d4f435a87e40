"""zcat of gzip 1.12: prints packed files. Texts compared with gzip 1.12."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support.gzip_files import GZIP, NotPacked, found, unpacked
from engine.commands.linux._support.program import program
from engine.commands.options import Option, Parsed, UsageError
from engine.hostfs.tree import FileError


async def run(ctx: Context, parsed: Parsed) -> int:
    """Unpack every file to standard output. Status 2 for warnings, 1 for errors."""
    if "list" in parsed or "test" in parsed:
        return ctx.not_modelled(f"zcat --{'list' if 'list' in parsed else 'test'}")
    status = 0
    for name in parsed.operands or ["-"]:
        shown = "stdin" if name == "-" else name
        try:
            data = await ctx.stdin.read() if name == "-" else found(ctx, name)
            ctx.write(data if "force" in parsed and not data.startswith(b"\x1f\x8b") else unpacked(data))
        except FileError as error:
            if error.text == "Is a directory":
                ctx.error(f"gzip: {name} is a directory -- ignored")
                status = status or 2
            else:
                ctx.error(f"gzip: {error.path or name}: {error.text}")
                status = 1
        except NotPacked as error:
            ctx.error(f"\ngzip: {shown}: {error}")
            status = 1
        await ctx.flush()
    return status


def _refusing_as_gzip(command: Command) -> Command:
    """zcat is a script around gzip, whose name is in its complaints."""

    def call(ctx: Context) -> int | Awaitable[int]:
        try:
            return command.run(ctx)
        except UsageError as error:
            raise UsageError(error.text.replace("zcat: ", "gzip: ", 1), error.status) from None

    return replace(command, run=call)


COMMAND = _refusing_as_gzip(
    program(
        "zcat",
        "print packed files",
        run,
        suite=GZIP,
        synopsis="zcat [OPTION]... [FILE]...",
        options=(
            Option("f", "force", help="print what is not packed as it is"),
            Option("l", "list", help="list sizes"),
            Option("t", "test", help="only test"),
            Option("q", "quiet", help="no warnings"),
            Option("v", "verbose", help="ignored"),
            Option("d", None, name="ignored", help="ignored"),
            Option("c", None, name="ignored", help="ignored"),
        ),
        manual="Where there is no FILE, FILE.gz is meant. Old logs in /var/log are packed: zcat /var/log/syslog.2.gz",
    )
)
