"""Amounts of resources: `1500m`, `2063916Mi`, `8`.

Source: apimachinery pkg/api/resource (quantity.go, suffix.go, amount.go): a number has a way of writing it (powers of
1024, of 1000, or an exponent), which a sum takes from its first part; it is written without a fraction, with the
largest suffix that allows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from engine.kernel.units import SECOND

_NANO = SECOND  # amounts are kept in billionths
_LONGEST = 64  # characters of an amount that means something
_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_SUFFIX = {exponent: suffix for suffix, exponent in _DECIMAL.items()}
_NUMBER = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:([KMGTPE]i|[numkMGTPE])|[eE]([+-]?\d{1,2}))?$")


@dataclass(frozen=True, slots=True)
class Quantity:
    """An amount in billionths, and how it is written: "binary" or "decimal"."""

    nano: int = 0
    form: str = "decimal"

    def __add__(self, other: Quantity) -> Quantity:
        return Quantity(self.nano + other.nano, self.form if self.nano else other.form)

    @property
    def milli(self) -> int:
        """Thousandths, rounded up."""
        return -(-self.nano // 1_000_000)

    @property
    def value(self) -> int:
        """Units, rounded up."""
        return -(-self.nano // _NANO)

    def __str__(self) -> str:
        if self.nano == 0:
            return "0"
        if self.form == "binary" and self.nano % _NANO == 0 and abs(self.nano) >= 1024 * _NANO:
            return _divided(self.nano // _NANO)
        return _decimal(self.nano)


def parse(text: object) -> Quantity:
    """An amount as a manifest or the API writes it; nothing is 0. Raises ValueError."""
    written = str(text) if text is not None else "0"
    match = _NUMBER.match(written) if len(written) <= _LONGEST else None
    if match is None or not (match[2] or match[3]):
        raise ValueError("quantities must match the regular expression")
    sign, whole, fraction, suffix, exponent = match.groups()
    digits = int((whole or "") + (fraction or ""))
    shift = len(fraction or "")
    if suffix and suffix.endswith("i"):
        nano = digits * 1024 ** _BINARY.index(suffix) * _NANO
        form = "binary"
    else:
        power = int(exponent) if exponent else _DECIMAL[suffix or ""]
        shift -= power
        nano, form = digits * _NANO, "decimal"
    if shift < 0:
        nano, shift = nano * 10**-shift, 0
    nano = -(-nano // 10**shift)
    return Quantity(-nano if sign == "-" else nano, form)


def _divided(value: int) -> str:
    power = 0
    while value % 1024 == 0 and power < len(_BINARY) - 1:
        value //= 1024
        power += 1
    return f"{value}{_BINARY[power]}"


def _decimal(nano: int) -> str:
    exponent = -9
    while nano % 1000 == 0 and exponent < 18:
        nano //= 1000
        exponent += 3
    return f"{nano}{_SUFFIX[exponent]}"
