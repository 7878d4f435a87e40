"""tee of GNU coreutils 9.4: passes lines on as they come; files get what came whenever simulated time moves on, and at
the end.
"""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.linux._support.program import program
from engine.commands.options import Option, Parsed
from engine.hostfs.tree import ErrorCode, FileError

_BUFFER = 64 * 1024


async def run(ctx: Context, parsed: Parsed) -> int:
    """Copy standard input to standard output and to each file."""
    copies = [_Copy(ctx, name, "append" in parsed) for name in parsed.operands]
    status = 0 if all([copy.open() for copy in copies]) else 1
    try:
        async for line in ctx.stdin.lines():
            ctx.write(line)
            for copy in copies:
                copy.take(line)
            await ctx.stdout.flush()
    finally:
        done = [copy.save() for copy in copies]
    return status if all(done) else 1


class _Copy:
    """A file that is being written."""

    def __init__(self, ctx: Context, name: str, append: bool) -> None:
        self.ctx, self.name, self.append = ctx, name, append
        self.place = paths.absolute(ctx, name)
        self.usable = True
        self.waiting = bytearray()
        self.since = ctx.now

    def open(self) -> bool:
        """Empty the file, or create it."""
        try:
            if self.name.endswith("/"):
                raise FileError(ErrorCode.IS_DIRECTORY, self.name)
            if self.append:
                paths.tree(self.ctx).append(self.place, b"")
            else:
                paths.tree(self.ctx).write(self.place, b"")
        except FileError as error:
            self._complain(error)
        return self.usable

    def take(self, data: bytes) -> None:
        """Keep `data`; write when time has moved on or much has come."""
        if self.ctx.now != self.since or len(self.waiting) > _BUFFER:
            self.save()
        self.since = self.ctx.now
        self.waiting += data

    def save(self) -> bool:
        """Write what waits."""
        if self.usable and self.waiting:
            try:
                paths.tree(self.ctx).append(self.place, bytes(self.waiting))
            except FileError as error:
                self._complain(error)
        self.waiting.clear()
        return self.usable

    def _complain(self, error: FileError) -> None:
        self.ctx.error(f"tee: {self.name}: {error.text}")
        self.usable = False


COMMAND = program(
    "tee",
    "copy standard input to files and to standard output",
    run,
    synopsis="tee [OPTION]... [FILE]...",
    options=(
        Option("a", "append", help="add to the files"),
        Option("i", "ignore-interrupts", help="ignored"),
        Option("p", None, name="pipe", help="ignored"),
        Option(None, "output-error", "MODE", optional=True, help="ignored"),
    ),
    manual="A command such as `COMMAND | sudo tee FILE` writes what a redirection by an ordinary user could not.",
)
