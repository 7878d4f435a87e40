"""The summary that `nvidia-smi` prints without arguments: GPUs, then their processes.

Layout: captures of drivers 590.48.01 (H100, GB200), 595.80, 610.57 and 570.158 for the 91-column box of 550 and later,
550.90 for its first form (an empty line of spaces, process ids further left); 535.104, 535.183 and 545.23 for the
89-column box; 460.32 and 510.47 for the 79-column one.
From 580 on the line below the versions begins with `+`, before with `|`; 610 calls the versions KMD and CUDA UMD. How a
long process name is cut, and with which release between 550 and 570 the first form ends, are guesses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engine.commands.gpu._nvidia_smi.devices import Device, instance_ids, process_name
from engine.commands.gpu._nvidia_smi.formats import date_line, whole_watts
from engine.commands.gpu._nvidia_smi.library import Versions
from engine.commands.gpu._nvidia_smi.table_mig import mig_lines
from engine.control.mig.profiles import profiles
from engine.world.inventory import Inventory
from engine.world.records import Process

WIDE_FROM, WIDER_FROM, SECOND_WIDE_FROM, PLUS_FROM, NEW_NAMES_FROM = 530, 550, 560, 580, 610

_MODES = {"Default": "Default", "Exclusive_Process": "E. Process", "Exclusive_Thread": "E. Thread"}


@dataclass(frozen=True, slots=True)
class Layout:
    """The widths of a box: its three cells, the GPU name, and the head lines."""

    cells: tuple[int, int, int]
    name: int
    head: tuple[str, str]
    process_name: int
    process_head: tuple[str, str]
    pid: int
    empty: str = ""

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
    17,
)

FIRST_WIDE = replace(
    WIDE,
    process_name=42,
    process_head=(
        "|  GPU   GI   CI        PID   Type   Process name                              GPU Memory |",
        "|        ID   ID                                                               Usage      |",
    ),
    pid=11,
    empty=" " * 89,
)

BEFORE_550 = replace(
    FIRST_WIDE,
    cells=(41, 22, 22),
    head=(
        "| GPU  Name                 Persistence-M | Bus-Id        Disp.A | Volatile Uncorr. ECC |",
        "| Fan  Temp   Perf          Pwr:Usage/Cap |         Memory-Usage | GPU-Util  Compute M. |",
    ),
    process_name=40,
    process_head=(
        "|  GPU   GI   CI        PID   Type   Process name                            GPU Memory |",
        "|        ID   ID                                                             Usage      |",
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
    11,
    " " * 79,
)


def layout_of(release: int) -> Layout:
    """The layout of a driver release."""
    if release < WIDE_FROM:
        return NARROW
    if release < WIDER_FROM:
        return BEFORE_550
    return FIRST_WIDE if release < SECOND_WIDE_FROM else WIDE


def summary_lines(inventory: Inventory, now: int, versions: Versions, devices: Sequence[Device]) -> Iterator[str]:
    """Every line of the summary."""
    layout = layout_of(versions.release)
    yield f"{date_line(inventory, now)}       "
    yield layout.whole()
    yield _version_line(versions)
    yield layout.rule(first="+" if versions.release >= PLUS_FROM else "|")
    yield from layout.head
    yield "|" + " " * layout.cells[0] + "|" + " " * layout.cells[1] + "|" + f"{'MIG M. |':>23}"
    yield layout.rule("=", "|", "|")
    for device in devices:
        yield from _gpu_rows(layout, device)
    if any(device.state.mig_enabled for device in devices):
        yield ""
        yield from mig_lines(devices, versions.release)
    yield layout.empty
    yield from _process_box(layout, devices)


def _version_line(versions: Versions) -> str:
    tool, kernel, cuda = versions.library, versions.kernel, versions.cuda
    if versions.release < WIDE_FROM:
        return f"| NVIDIA-SMI {tool:<12} Driver Version: {kernel:<12} CUDA Version: {cuda:<8} |"
    if versions.release < WIDER_FROM:
        return f"| NVIDIA-SMI {tool:<22} Driver Version: {kernel:<12} CUDA Version: {cuda:<8} |"
    if versions.release >= NEW_NAMES_FROM:
        return f"| NVIDIA-SMI {tool:<22} KMD Version: {kernel:<13} CUDA UMD Version: {cuda:<8} |"
    return f"| NVIDIA-SMI {tool:<22} Driver Version: {kernel:<14} CUDA Version: {cuda:<8} |"


def cut(name: str, width: int) -> str:
    """A product name that is too long ends in dots."""
    return name if len(name) <= width else name[: width - 3] + "..."


def _gpu_rows(layout: Layout, device: Device) -> Iterator[str]:
    first, second, third = _narrow_cells(device) if layout is NARROW else _wide_cells(layout, device)
    yield f"|{first[0]}|{first[1]}|{first[2]}|"
    yield f"|{second[0]}|{second[1]}|{second[2]}|"
    yield f"|{third[0]}|{third[1]}|{third[2]}|"
    yield layout.rule()


_UNREADABLE = "ERR!"

Cells = tuple[tuple[str, str, str], tuple[str, str, str], tuple[str, str, str]]


def _wide_cells(layout: Layout, device: Device) -> Cells:
    middle = layout.cells[1]
    name, persistence = cut(device.product.name, WIDE.name), "On" if device.state.persistence else "Off"
    heat, state, draw, limit = _readings(device)
    used, total = f"{device.memory_used}MiB", f"{device.product.memory_total}MiB"
    return (
        (
            f" {device.index:>3}  {name:<27}    {persistence:<3} ",
            f"{device.bus_id:>{middle - 5}} Off ",
            f"{_uncorrected(device):>21} ",
        ),
        (
            f" N/A{heat:>6}{state:<9}{draw:>{25 - middle // 2}} / {limit:>{middle // 2 - 7}} ",
            f"{used:>{middle // 2 - 1}} / {total:>{middle // 2 - 3}} ",
            f"{_busy(device):>8}{_mode(device):>13} ",
        ),
        (" " * 41, " " * middle, f"{_mig(device):>21} "),
    )


def _readings(device: Device) -> tuple[str, str, str, str]:
    """Temperature, performance state with the blanks before it, power draw and limit; of a GPU whose firmware answers
    no more, as a transcript has them.
    """
    if device.unreadable:
        return _UNREADABLE, f"  {_UNREADABLE}", "N/A", "N/A"
    return (
        f"{device.temperature}C",
        "    P0",
        f"{whole_watts(device.power)}W",
        f"{whole_watts(device.state.power_limit)}W",
    )


def _narrow_cells(device: Device) -> Cells:
    name, persistence = cut(device.product.name, NARROW.name), "On" if device.state.persistence else "Off"
    heat, state, draw, limit = _readings(device)
    used, total = f"{device.memory_used}MiB", f"{device.product.memory_total}MiB"
    return (
        (
            f" {device.index:>3}  {name:<18}  {persistence:<3}  ",
            f" {device.bus_id} Off ",
            f"{_uncorrected(device):>21} ",
        ),
        (
            f" N/A{heat:>6}{state:<6}{draw:>7} / {limit:>4} ",
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
    busy = None if device.unreadable else device.busy(device.load.sm)
    return "N/A" if busy is None else f"{busy}%"


def _mode(device: Device) -> str:
    return _MODES.get(device.state.compute_mode, device.state.compute_mode)


def _mig(device: Device) -> str:
    state = device.state
    if not profiles(device.product):
        return "N/A"
    return ("Enabled" if state.mig_enabled else "Disabled") + ("*" if state.mig_enabled != state.mig_pending else "")


def _process_box(layout: Layout, devices: Sequence[Device]) -> Iterator[str]:
    yield layout.whole()
    yield "| Processes:" + " " * (layout.width - 11) + "|"
    yield from layout.process_head
    yield layout.whole("=", "|")
    rows = [
        _process_row(layout, device, process, mebibytes)
        for device in devices
        for process, mebibytes in device.processes
    ]
    yield from rows or ["|" + f"{'  No running processes found':<{layout.width}}" + "|"]
    yield layout.whole()


def _process_row(layout: Layout, device: Device, process: Process, mebibytes: int) -> str:
    name = process_name(process)
    shown = name if len(name) <= layout.process_name else "..." + name[-(layout.process_name - 3) :]
    instance, compute = instance_ids(process)
    ids = f"{instance:>5}{compute:>5} " if process.instance else f"{instance:>6}{compute:>5}"
    left = f"|  {device.index:>3}{ids}{process.pid:>{layout.pid - 1}}{'C':>7}   {shown}"
    return left + f"{f'{mebibytes}MiB':>{layout.width - len(left)}} |"
