"""`nvidia-smi pmon`: a line for each process of each GPU and sample; see monitor.py.

Layout: captures of an H100 under driver 590.48.01. A process that holds memory without working shows dashes. The
utilisation of a GPU is shared equally among the processes that work on it (a guess).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.devices import Device, process_name
from engine.commands.gpu._nvidia_smi.monitor import Column, cells, heads, monitor
from engine.physics.load import profile
from engine.world.records import Process


@dataclass(frozen=True, slots=True)
class Use:
    """A process on a GPU, and what it gets of it."""

    process: Process
    mebibytes: int
    sm: int | None
    memory_busy: int | None


def _engine(name: str) -> Column[Use]:
    """A video or image engine; nothing in the model uses them."""
    return Column(name, "%", lambda use: None)


GROUPS: Mapping[str, tuple[Column[Use], ...]] = MappingProxyType(
    {
        "u": (
            Column("sm", "%", lambda use: use.sm),
            Column("mem", "%", lambda use: use.memory_busy),
            *(_engine(name) for name in ("enc", "dec", "jpg", "ofa")),
        ),
        "m": (Column("fb", "MB", lambda use: use.mebibytes), Column("ccpm", "MB", lambda use: 0)),
    }
)


async def pmon(context: Context, words: Sequence[str]) -> int:
    """Run `nvidia-smi pmon`."""
    text = "Processes on the GPUs, sample by sample."
    return await monitor(context, "pmon", text, words, GROUPS, "u", _rows, _head)


def _columns(letters: str) -> list[Column[Use]]:
    return [column for letter in letters for column in GROUPS[letter]]


def _head(letters: str) -> tuple[str, str]:
    names, units = heads(_columns(letters))
    return f"gpu{'pid':>12}{'type':>7}{names}    command ", f"Idx{'#':>12}{'C/G':>7}{units}    name "


def _rows(letters: str, devices: Sequence[Device]) -> Iterator[str]:
    columns = _columns(letters)
    for device in devices:
        uses = [] if device.lost else _uses(device)
        if not uses:
            dashes = "".join(f"{'-':>7}" for _ in columns)
            yield f"{device.index:>3}{'-':>11}{'-':>6} {dashes[1:]}    {'-':<15}"
        for use in uses:
            name = process_name(use.process).rpartition("/")[2][:14]
            yield f"{device.index:>3}{use.process.pid:>11}{'C':>6} {cells(columns, use)[1:]}    {name:<15}"


def _uses(device: Device) -> list[Use]:
    working = [process.pid for process, _ in device.processes if profile(process.workload).sm]
    share = None if device.state.mig_enabled or not working else len(working)
    return [
        Use(
            process,
            mebibytes,
            device.load.sm // share if share and process.pid in working else None,
            device.load.memory_busy // share if share and process.pid in working else None,
        )
        for process, mebibytes in device.processes
    ]
