"""The summary that `nvidia-smi` prints without arguments: GPUs, then their processes.

Layout: captures of drivers 590.48.01 (H100, GB200), 595.80, 610.57 and 570.158 for the 91-column box of 535 and later;
460.32 and 510.47 for the 79-column one. From 580 on the line below the versions begins with `+`, before with `|`; 610
calls the versions KMD and CUDA UMD. How a long process name is cut is a guess.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.commands.gpu._nvidia_smi.devices import Device, process_name
from engine.commands.gpu._nvidia_smi.formats import date_line, whole_watts
from engine.commands.gpu._nvidia_smi.library import Versions
from engine.world.inventory import Inventory

WIDE_FROM, PLUS_FROM, NEW_NAMES_FROM = 535, 580, 610

_MODES = {"Default": "Default", "Exclusive_Process": "E. Process", "Exclusive_Thread": "E. Thread"}


@dataclass(frozen=True, slots=True)
class Layout:
    """The widths of a box: its three cells, the GPU name, and the head lines."""

    cells: tuple[int, int, int]
    name: int
    head: tuple[str, str]
    process_name: int
    process_head: tuple[str, str]

    @property
    def width(self) -> int:
        """Between the outer bars."""
        return sum(self.cells) + 2

    def rule(self, line: str = "-", first: str = "+", last: str = "+") -> str:
        """A line across the three cells."""
        return first + "+".join(line * cell for cell in self.cells) + last

    def whole(self, line: str = "-", end: str = "+") -> str:
        """A line across the box."""
        return end + line * self.width + end


WIDE = Layout(
    (41, 24, 22),
    27,
    (
        "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |",
        "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |",
    ),
    36,
    (
        "|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |",
        "|        ID   ID                                                               Usage      |",
    ),
)

NARROW = Layout(
    (31, 22, 22),
    18,
    (
        "| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |",
        "| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |",
    ),
    30,
    (
        "|  GPU   GI   CI        PID   Type   Process name                  GPU Memory |",
        "|        ID   ID                                                   Usage      |",
    ),
)


def summary_lines(inventory: Inventory, now: int, versions: Versions, devices: Sequence[Device]) -> Iterator[str]:
    """Every line of the summary."""
    layout = WIDE if versions.release >= WIDE_FROM else NARROW
    yield f"{date_line(inventory, now)}       "
    yield layout.whole()
    yield _version_line(versions)
    yield layout.rule(first="+" if versions.release >= PLUS_FROM else "|")
    yield from layout.head
    yield "|" + " " * layout.cells[0] + "|" + " " * layout.cells[1] + "|" + f"{'MIG M. |':>23}"
    yield layout.rule("=", "|", "|")
    for device in devices:
        yield from _gpu_rows(layout, device)
    yield "" if layout is WIDE else " " * (layout.width + 2)
    yield from _process_box(layout, devices)


def _version_line(versions: Versions) -> str:
    tool, kernel, cuda = versions.library, versions.kernel, versions.cuda
    if versions.release < WIDE_FROM:
        return f"| NVIDIA-SMI {tool:<12} Driver Version: {kernel:<12} CUDA Version: {cuda:<8} |"
    if versions.release >= NEW_NAMES_FROM:
        return f"| NVIDIA-SMI {tool:<22} KMD Version: {kernel:<13} CUDA UMD Version: {cuda:<8} |"
    return f"| NVIDIA-SMI {tool:<22} Driver Version: {kernel:<14} CUDA Version: {cuda:<8} |"


def cut(name: str, width: int) -> str:
    """A product name that is too long ends in dots."""
    return name if len(name) <= width else name[: width - 3] + "..."


def _gpu_rows(layout: Layout, device: Device) -> Iterator[str]:
    first, second, third = _wide_cells(device) if layout is WIDE else _narrow_cells(device)
    yield f"|{first[0]}|{first[1]}|{first[2]}|"
    yield f"|{second[0]}|{second[1]}|{second[2]}|"
    yield f"|{third[0]}|{third[1]}|{third[2]}|"
    yield layout.rule()


Cells = tuple[tuple[str, str, str], tuple[str, str, str], tuple[str, str, str]]


def _wide_cells(device: Device) -> Cells:
    name, persistence = cut(device.product.name, WIDE.name), "On" if device.state.persistence else "Off"
    draw, limit = f"{whole_watts(device.power)}W", f"{whole_watts(device.state.power_limit)}W"
    used, total = f"{device.memory_used}MiB", f"{device.product.memory_total}MiB"
    return (
        (
            f" {device.index:>3}  {name:<27}    {persistence:<3} ",
            f"   {device.bus_id} Off ",
            f"{_uncorrected(device):>21} ",
        ),
        (
            f" N/A{device.temperature:>5}C    {'P0':<5}{draw:>13} / {limit:>5} ",
            f"{used:>11} / {total:>9} ",
            f"{_busy(device):>8}{_mode(device):>13} ",
        ),
        (" " * 41, " " * 24, f"{_mig(device):>21} "),
    )


def _narrow_cells(device: Device) -> Cells:
    name, persistence = cut(device.product.name, NARROW.name), "On" if device.state.persistence else "Off"
    draw, limit = f"{whole_watts(device.power)}W", f"{whole_watts(device.state.power_limit)}W"
    used, total = f"{device.memory_used}MiB", f"{device.product.memory_total}MiB"
    return (
        (
            f" {device.index:>3}  {name:<18}  {persistence:<3}  ",
            f" {device.bus_id} Off ",
            f"{_uncorrected(device):>21} ",
        ),
        (
            f" N/A{device.temperature:>5}C    P0{draw:>7} / {limit:>4} ",
            f"{used:>10} / {total:>8} ",
            f"{_busy(device):>8}{_mode(device):>13} ",
        ),
        (" " * 31, " " * 22, f"{_mig(device):>21} "),
    )


def _uncorrected(device: Device) -> str:
    """Uncorrected errors since the driver was loaded; under MIG each device counts its own."""
    if device.state.mig_enabled:
        return "On"
    counts = device.state.volatile
    total = counts.sram_uncorrected_parity + counts.sram_uncorrected_secded + counts.dram_uncorrected
    return str(total) if device.state.ecc_enabled else "Off"


def _busy(device: Device) -> str:
    return "N/A" if device.state.mig_enabled else f"{device.load.sm}%"


def _mode(device: Device) -> str:
    return _MODES.get(device.state.compute_mode, device.state.compute_mode)


def _mig(device: Device) -> str:
    state = device.state
    return ("Enabled" if state.mig_enabled else "Disabled") + ("*" if state.mig_enabled != state.mig_pending else "")


def _process_box(layout: Layout, devices: Sequence[Device]) -> Iterator[str]:
    yield layout.whole()
    yield "| Processes:" + " " * (layout.width - 11) + "|"
    yield from layout.process_head
    yield layout.whole("=", "|")
    rows = [
        _process_row(layout, device, process.pid, process_name(process), mebibytes)
        for device in devices
        for process, mebibytes in device.processes
    ]
    yield from rows or ["|" + f"{'  No running processes found':<{layout.width}}" + "|"]
    yield layout.whole()


def _process_row(layout: Layout, device: Device, pid: int, name: str, mebibytes: int) -> str:
    pid_width = 16 if layout is WIDE else 10
    shown = name if len(name) <= layout.process_name else "..." + name[-(layout.process_name - 3) :]
    left = f"|  {device.index:>3}   N/A  N/A{pid:>{pid_width}}{'C':>7}   {shown}"
    return left + f"{f'{mebibytes}MiB':>{layout.width - len(left)}} |"
