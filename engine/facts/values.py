"""What a fact can be: true or false, a count, a quantity with a unit, a text, or a component of the site.

Quantities are integers in the state's own units; people write them with a unit (`85C`, `700W`, `1h30m`). A value may be
None: the thing that it would describe does not answer (a lost GPU has no temperature). No comparison with None holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import NewType

from engine.kernel.errors import BreakfixError
from engine.kernel.units import duration, format_duration

Value = bool | int | str | None

Temperature = NewType("Temperature", int)
Power = NewType("Power", int)
Frequency = NewType("Frequency", int)
Memory = NewType("Memory", int)
Speed = NewType("Speed", int)
Share = NewType("Share", int)
Duration = NewType("Duration", int)
Rate = NewType("Rate", int)


@dataclass(frozen=True, slots=True)
class ValueType:
    """A type of values: its name for people and, for quantities, how many of the state's units a written unit has."""

    name: str
    units: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    component: bool = False

    @property
    def ordered(self) -> bool:
        """Whether values can be greater than others."""
        return self is COUNT or bool(self.units)

    @property
    def textual(self) -> bool:
        """Whether values are texts; the id of a component is one."""
        return self is TEXT or self.component

    @property
    def example(self) -> str:
        """A quantity as one writes it."""
        return "10m" if self is DURATION else f"80{next(iter(self.units))}" if self.units else "8"

    def show(self, value: Value) -> str:
        """A value as people write it."""
        if value is None:
            return "no answer"
        if isinstance(value, bool):
            return str(value).lower()
        if self is DURATION and isinstance(value, int):
            return format_duration(value)
        if self.units and isinstance(value, int):
            unit, size = next(iter(self.units.items()))
            return f"{value / size:.15g}{unit}"
        return str(value)


def _quantity(name: str, **units: int) -> ValueType:
    return ValueType(name, MappingProxyType(units))


TRUTH = ValueType("true or false")
COUNT = ValueType("a number")
TEXT = ValueType("a text")
DURATION = _quantity("a duration", s=1_000_000_000)
QUANTITIES = MappingProxyType(
    {
        Temperature: _quantity("a temperature", C=1000, mC=1),
        Power: _quantity("a power", W=1000, mW=1, kW=1_000_000),
        Frequency: _quantity("a clock", MHz=1, GHz=1000),
        Memory: _quantity("an amount of memory", MiB=1, GiB=1024),
        Speed: _quantity("a rotational speed", rpm=1),
        Share: ValueType("a share", MappingProxyType({"%": 10})),
        Rate: ValueType("a data rate", MappingProxyType({"Gb/s": 1, "GB/s": 8})),
        Duration: DURATION,
    }
)
"""Types of quantities by the annotation that marks them in the catalogue; the first unit is the one shown."""

UNITS = tuple(unit for quantity in QUANTITIES.values() for unit in quantity.units)

_LONGEST = 20
_NUMBER = re.compile(r"(\d+)(?:\.(\d+))?([A-Za-z%][A-Za-z0-9%/.]*)?")


def read_number(text: str) -> tuple[int, ValueType]:
    """The value and the type of `8`, `85C`, `12.5kW`, `1h30m`. Raises BreakfixError for an unknown unit."""
    found = _NUMBER.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        raise BreakfixError(f"{text} is not a number")
    whole, fraction, unit = found[1], found[2] or "", found[3]
    if unit is None:
        return _scaled(text, whole, fraction, 1), COUNT
    for quantity in QUANTITIES.values():
        if unit in quantity.units:
            return _scaled(text, whole, fraction, quantity.units[unit]), quantity
    try:
        return duration(text), DURATION
    except BreakfixError:
        known = ", ".join(UNITS)
        raise BreakfixError(
            f"{text} has no unit that is known here; use {known}, or a duration such as 1h30m"
        ) from None


def _scaled(text: str, whole: str, fraction: str, size: int) -> int:
    """The number times `size`, exactly."""
    value, rest = divmod(int(whole + fraction) * size, int("1" + "0" * len(fraction)))
    if rest:
        raise BreakfixError(f"{text} is finer than what the model holds")
    return value
