"""taskset of util-linux 2.39: on which CPUs a process may run; running a program on some of them.

Format: schedutils/taskset.c. A mask is hexadecimal, a list is such as `0-3,8`. Programs of ours keep the CPUs that they
are given; the shell that asks has those of its session.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from engine.commands.context import Context
from engine.commands.linux._support.program import UTIL_LINUX, program
from engine.commands.options import Option, Parsed, UsageError
from engine.control import kernel_image
from engine.control.processes import SetAffinity, find
from engine.physics.paths.near import folded
from engine.world.records import Process

_OPTIONS = (
    Option("a", "all-tasks", help="operate on all the tasks (threads) of a process"),
    Option("p", "pid", help="operate on an existing process"),
    Option("c", "cpu-list", help="show and read lists of CPUs instead of masks"),
)
_LIST = re.compile(r"\d+(-\d+(:\d+)?)?(,\d+(-\d+(:\d+)?)?)*")
_MASK = re.compile(r"(0x)?[0-9a-fA-F]+(,[0-9a-fA-F]+)*")


async def run(ctx: Context, parsed: Parsed) -> int:
    """Show, set, or run."""
    words, listed = list(parsed.operands), "cpu_list" in parsed
    if "pid" in parsed:
        if len(words) not in (1, 2):
            raise UsageError("taskset: bad usage\nTry 'taskset --help' for more information.\n")
        return _of_process(ctx, words, listed)
    if len(words) < 2:
        raise UsageError("taskset: bad usage\nTry 'taskset --help' for more information.\n")
    cpus = _allowed(ctx, words[0], listed)
    await ctx.flush()
    return await ctx.runner.run(words[1:], replace(ctx.place, cpus=cpus))


def _of_process(ctx: Context, words: list[str], listed: bool) -> int:
    """-p: what a process may use, and what it may use from now on."""
    if not words[-1].isdigit():
        raise UsageError(f"taskset: invalid PID argument: '{words[-1]}'\n")
    pid = int(words[-1])
    wanted = _allowed(ctx, words[0], listed) if len(words) > 1 else None
    process = find(ctx.world, ctx.host, pid)
    if process is None:
        ctx.error(f"taskset: failed to get pid {pid}'s affinity: No such process")
        return 1
    _show(ctx, process, "current", listed)
    if wanted is None:
        return 0
    refusal = ctx.simulation.apply(SetAffinity(ctx.host, pid, wanted, ctx.identity.name))
    if refusal:
        ctx.error(f"taskset: failed to set pid {pid}'s affinity: {refusal}")
        return 1
    _show(ctx, replace(process, cpus=wanted), "new", listed)
    return 0


def _show(ctx: Context, process: Process, which: str, listed: bool) -> None:
    cpus = process.cpus or f"0-{_count(ctx) - 1}"
    if listed:
        ctx.line(f"pid {process.pid}'s {which} affinity list: {cpus}")
    else:
        ctx.line(f"pid {process.pid}'s {which} affinity mask: {sum(1 << cpu for cpu in _numbers(cpus)):x}")


def _allowed(ctx: Context, text: str, listed: bool) -> str:
    """The CPUs that a mask or list names, those that the host has. Raises UsageError for what is none."""
    if not (_LIST if listed else _MASK).fullmatch(text):
        raise UsageError(f"taskset: failed to parse CPU {'list' if listed else 'mask'}: {text}\n")
    if listed:
        chosen = set(_numbers(text))
    else:
        mask = int(text.removeprefix("0x").replace(",", ""), 16)
        chosen = {cpu for cpu in range(mask.bit_length()) if mask >> cpu & 1}
    there = sorted(chosen & set(range(_count(ctx))))
    if not there:
        raise UsageError("taskset: failed to set pid 0's affinity: Invalid argument\n")
    return "" if len(there) == _count(ctx) else folded(there)


def _numbers(text: str) -> Iterable[int]:
    """The CPUs of `0-3,8` or `0-31:2`."""
    for part in text.split(","):
        span, _, step = part.partition(":")
        first, _, last = span.partition("-")
        yield from range(int(first), int(last or first) + 1, max(1, int(step or 1)))


def _count(ctx: Context) -> int:
    return kernel_image.cpus(ctx.node)


COMMAND = program(
    "taskset",
    "show or change the CPU affinity of a process",
    run,
    suite=UTIL_LINUX,
    synopsis="taskset [options] [mask | cpu-list] [pid | cmd [args...]]",
    options=_OPTIONS,
    permute=False,
    manual="""
    taskset -cp PID shows on which CPUs a process may run, taskset -cp 0-55 PID changes it; taskset -c 0-55 COMMAND runs
    a command on those CPUs. Without -c, CPUs are given and shown as a hexadecimal mask.
    """,
)
