"""The declaration of a test of nccl-tests."""

from __future__ import annotations

from collections.abc import Awaitable

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.nccl._tests.operations import OPERATIONS
from engine.commands.nccl._tests.process import perform
from engine.commands.nccl._tests.settings import OPTIONS

_MANUAL = """One process with eight GPUs: {name} -b 8 -e 16G -f 2 -g 8. One process for each GPU, on two nodes:
srun -N2 --ntasks-per-node=8 --gpus-per-node=8 {name} -b 1M -e 16G -f 2, or
mpirun -np 16 -H dgx-01:8,dgx-02:8 {name} -b 1M -e 16G -f 2.

Time is that of a call; algbw is size by time; busbw is what the slowest link carries, whatever the number of ranks."""


def test(operation: str, summary: str) -> Command:
    """The command that tests `operation`."""
    tested = OPERATIONS[operation]
    name = tested.program

    def run(ctx: Context) -> Awaitable[int]:
        return perform(ctx, tested)

    return Command(name, summary, run, f"{name} [OPTION]...", OPTIONS, _MANUAL.format(name=name), "/usr/local/bin")
