"""What iperf3 3.16 prints: formats of iperf_locale.c and units.c, JSON as cJSON prints it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

SEPARATOR = " ".join("-" * 25)
RULE = "-" * 59
HEADER = "[ ID] Interval           Transfer     Bitrate"
_BIT_LABELS = ("bits", "Kbits", "Mbits", "Gbits", "Tbits")
_BYTE_LABELS = ("Bytes", "KBytes", "MBytes", "GBytes", "TBytes")


@dataclass(frozen=True, slots=True)
class Piece:
    """What one stream moved between two moments (seconds): bytes, segments sent again, and the congestion window."""

    stream: str
    start: float
    end: float
    amount: int
    again: int = 0
    window: int = 0


def quantity(value: float, unit: str) -> str:
    """A number of bytes in a unit, four places wide (unit_snprintf): `A` bytes and `a` bits as they fit best."""
    of_bytes = unit.isupper()
    step, labels = (1024.0, _BYTE_LABELS) if of_bytes else (1000.0, _BIT_LABELS)
    number = value if of_bytes else value * 8
    if unit in "Aa":
        index = 0
        while number >= step and index < len(labels) - 1:
            number, index = number / step, index + 1
    else:
        index = "BKMGT".index(unit.upper())
        number /= step**index
    digits = 2 if number < 9.995 else 1 if number < 99.95 else 0
    return f"{number:4.{digits}f} {labels[index]}"


def _figures(piece: Piece, unit: str) -> str:
    seconds = piece.end - piece.start
    rate = quantity(piece.amount / seconds if seconds > 0 else 0.0, unit)
    return f"[{piece.stream:>3}] {piece.start:6.2f}-{piece.end:<6.2f} sec  {quantity(piece.amount, 'A')}  {rate}/sec"


def interval_line(piece: Piece, unit: str, *, sender: bool, omitted: bool = False) -> str:
    """A line of an interval."""
    mark = "(omitted)" if omitted else ""
    if not sender:
        return f"{_figures(piece, unit)}                  {mark}"
    if piece.stream == "SUM":
        return f"{_figures(piece, unit)}  {piece.again:3d}             {mark}"
    return f"{_figures(piece, unit)}  {piece.again:3d}   {quantity(piece.window, 'A')}       {mark}"


def summary_line(piece: Piece, unit: str, role: str) -> str:
    """A line at the end: `role` sender or receiver."""
    again = f"  {piece.again:3d}             " if role == "sender" else " " * 18
    return f"{_figures(piece, unit)}{again}{role}"


def total(pieces: Sequence[Piece]) -> Piece:
    """All streams together."""
    first = pieces[0]
    return Piece("SUM", first.start, first.end, sum(each.amount for each in pieces), sum(each.again for each in pieces))


def json_text(value: Any, depth: int = 0) -> str:
    """As cJSON_Print writes it: tabs, `"key":<tab>value`, arrays on one line."""
    if isinstance(value, Mapping):
        if not value:
            return "{\n" + "\t" * depth + "}"
        rows = [f'{chr(9) * (depth + 1)}"{key}":\t{json_text(item, depth + 1)}' for key, item in value.items()]
        return "{\n" + ",\n".join(rows) + "\n" + "\t" * depth + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(json_text(item, depth + 1) for item in value) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, int):
        return str(value)
    text = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
