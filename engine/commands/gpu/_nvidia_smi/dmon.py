"""`nvidia-smi dmon`: a line for each GPU and sample. Columns: captures of drivers 570 to 610; see monitor.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi import reasons
from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.fields_errors import uncorrected_sram
from engine.commands.gpu._nvidia_smi.formats import whole_watts
from engine.commands.gpu._nvidia_smi.monitor import Column, cells, heads, monitor
from engine.kernel.units import SECOND
from engine.physics import thermal

_THERMAL = reasons.SOFTWARE_THERMAL.bit | reasons.HARDWARE_THERMAL.bit


def _capped(device: Device) -> int:
    """Percent of the last second that the power limit held the clocks back."""
    bit = reasons.POWER_CAP.bit
    now = thermal.reason_time(device.world, device.gpu.id, bit, device.now)
    before = thermal.reason_time(device.world, device.gpu.id, bit, device.now - SECOND)
    return (now - before) * 100 // SECOND


def _corrected(device: Device) -> int:
    return device.state.aggregate.sram_corrected + device.state.aggregate.dram_corrected


def _uncorrected(device: Device) -> int:
    return uncorrected_sram(device.state.aggregate) + device.state.aggregate.dram_uncorrected


def _engine(name: str) -> Column[Device]:
    """A video or image engine; nothing in the model uses them."""
    return Column(name, "%", lambda d: d.busy(0))


GROUPS: Mapping[str, tuple[Column[Device], ...]] = MappingProxyType(
    {
        "p": (
            Column("pwr", "W", lambda d: whole_watts(d.power)),
            Column("gtemp", "C", lambda d: d.temperature),
            Column("mtemp", "C", lambda d: d.memory_temperature),
        ),
        "u": (
            Column("sm", "%", lambda d: d.busy(d.load.sm)),
            Column("mem", "%", lambda d: d.busy(d.load.memory_busy)),
            *(_engine(name) for name in ("enc", "dec", "jpg", "ofa")),
        ),
        "c": (
            Column("mclk", "MHz", lambda d: d.product.clock_memory),
            Column("pclk", "MHz", lambda d: d.sm_clock),
        ),
        "v": (
            Column("pviol", "%", _capped),
            Column("tviol", "bool", lambda d: int(bool(d.reasons & _THERMAL))),
        ),
        "m": (
            Column("fb", "MB", lambda d: d.memory_used),
            Column("bar1", "MB", lambda d: d.bar1_used),
            Column("ccpm", "MB", lambda d: 0),
        ),
        "e": (
            Column("sbecc", "errs", _corrected),
            Column("dbecc", "errs", _uncorrected),
            Column("pci", "errs", lambda d: d.state.pcie_replays),
        ),
        "t": (
            Column("rxpci", "MB/s", lambda d: d.pcie_bytes[1] // 1_000_000),
            Column("txpci", "MB/s", lambda d: d.pcie_bytes[0] // 1_000_000),
        ),
    }
)


async def dmon(context: Context, words: Sequence[str]) -> int:
    """Run `nvidia-smi dmon`."""
    return await monitor(context, "dmon", "Readings of the GPUs, sample by sample.", words, GROUPS, "puc", _rows, _head)


def _columns(letters: str) -> list[Column[Device]]:
    return [column for letter in letters for column in GROUPS[letter]]


def _head(letters: str) -> tuple[str, str]:
    names, units = heads(_columns(letters))
    return f"gpu{names} ", f"Idx{units} "


def _rows(letters: str, devices: Sequence[Device]) -> Iterator[str]:
    columns = _columns(letters)
    for device in devices:
        values = "".join(f"{'-':>7}" for _ in columns) if device.lost else cells(columns, device)
        yield f"{device.index:>3}{values} "
