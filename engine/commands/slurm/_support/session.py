"""A run of scontrol: its flags, its exit status, and how it reports what went wrong.

Source: SchedMD/slurm 24.11 src/scontrol/scontrol.c. Words may be shortened: a word stands for the first entry of a
table that begins with it, if it has as many letters as the entry asks for.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.slurm._support.client import error, reach
from engine.control.slurm.errors import SlurmError

QUIET, VERBOSE = 1, -1


@dataclass(slots=True)
class Session:
    """What was said so far, and the exit status that comes of it."""

    ctx: Context
    every: bool = False
    detail: bool = False
    one_line: bool = False
    quiet: int = 0
    status: int = 0
    finished: bool = False

    def refuse(self, text: str) -> None:
        """Say what is wrong with the line."""
        self.ctx.error(text)
        self.status = 1

    def error(self, text: str) -> None:
        """The same in the tool's name: `scontrol: error: ...`."""
        error(self.ctx, text)
        self.status = 1

    def complain(self, text: str) -> None:
        """Say what is wrong, unless it is to be quiet."""
        if self.quiet != QUIET:
            self.ctx.error(text)
        self.status = 1

    def failed(self, what: str, why: SlurmError | str) -> None:
        """A request failed: `slurm_update error: Invalid user id`."""
        self.complain(f"{what}: {why.text if isinstance(why, SlurmError) else why}")

    def gap(self, what: str) -> None:
        """Say that the simulator lacks `what`."""
        self.status = self.ctx.not_modelled(what)

    def reached(self, what: str) -> bool:
        """Whether slurmctld answers; if not, `what` is reported to have failed."""
        refused = reach(self.ctx)
        if refused:
            self.failed(what, refused)
        return refused is None


def stands_for(word: str, name: str, least: int) -> bool:
    """Whether `word`, at least `least` letters long, begins `name`."""
    return len(word) >= least and name.lower().startswith(word.lower())


def split(argument: str) -> tuple[str, str | None]:
    """(tag, value) of `tag=value`; value None without `=`."""
    tag, equals, value = argument.partition("=")
    return tag, value if equals else None
