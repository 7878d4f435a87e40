"""Numbers with units, as people write them: `51.6 GB/s`, `0.7 kW`, `30 min`. Exact: fractions, never floats."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from engine.facts.values import COUNT, ValueType
from engine.kernel.errors import BreakfixError
from engine.kernel.names import alternatives, quoted

LONGEST = 40

_NUMBER = re.compile(
    r"(?P<number>[+-]?(?:\d+/0*[1-9]\d*|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?))\s*(?P<unit>[^\d\s.,/+-]\D*)?"
)

_DECIMAL = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}


def _bits(ending: str, of_byte: str, *of_bit: str) -> dict[str, Fraction]:
    """Units of amounts of data in bits, or with an ending of data rates."""
    sizes = _DECIMAL | _BINARY
    units = {f"{prefix}{of_byte}{ending}": Fraction(size * 8) for prefix, size in sizes.items()}
    return units | {f"{prefix}{bit}{ending}": Fraction(size) for prefix, size in sizes.items() for bit in of_bit}


def _family(**sizes: int | Fraction) -> dict[str, Fraction]:
    return {unit: Fraction(size) for unit, size in sizes.items()}


_FAMILIES: tuple[Mapping[str, Fraction], ...] = (
    _family(mW=Fraction(1, 1000), W=1, kW=1000, MW=1_000_000),
    _family(mV=Fraction(1, 1000), V=1, kV=1000),
    _family(mA=Fraction(1, 1000), A=1),
    _family(kHz=Fraction(1, 1000), MHz=1, GHz=1000),
    {"mC": Fraction(1, 1000), "C": Fraction(1), "°C": Fraction(1)},
    _family(mm=Fraction(1, 1000), cm=Fraction(1, 100), m=1, km=1000),
    {"%": Fraction(1), "percent": Fraction(1)},
    _family(
        ns=Fraction(1, 10**9), us=Fraction(1, 10**6), ms=Fraction(1, 1000), s=1, sec=1, seconds=1,
        min=60, minutes=60, h=3600, hours=3600, d=86_400, days=86_400,
    ),
    _bits("", "B", "b", "bit"),
    _bits("/s", "B", "b", "bit")
    | {f"{prefix}bps": Fraction(size) for prefix, size in _DECIMAL.items()},
)  # fmt: skip
"""Units that measure the same, with their sizes; capitals matter, since a GB is eight Gb."""


def read_quantity(text: str) -> tuple[str, str]:
    """The number and the unit in a text, both as written; the unit may be empty. Raises BreakfixError."""
    cleaned = " ".join(text.split())
    found = _NUMBER.fullmatch(cleaned) if len(cleaned) <= LONGEST else None
    if found is None:
        raise BreakfixError(f"{quoted(text)} is not a number; write it like 51.6, with a point and no other separators")
    return found["number"], (found["unit"] or "").strip()


def exact(number: str | int | float) -> Fraction:
    """The number that is written: 51.6 is 516/10, whatever the nearest float is."""
    return Fraction(number if isinstance(number, str) else repr(number))


def convert(value: Fraction, unit: str, wanted: str) -> Fraction | None:
    """A value in another unit, or None if the two measure different things; no unit means the wanted one."""
    if not unit or _plain(unit) == _plain(wanted):
        return value
    for family in _FAMILIES:
        if unit in family and wanted in family:
            return value * family[unit] / family[wanted]
    return None


def require_unit(unit: str, wanted: str) -> None:
    """Raise BreakfixError unless a number in `unit` can be one in the unit that is wanted."""
    if convert(Fraction(1), unit, wanted) is None:
        what = f"write the number in {wanted}" if wanted else "write the number without a unit"
        raise BreakfixError(f"{quoted(unit)} is not the unit here; {what}")


def fact_in_unit(value: int, kind: ValueType, unit: str) -> Fraction:
    """What a fact gave, in a unit. Raises BreakfixError if that kind of fact is not measured so."""
    if kind is COUNT or not kind.units:
        return Fraction(value)
    first, size = next(iter(kind.units.items()))
    converted = convert(Fraction(value, size), first, unit) if unit else None
    if converted is None:
        known = alternatives(kind.units)
        raise BreakfixError(f"the fact gives {kind.name}, which is no number of {quoted(unit)}; give `unit: {known}`")
    return converted


def number_text(value: Fraction) -> str:
    """A number for people: whole, or with up to six decimals."""
    if value.denominator == 1:
        return str(value.numerator)
    return f"{float(round(value, 6)):.6f}".rstrip("0").rstrip(".")


def exact_text(value: Fraction) -> str:
    """A number as it is stored: decimals where they are exact, else a fraction such as `155/3`."""
    text = number_text(value)
    return text if Fraction(text) == value else str(value)


def _plain(unit: str) -> str:
    """A unit that is a noun may stand in the plural and in capitals; one with a size of its own may not."""
    known = any(unit in family for family in _FAMILIES)
    return unit if known else unit.casefold().removesuffix("s")
