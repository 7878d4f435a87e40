"""The list of metrics that dcgm-exporter serves: what the file given with `-f` says, read when it starts.

Law: the file is CSV of field, kind and help text; `#` begins a comment line. What is wrong with it ends the exporter
with status 1. Texts: dcgm-exporter's counter_config.go and exporter_counters.go, and Go's encoding/csv, which wants as
many cells in each record as in the first. Left out: quoted cells that go over several lines, and metrics that the
exporter counts by itself (DCGM_EXP_...), which are taken and not served.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache

from engine.control import files
from engine.control.dcgm import fields
from engine.control.tables import rows
from engine.kernel.quick_dataclass import dataclass
from engine.world.world import World

PATH = "/etc/dcgm-exporter/default-counters.csv"
KINDS = ("gauge", "counter", "histogram", "summary", "label")
OWN = ("DCGM_EXP_XID_ERRORS_COUNT", "DCGM_EXP_CLOCK_EVENTS_COUNT", "DCGM_EXP_GPU_HEALTH_STATUS", "DCGM_EXP_P2P_STATUS")
_CELLS = 3


@dataclass(frozen=True, slots=True)
class Counter:
    """A metric: its field, what Prometheus takes it for, and its help."""

    field: fields.Field
    kind: str
    help: str


class BadFile(Exception):
    """The exporter does not take the file; the text is what it logs."""


def written(world: World, host: str) -> str | None:
    """The file's text; None while it is the package's."""
    return files.text(world, host, PATH, "") if files.changed(world, host, PATH) else None


def counters(text: str | None) -> tuple[Counter, ...]:
    """Every metric of a file (None: the package's), by field number. Raises BadFile."""
    return _packaged() if text is None else _parsed(text)


def refusal(world: World, host: str) -> str | None:
    """Why the exporter would not start with the file as it is now, or None."""
    if files.removed(world, host, PATH):
        return f"Could not read metrics file '{PATH}'; err: open {PATH}: no such file or directory"
    try:
        counters(written(world, host))
    except BadFile as bad:
        return str(bad)
    return None


@cache
def _packaged() -> tuple[Counter, ...]:
    found = (Counter(fields.by_name()[name], kind, text) for name, kind, text in rows("dcgm_exporter_counters"))
    return tuple(sorted(found, key=lambda counter: counter.field.id))


@cache
def _parsed(text: str) -> tuple[Counter, ...]:
    found: list[Counter] = []
    for number, record in enumerate(_records(text)):
        found += _counter(number, [cell.strip(" ") for cell in record])
    return tuple(sorted(found, key=lambda counter: counter.field.id))


def _records(text: str) -> Sequence[Sequence[str]]:
    """The records of a file. Raises BadFile where one has more or fewer cells than the first."""
    records: list[list[str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        (record,) = csv.reader([line])
        if records and len(record) != len(records[0]):
            why = f"record on line {number}: wrong number of fields"
            raise BadFile(f"Could not read metrics file '{PATH}'; err: {why}")
        records.append(record)
    return records


def _counter(number: int, record: Sequence[str]) -> Sequence[Counter]:
    """The metric of one record, if the exporter reads it from DCGM. Raises BadFile."""
    if len(record) != _CELLS:
        shown = " ".join(record)
        why = f"failed to parse line {number} (`[{shown}]`), expected 3 fields"
        raise BadFile(f"malformed CSV record; err: {why}")
    name, kind, text = record
    field = fields.by_name().get(name)
    if field is None and name not in OWN:
        raise BadFile(f"could not find DCGM field; err: unknown ExporterCounter field '{name}'")
    if field is None:
        return ()
    if kind not in KINDS:
        raise BadFile(f"could not find Prometheus metric type '{kind}'")
    return (Counter(field, kind, text),)
