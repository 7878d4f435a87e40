"""The fields of `--query-gpu`: one declaration each, of which the csv, its header and the help are made.

Names, aliases, units and values: `--help-query-gpu` and a csv of all fields of an H100 80GB HBM3, driver 590.48.01.
Descriptions are our own. A field without a source is one that this hardware or the model does not give: `[N/A]`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeAlias, TypeVar

R = TypeVar("R")

Source = Callable[[R], str | int | None]

NOT_AVAILABLE = "[N/A]"
RESET_REQUIRED = "[GPU requires reset]"
"""Of a GPU whose firmware the driver has given up (reports of users)."""

ASK_THE_FIRMWARE = (
    "temperature.",
    "power.draw",
    "utilization.",
    "clocks.current",
    "clocks_event_reasons.",
    "pstate",
)
"""How names of fields begin that only the firmware can tell (which ones: a guess after users' reports)."""


@dataclass(frozen=True, slots=True)
class Field(Generic[R]):
    """A property of a record R: its names (the first heads the column), unit, source, and the first driver release."""

    names: tuple[str, ...]
    text: str
    source: Source[R] | None = None
    unit: str = ""
    since: int = 0

    @property
    def name(self) -> str:
        return self.names[0]

    @property
    def heading(self) -> str:
        """The head of its column."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    def value(self, record: R, units: bool) -> str:
        """Its value as the csv shows it."""
        value = self.source(record) if self.source else None
        if value is None:
            return NOT_AVAILABLE
        if getattr(record, "unreadable", False) and self.name.startswith(ASK_THE_FIRMWARE):
            return RESET_REQUIRED
        unreadable = isinstance(value, str) and value.startswith("[")
        return f"{value} {self.unit}" if self.unit and units and not unreadable else str(value)


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of the help between fields."""

    title: str
    text: str


Entry: TypeAlias = Field[R] | Section


def field(names: str, text: str, source: Source[R] | None = None, unit: str = "", since: int = 0) -> Field[R]:
    """A field; further names stand after the first, separated by spaces."""
    return Field(tuple(names.split()), text, source, unit, since)


def by_name(entries: Iterable[Entry[R]], release: int) -> dict[str, Field[R]]:
    """The fields that a driver release knows, under all their names."""
    known = (entry for entry in entries if isinstance(entry, Field) and entry.since <= release)
    return {name: entry for entry in known for name in entry.names}


def help_lines(switch: str, entries: Sequence[Entry[Any]], release: int, preface: Sequence[str] = ()) -> list[str]:
    """The help of a query switch."""
    lines = [f'List of valid properties to query for the switch "{switch}":', "", *preface]
    for entry in entries:
        if isinstance(entry, Section):
            lines += [f"Section about {entry.title} properties", entry.text, ""]
        elif entry.since <= release:
            lines += [" or ".join(f'"{name}"' for name in entry.names), entry.text, ""]
    return lines[:-1]
