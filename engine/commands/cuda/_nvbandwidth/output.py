"""What nvbandwidth prints, as text or as JSON (source of nvbandwidth 0.8: output.cpp, inline_common.h, json_output.cpp;
text compared with captures of 0.8 on A6000 and H20, NVIDIA/nvbandwidth#50 and #48).

JSON comes at the end, as jsoncpp's StreamWriterBuilder writes it: sorted names, tabs, one value a line. Its quirks are
the program's: a test case with three matrices has their rows in one list, under the last one's description and sum.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

VERSION = GIT_VERSION = "v0.8"
NOTE = (
    "NOTE: The reported results may not reflect the full capabilities of the platform.\n"
    "Performance can vary with software drivers, hardware clocks, and system topology.\n\n"
)
RUNNING, WAIVED, ERROR = "Running", "Waived", "ERROR"
Write = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Figures by row and column (None: not measured), under the name that its sum is shown with."""

    name: str
    rows: Sequence[Sequence[float | None]]
    latency: bool = False

    @property
    def figures(self) -> list[float]:
        """All of them, zero where nothing was measured."""
        return [value or 0.0 for row in self.rows for value in row]

    @property
    def average(self) -> float:
        """Of those above zero, as the program counts."""
        counted = sum(value > 0 for value in self.figures)
        return sum(self.figures) / counted if counted else 0.0


@dataclass(slots=True)
class Text:
    """Plain text, as it comes."""

    write: Write
    verbose: bool = False
    performance: bool = False

    def version(self) -> None:
        """Who speaks."""
        self.write(f"nvbandwidth Version: {VERSION}\nBuilt from Git version: {GIT_VERSION}\n\n")

    def platform(self, cuda: int, driver: str, host: str, devices: Sequence[str]) -> None:
        """Versions and devices; the program gives the driver's CUDA version for the runtime's too."""
        self.write(f"CUDA Runtime Version: {cuda}\nCUDA Driver Version: {cuda}\nDriver Version: {driver}\n\n{host}\n")
        self.write("".join(f"Device {index}: {device}\n" for index, device in enumerate(devices)) + "\n")

    def warning(self, text: str) -> None:
        """A remark."""
        self.write(f"{text}\n")

    def case(self, name: str, status: str, message: str = "") -> None:
        """A test case begins, or does not."""
        self.write(f"{status} {name}.\n" if status == RUNNING else f"{status}: {message}\n")

    def detail(self, lines: Sequence[str]) -> None:
        """Samples, where they are asked for."""
        if self.verbose:
            self.write("".join(f"{line}\n" for line in lines))

    def results(self, matrix: Matrix, description: str) -> None:
        """A matrix with its sum."""
        width = len(matrix.rows[0])
        self.write(f"{description}\n  " + "".join(f"{column:>10}" for column in range(width)) + "\n")
        for number, row in enumerate(matrix.rows):
            cells = "".join(f"{'N/A':>10}" if value is None else f"{value:>10.2f}" for value in row)
            self.write(f"{number:>2}{cells}\n")
        total = f"{matrix.name} {sum(matrix.figures):.2f}"
        unit = " -ns" if matrix.latency else " +GB/s"
        self.write(f"\n&&&& PERF {total}{unit}\n" if self.performance else f"\nSUM {total}\n")
        if self.verbose:
            lowest, highest = min(matrix.figures), max(matrix.figures)
            for word, value in (("MIN", lowest), ("MAX", highest), ("AVG", matrix.average)):
                self.write(f"{word} {matrix.name} {value:.2f}\n")
        self.write("\n")

    def end(self) -> None:
        """The last words."""
        self.write(NOTE)


@dataclass(slots=True)
class Json:
    """A document that is printed at the end."""

    write: Write
    verbose: bool = False
    performance: bool = False
    root: dict[str, Any] = field(default_factory=dict)

    def version(self) -> None:
        """Who speaks."""
        self.root |= {"version": VERSION, "git_version": GIT_VERSION}

    def platform(self, cuda: int, driver: str, host: str, devices: Sequence[str]) -> None:
        """Versions and devices."""
        self.root |= {"CUDA Runtime Version": cuda, "Driver Version": driver}
        self.root["GPU Device list"] = [f"{index}: {device}: ({host})" for index, device in enumerate(devices)]

    def warning(self, text: str) -> None:
        """A remark."""
        self.root["warning"] = text

    def case(self, name: str, status: str, message: str = "") -> None:
        """A test case begins, or does not; why is not told."""
        del message
        self.root.setdefault("testcases", []).append({"name": name, "status": status})

    def detail(self, lines: Sequence[str]) -> None:
        """Samples have no place in it."""

    def results(self, matrix: Matrix, description: str) -> None:
        """A matrix with its sum."""
        case = self.root["testcases"][-1]
        rows = [["N/A" if value is None else f"{value:.6g}" for value in row] for row in matrix.rows]
        case.setdefault("bandwidth_matrix", []).extend(rows)
        case |= {"sum": sum(matrix.figures), "bandwidth_description": description, "status": "Passed"}
        if self.verbose:
            case |= {"min": min(matrix.figures), "max": max(matrix.figures), "average": matrix.average}

    def error(self, text: str) -> None:
        """Something is wrong: the document is printed at once."""
        self.root["error"] = text
        self.end()

    def end(self) -> None:
        """Print the document."""
        self.write("".join(_lines({"nvbandwidth": self.root})).removeprefix("\n") + "\n\n")


def _lines(value: object, depth: int = 0) -> list[str]:
    """A value as jsoncpp writes it: objects and lists begin on a line of their own."""
    indent = "\n" + "\t" * depth
    if isinstance(value, Mapping):
        entries = [[f'{indent}\t"{name}" : ', *_lines(value[name], depth + 1)] for name in sorted(value)]
        return _enclosed("{", entries, "}", indent)
    if isinstance(value, list):
        entries = [
            [*([] if isinstance(each, list | dict) else [f"{indent}\t"]), *_lines(each, depth + 1)] for each in value
        ]
        return _enclosed("[", entries, "]", indent)
    return [_number(value) if isinstance(value, float) else json.dumps(value)]


def _number(value: float) -> str:
    """A number with a fraction, all digits of it."""
    text = f"{value:.17g}"
    return text if "." in text or "e" in text else f"{text}.0"


def _enclosed(first: str, entries: Sequence[Sequence[str]], last: str, indent: str) -> list[str]:
    parts = [f"{indent}{first}"]
    for number, entry in enumerate(entries):
        parts += [*([","] if number else []), *entry]
    return [*parts, f"{indent}{last}"]
