"""Which functions lspci shows: `-s [[[domain]:]bus:][slot][.[function]]` and `-d
[vendor]:[device][:class[:interface]]`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.commands.pci._lspci.edition import Edition
from engine.commands.pci._lspci.function import Function

_LONGEST = 63
_DOMAINS, _BUSES, _SLOTS, _NUMBERS, _IDS, _BYTES = 0x7FFFFFFF, 0xFF, 0x1F, 7, 0xFFFF, 0xFF


class FilterError(Exception):
    """What is wrong with a filter, in lspci's words."""


@dataclass(frozen=True, slots=True)
class Filter:
    """What a function must be; None is anything. A class may leave hexadecimal digits open with `x`."""

    domain: int | None = None
    bus: int | None = None
    slot: int | None = None
    number: int | None = None
    vendor: int | None = None
    device: int | None = None
    class_code: int | None = None
    class_mask: int = 0xFFFF
    interface: int | None = None

    def matches(self, function: Function) -> bool:
        """Whether `function` is chosen."""
        vendor, _, device = function.device.ids.partition(":")
        pairs = (
            (self.domain, function.domain),
            (self.bus, function.bus),
            (self.slot, function.slot),
            (self.number, function.number),
            (self.vendor, int(vendor, 16)),
            (self.device, int(device, 16)),
            (self.interface, function.kernel_class & 0xFF),
        )
        if any(wanted is not None and wanted != found for wanted, found in pairs):
            return False
        return self.class_code is None or not (self.class_code ^ function.kernel_class >> 8) & self.class_mask


def by_slot(before: Filter, text: str, edition: Edition) -> Filter:
    """`before` narrowed by the argument of -s. Raises FilterError."""
    fields = _split(text, ":", 3)
    place = fields.pop()
    bus = _number(fields.pop(), _BUSES, "Invalid bus number") if fields else None
    domain = _number(fields.pop(), _DOMAINS, "Invalid domain number") if fields else None
    parts = place.split(".")
    if len(parts) > 2:
        raise FilterError("Invalid slot/function number" if edition.kernel_view else "Invalid function number")
    slot = _number(parts[0], _SLOTS, "Invalid slot number")
    number = _number(parts[1], _NUMBERS, "Invalid function number") if len(parts) > 1 else None
    given = {"domain": domain, "bus": bus, "slot": slot, "number": number}
    return replace(before, **{name: value for name, value in given.items() if value is not None})


def by_ids(before: Filter, text: str, edition: Edition) -> Filter:
    """`before` narrowed by the argument of -d. Raises FilterError."""
    if not edition.kernel_view and not text:
        return before
    fields = _split(text, ":", 4 if edition.kernel_view else 3)
    if len(fields) < 2:
        raise FilterError("At least two fields must be given" if edition.kernel_view else "':' expected")
    fields += [""] * (4 - len(fields))
    vendor = _number(fields[0], _IDS, "Invalid vendor ID")
    device = _number(fields[1], _IDS, "Invalid device ID")
    ignored = not edition.kernel_view and fields[1] == "*"  # up to 3.7 a `*` before it switched the class off
    code, mask = (None, 0xFFFF) if ignored else _class(fields[2], edition)
    interface = _number(fields[3], _BYTES, "Invalid programming interface code")
    given = {"vendor": vendor, "device": device, "class_code": code, "interface": interface}
    narrowed = {name: value for name, value in given.items() if value is not None}
    return replace(before, class_mask=mask, **narrowed)


def _split(text: str, separator: str, most: int) -> list[str]:
    if len(text) > _LONGEST:
        raise FilterError("Expression too long")
    fields = text.split(separator)
    if len(fields) > most:
        raise FilterError("Too many fields")
    return fields


def _number(text: str, largest: int, problem: str) -> int | None:
    if text in ("", "*"):
        return None
    digits = text[2:] if text.lower().startswith("0x") else text
    if not digits or not all(digit in "0123456789abcdefABCDEF" for digit in digits) or int(digits, 16) > largest:
        raise FilterError(problem)
    return int(digits, 16)


def _class(text: str, edition: Edition) -> tuple[int | None, int]:
    if not edition.kernel_view or "x" not in text.lower():
        return _number(text, _IDS, "Invalid class code"), 0xFFFF
    code = _number(text.lower().replace("x", "0"), _IDS, "Invalid class code")
    mask = int("".join("0" if digit == "x" else "f" for digit in text.lower()), 16)
    return code, mask | 0xFFFF & ~((1 << 4 * len(text)) - 1)
