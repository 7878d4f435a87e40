"""How `nvidia-smi -q` lays out a tree of labels and values.

Layout: captures of drivers 590.48.01, 595.80, 610.57 (colon in column 56), 550.90, 535.86 and 510.73 (colon in column
43, which later drivers keep within a process). Four spaces a level; a GPU's block ends with an empty line; the report
begins with one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from engine.commands.gpu._nvidia_smi.devices import Device
from engine.commands.gpu._nvidia_smi.fields import RESET_REQUIRED
from engine.commands.gpu._nvidia_smi.formats import DEPRECATED, date_line
from engine.commands.gpu._nvidia_smi.library import Versions
from engine.commands.gpu._nvidia_smi.table import NEW_NAMES_FROM
from engine.world.inventory import Inventory

OLD_COLUMN, NEW_COLUMN, NEW_COLUMN_FROM = 42, 55, 580
INDENTATION = "    "

Source = Callable[[Device], str | int | None]


_ASK_THE_FIRMWARE = (
    "Performance State",
    "Clocks Event Reasons",
    "Utilization",
    "Temperature",
    "GPU Power Readings",
    "GPU Memory Power Readings ",
    "Clocks",
)


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the report: a heading has no value. `column` is where the colon stands, if not in the usual place."""

    depth: int
    label: str
    value: str | None = None
    column: int | None = None

    def text(self, column: int) -> str:
        """The line as it is printed."""
        start = INDENTATION * self.depth + self.label
        return start if self.value is None else f"{start:<{self.column or column}}: {self.value}"


@dataclass(frozen=True, slots=True)
class Node:
    """A label with a value, or with parts below it, or with lines of its own making.

    `since` and `until` bound the driver releases that print it, `only` the GPUs; `displays` are the words of `-d` that
    ask for it, and `sampled` is printed only when they do.
    """

    label: str
    source: Source | None = None
    parts: Sequence[Node] = ()
    lines: Callable[[Device], Iterator[Line]] | None = None
    displays: frozenset[str] = field(default_factory=frozenset)
    since: int = 0
    until: int = 10_000
    sampled: bool = False
    only: Callable[[Device], bool] | None = None

    def rendered(self, device: Device, release: int, depth: int) -> Iterator[Line]:
        """The node and what is below it; where only the firmware could tell and answers no more, that."""
        unreadable = depth == 1 and self.label in _ASK_THE_FIRMWARE and device.unreadable
        for line in self._lines(device, release, depth):
            told = unreadable and line.value not in (None, "N/A")
            yield replace(line, value=RESET_REQUIRED.strip("[]")) if told else line

    def _lines(self, device: Device, release: int, depth: int) -> Iterator[Line]:
        if not self.since <= release < self.until or (self.only and not self.only(device)):
            return
        if self.lines:
            yield from self.lines(device)
        elif self.parts:
            yield Line(depth, self.label)
            for part in self.parts:
                yield from part.rendered(device, release, depth + 1)
        else:
            value = self.source(device) if self.source else None
            yield Line(depth, self.label, "N/A" if value is None else str(value))


def leaf(label: str, source: Source | None = None, displays: str = "", since: int = 0, until: int = 10_000) -> Node:
    """A label with a value."""
    return Node(label, source, displays=frozenset(displays.split()), since=since, until=until)


def group(label: str, *parts: Node, displays: str = "", since: int = 0, until: int = 10_000) -> Node:
    """A label with parts below it."""
    return Node(label, parts=parts, displays=frozenset(displays.split()), since=since, until=until)


def deprecated(_: Device) -> str:
    """The value of what is no longer given."""
    return DEPRECATED


def report_lines(
    inventory: Inventory,
    now: int,
    versions: Versions,
    tree: Sequence[Node],
    devices: Sequence[Device],
    displays: frozenset[str],
) -> Iterator[str]:
    """The whole report, or what `displays` ask for."""
    column = NEW_COLUMN if versions.release >= NEW_COLUMN_FROM else OLD_COLUMN
    yield from ("", "==============NVSMI LOG==============", "")
    for line in (*_head(inventory, now, versions), Line(0, "Attached GPUs", str(devices[0].attached))):
        yield line.text(column) if line.label else ""
    for device in devices:
        yield f"GPU {device.bus_id}"
        for node in tree:
            if node.displays & displays if displays else not node.sampled:
                for line in node.rendered(device, versions.release, 1):
                    yield line.text(column)
        yield ""


def _head(inventory: Inventory, now: int, versions: Versions) -> Iterator[Line]:
    yield Line(0, "Timestamp", date_line(inventory, now))
    renamed = versions.release >= NEW_NAMES_FROM
    note = " [Deprecated; will be removed in CUDA 14.0. Use {} Version instead]" if renamed else ""
    yield Line(0, "Driver Version", versions.kernel + note.format("KMD"))
    yield Line(0, "CUDA Version", versions.cuda + note.format("CUDA UMD"))
    if renamed:
        yield Line(0, "KMD Version", versions.kernel)
        yield Line(0, "CUDA UMD Version", versions.cuda)
    yield Line(0, "")
