"""The selective queries: `--query-gpu=...`, `--query-compute-apps=...` and their kin with `--format=csv`.

Formats: captures of all of them on an H100 under driver 590.48.01. A field that there is not is refused on standard
output, followed by an empty line (captured transcripts of 2026).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from engine.commands.context import Context
from engine.commands.gpu._nvidia_smi.devices import Device, process_name
from engine.commands.gpu._nvidia_smi.fields import Entry, Field, by_name, field, help_lines
from engine.commands.gpu._nvidia_smi.library import INVALID_ARGUMENT, Refused, refuse
from engine.commands.gpu._nvidia_smi.query_fields import ABOUT_THE_GPU, GPU_FIELDS, REMAPPED_ROW_FIELDS
from engine.kernel.units import MILLISECOND
from engine.world.records import AccountedProcess, Process

R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Query(Generic[R]):
    """One query switch: its fields and the records it lists of each GPU."""

    switch: str
    text: str
    fields: Sequence[Entry[R]]
    records: Callable[[Device], Iterator[R]]

    def help(self, release: int) -> list[str]:
        """What `--help-query-...` prints."""
        return help_lines(self.switch, self.fields, release)


@dataclass(frozen=True, slots=True)
class Format:
    """What `--format` asks for."""

    header: bool = True
    units: bool = True


@dataclass(frozen=True, slots=True)
class Use:
    """A process on a GPU, or nothing but the GPU's own columns."""

    device: Device
    process: Process
    mebibytes: int


@dataclass(frozen=True, slots=True)
class Account:
    """A process that ended on a GPU while accounting was on."""

    device: Device
    process: AccountedProcess


@dataclass(frozen=True, slots=True)
class RetiredPages:
    """The pages that a GPU retired for one cause; since Ampere none are."""

    device: Device
    cause: str


@dataclass(frozen=True, slots=True)
class ClockPair:
    """A memory clock with a graphics clock that goes with it."""

    device: Device
    memory: int
    graphics: int


CLOCK_STEP = 15
"""MHz between supported graphics clocks (data-centre GPUs since Volta)."""


def supported_graphics_clocks(device: Device) -> range:
    """From the highest to the lowest, MHz."""
    product = device.product
    return range(product.clock_graphics_max, product.clock_graphics_min - 1, -CLOCK_STEP)


def _of_device(record: Any) -> Device:
    device: Device = record.device
    return device


def _gpu_columns() -> Iterator[Field[Any]]:
    """The shared columns, for records that have a `device`."""
    for column in ABOUT_THE_GPU:
        source = column.source
        assert source is not None
        yield Field(column.names, column.text, lambda record, source=source: source(_of_device(record)))  # type: ignore[misc]


def _uses(device: Device) -> Iterator[Use]:
    return (Use(device, process, mebibytes) for process, mebibytes in device.processes)


_APPS: tuple[Entry[Use], ...] = (
    *_gpu_columns(),
    field("pid", "Process id.", lambda use: use.process.pid),
    field("process_name name", "The program, as it was started.", lambda use: process_name(use.process)),
    field("used_gpu_memory used_memory", "What the process has allocated.", lambda use: use.mebibytes, "MiB"),
)

_ACCOUNTED: tuple[Entry[Account], ...] = (
    *_gpu_columns(),
    field("vgpu_instance", "Virtual GPU of the process."),
    field("pid", "Process id.", lambda account: account.process.pid),
    field(
        "gpu_utilization gpu_util",
        "Mean utilisation over the process's life.",
        lambda account: account.process.gpu_busy,
        "%",
    ),
    field(
        "mem_utilization mem_util",
        "Mean memory utilisation over the process's life.",
        lambda account: account.process.memory_busy,
        "%",
    ),
    field(
        "max_memory_usage",
        "The most memory that it had allocated.",
        lambda account: account.process.memory_most,
        "MiB",
    ),
    field(
        "time",
        "For how long it had a compute context.",
        lambda account: (account.process.ended - account.process.started) // MILLISECOND,
        "ms",
    ),
)

_RETIRED: tuple[Entry[RetiredPages], ...] = (
    *_gpu_columns(),
    field("retired_pages.address", "Address of a retired page."),
    field("retired_pages.timestamp", "When it was retired."),
    field("retired_pages.cause", "Why: Single Bit ECC or Double Bit ECC.", lambda pages: pages.cause),
)

_CLOCKS: tuple[Entry[ClockPair], ...] = (
    *_gpu_columns(),
    field("memory mem", "A memory clock.", lambda pair: pair.memory, "MHz"),
    field("graphics gr", "A graphics clock that goes with it.", lambda pair: pair.graphics, "MHz"),
)


def _accounts(device: Device) -> Iterator[Account]:
    return (Account(device, process) for process in device.state.accounted)


def _retired(device: Device) -> Iterator[RetiredPages]:
    return (RetiredPages(device, cause) for cause in ("Single Bit ECC", "Double Bit ECC"))


def _clock_pairs(device: Device) -> Iterator[ClockPair]:
    clocks = supported_graphics_clocks(device)
    return (ClockPair(device, device.product.clock_memory, graphics) for graphics in clocks)


def _itself(device: Device) -> Iterator[Device]:
    return iter((device,))


QUERIES: dict[str, Query[Any]] = {
    query.switch.removeprefix("--"): query
    for query in (
        Query("--query-gpu", "Information about the GPUs.", GPU_FIELDS, _itself),
        Query("--query-supported-clocks", "Clocks that can be asked for.", _CLOCKS, _clock_pairs),
        Query("--query-compute-apps", "Processes that compute.", _APPS, _uses),
        Query("--query-accounted-apps", "Finished processes with their statistics.", _ACCOUNTED, _accounts),
        Query("--query-retired-pages", "Pages of memory taken out of use.", _RETIRED, _retired),
        Query("--query-remapped-rows", "Rows of memory replaced by spare ones.", REMAPPED_ROW_FIELDS, _itself),
    )
}


def parse_format(context: Context, text: str | None) -> Format:
    """What `--format=...` says. Raises Refused; the text for a wrong word is a guess."""
    if text is None:
        raise refuse(
            context, "\"--format=\" switch is missing. Please run 'nvidia-smi -h' for help.\n", INVALID_ARGUMENT
        )
    words = [word.strip() for word in text.split(",")]
    known = {"csv", "noheader", "nounits"}
    wrong = next((word for word in words if word not in known), None)
    if wrong is not None:
        raise refuse(context, f'"{wrong}" is not a valid format option.\n', INVALID_ARGUMENT)
    if "csv" not in words:
        raise refuse(
            context, "\"--format=\" needs the option csv. Please run 'nvidia-smi -h' for help.\n", INVALID_ARGUMENT
        )
    return Format("noheader" not in words, "nounits" not in words)


def parse_fields(context: Context, query: Query[R], text: str, release: int) -> list[Field[R]]:
    """The fields that were asked for, in that order. Raises Refused at the first that there is not."""
    known = by_name(query.fields, release)
    chosen = []
    for name in (word.strip() for word in text.split(",")):
        if name not in known:
            context.line(f'Field "{name}" is not a valid field to query.\n')
            raise Refused(INVALID_ARGUMENT)
        chosen.append(known[name])
    return chosen


def csv_lines(query: Query[R], chosen: Sequence[Field[R]], shape: Format, devices: Sequence[Device]) -> Iterator[str]:
    """The header, if it is wanted, and a row for each record."""
    if shape.header:
        yield ", ".join(column.heading if shape.units else column.name for column in chosen)
    for device in devices:
        for record in query.records(device):
            yield ", ".join(column.value(record, shape.units) for column in chosen)
