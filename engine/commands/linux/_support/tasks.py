"""Processes as procps and psmisc see them: their names, owners, ages and terminals, and their order in time."""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.context import Context
from engine.control import processes
from engine.control.accounts import accounts, group_ids
from engine.control.process_table import is_kernel_thread
from engine.kernel.units import SECOND
from engine.world.records import Process

LONGEST_NAME = 15
"""What the kernel keeps of a name (TASK_COMM_LEN without its NUL)."""


def tasks(ctx: Context) -> list[Process]:
    """Everything that runs on this host, by process id."""
    return processes.processes(ctx.world, ctx.host)


def name(process: Process) -> str:
    """The name that the kernel keeps: of a thread, or of the program, 15 characters long."""
    if is_kernel_thread(process):
        return process.command.strip("[]")[:LONGEST_NAME]
    return program(process)[:LONGEST_NAME]


def program(process: Process) -> str:
    """The program's name without its directory, however long; a login shell's without its dash."""
    if process.pid == 1:
        return "systemd"
    word = process.command.partition(" ")[0]
    return word.rstrip(":").lstrip("-").rpartition("/")[2]


def uid(ctx: Context, process: Process) -> int:
    """The number of the process's user."""
    return next((account.uid for account in accounts(ctx.inventory) if account.name == process.user), 0)


def gid(ctx: Context, process: Process) -> int:
    """The number of the process's group."""
    return next((account.gid for account in accounts(ctx.inventory) if account.name == process.user), 0)


def user_number(ctx: Context, text: str) -> int | None:
    """The uid of a name or number, or None."""
    if text.isdigit():
        return int(text)
    return next((account.uid for account in accounts(ctx.inventory) if account.name == text), None)


def group_number(ctx: Context, text: str) -> int | None:
    """The gid of a name or number, or None."""
    return int(text) if text.isdigit() else group_ids(ctx.inventory).get(text)


def age(ctx: Context, process: Process) -> int:
    """Seconds since the process began."""
    return max(0, ctx.now - process.started) // SECOND


def newest(found: Sequence[Process]) -> Process:
    """The process that began last; of several at one moment the one with the highest id."""
    return max(found, key=lambda process: (process.started, process.pid))


def oldest(found: Sequence[Process]) -> Process:
    """The process that began first; of several at one moment the one with the lowest id."""
    return min(found, key=lambda process: (process.started, process.pid))


def send(ctx: Context, process: Process, signal: int) -> str | None:
    """Send a signal. Gives the kernel's refusal or None."""
    refusal: str | None = ctx.simulation.apply(processes.Kill(ctx.host, process.pid, signal, ctx.identity.name))
    return refusal
