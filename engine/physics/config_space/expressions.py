"""setpci's language for registers and values: `COMMAND`, `CAP_EXP+8.w=5000:7000`, `ECAP_ACS+6.w=0`, `10.l`.

Grammar, limits and error texts: setpci.c of pciutils 3.13. Names of registers that no function here has (CardBus) are
known, so that they fail as the real program's do.
"""

from __future__ import annotations

import re

from engine.kernel.quick_dataclass import dataclass
from engine.physics.config_space.register_names import NAMES, RegisterName

_LIMITS = {1: 0xFF, 2: 0xFFFF, 4: 0xFFFFFFFF}
_WIDTHS = {"B": 1, "W": 2, "L": 4}
_HEX = re.compile(r"\s*[+-]?(0[xX])?[0-9a-fA-F]+")
PLAIN, EXTENDED = 1, 2
_SPACE, _LARGEST = 0x1000, 0xFFFFFFFF


class ExpressionError(Exception):
    """What is wrong with an expression, in setpci's words; `usage` says whether the hint at --help follows."""

    def __init__(self, text: str, usage: bool = True) -> None:
        super().__init__(text)
        self.usage = usage


@dataclass(frozen=True, slots=True)
class Value:
    """A value to write, and the bits that it concerns."""

    value: int
    mask: int

    def over(self, old: int) -> int:
        """What is written over `old`."""
        return old & ~self.mask | self.value


@dataclass(frozen=True, slots=True)
class Operation:
    """Reading or writing one register: `address` counts from the start of capability `capability` of kind `chain`
    (PLAIN, EXTENDED; 0: from the start of the space), of which the `number`th is meant; `headers` are the types of
    headers that have it (bits; 0: all).
    """

    address: int
    width: int
    values: tuple[Value, ...] = ()
    chain: int = 0
    capability: int = 0
    number: int = 0
    headers: int = 0
    name: str = ""


def parse(text: str) -> Operation:
    """An expression of the command line. Raises ExpressionError."""
    base, values = _cut(text, "=")
    base, number = _cut(base, "@")
    base, suffix = _cut(base, ".")
    base, plus = _cut(base, "+")
    if values == "":
        raise ExpressionError("Missing value")
    width = _width(suffix)
    count = values.count(",") + 1 if values else 0
    place = 0
    if number is not None:
        place = _whole(number, f'Invalid number "{number}"')
    chain, capability, found = _register(base)
    width = width or found.width
    if not width:
        raise ExpressionError("Missing width")
    address = found.offset
    if plus is not None:
        further = _whole(plus, f'Invalid offset "{plus}"')
        if further >= _SPACE:
            raise ExpressionError(f'Invalid offset "{plus}"')
        address += further
    if address >= _SPACE or address + width * (count or 1) > _SPACE:
        raise ExpressionError(f"Register number {address:02x} out of range")
    if address & (width - 1):
        raise ExpressionError(f"Unaligned register address {address:02x}")
    written = tuple(_value(each, width) for each in values.split(",")) if values else ()
    return Operation(address, width, written, chain, capability, place, found.headers, found.name)


def capability_at(space: bytes, operation: Operation, slot: str) -> int:
    """Where the operation's register lies in a space. Raises ExpressionError where the function has no such one."""
    start = 0
    if operation.chain:
        places = find(space, operation.chain, operation.capability)
        if operation.number >= len(places):
            raise ExpressionError(_missing(operation, slot, len(places)), usage=False)
        start = places[operation.number]
    at = start + operation.address
    if at & (operation.width - 1):
        raise ExpressionError(f"{slot}: Unaligned access of width {operation.width} to register {at:04x}", usage=False)
    if at + operation.width > _SPACE:
        text = f"{slot}: Access of width {operation.width} to register {at:04x} out of range"
        raise ExpressionError(text, usage=False)
    kind = space[0xE] & 0x7F
    if operation.headers and (kind > 2 or not operation.headers >> kind & 1):
        raise ExpressionError(f"{slot}: Does not have register {operation.name}.", usage=False)
    return at


def find(space: bytes, chain: int, number: int) -> list[int]:
    """Offsets of the capabilities with an id, as far as the space can be read."""
    found, at = [], space[0x34] & ~3 if chain == PLAIN else 0x100
    seen: list[int] = []
    while at and at not in seen and at + 4 <= len(space):
        seen.append(at)
        if chain == PLAIN:
            own, following = space[at], space[at + 1] & ~3
        else:
            header = int.from_bytes(space[at : at + 4], "little")
            if header in (0, _LARGEST):
                break
            own, following = header & 0xFFFF, header >> 20 & ~3
        if own == number:
            found.append(at)
        at = following
    return found


def _missing(operation: Operation, slot: str, count: int) -> str:
    kind = "Capability" if operation.chain == PLAIN else "Extended capability"
    head = f"{slot}: Instance #{operation.number} of {kind} {operation.capability:04x} not found - there"
    if not count:
        return f"{head} are no capabilities with that id."
    verb, noun = ("is", "capability") if count == 1 else ("are", "capabilities")
    return f"{head} {verb} only {count} {noun} with that id."


def _cut(text: str, mark: str) -> tuple[str, str | None]:
    before, found, after = text.partition(mark)
    return before, after if found else None


def _width(suffix: str | None) -> int:
    if suffix is None:
        return 0
    if len(suffix) > 1:
        raise ExpressionError(f'Invalid width "{suffix}"')
    if suffix.upper() not in _WIDTHS:
        raise ExpressionError(f'Invalid width "{suffix}"')
    return _WIDTHS[suffix.upper()]


def _register(base: str) -> tuple[int, int, RegisterName]:
    """Chain, id of the capability, and what stands for the register."""
    number = _hexadecimal(base)
    if number is not None:
        return 0, 0, RegisterName("", number, 0)
    named = next((one for one in NAMES if one.name == base.upper()), None)
    if named:
        return named.chain, named.capability, named
    for prefix, chain, most in (("ECAP", EXTENDED, 0x1000), ("CAP", PLAIN, 0x100)):
        if base.upper().startswith(prefix):
            number = _hexadecimal(base[len(prefix) :])
            if number is not None and number < most:
                return chain, number, RegisterName("", 0, 0)
            break
    raise ExpressionError(f'Unknown register "{base}"')


def _value(text: str, width: int) -> Value:
    limit = _LIMITS[width]
    shown, mask = _cut(text, ":")
    number = _hexadecimal(shown)
    if number is None:
        raise ExpressionError(f'Invalid value "{text}"')
    if limit < number < _LARGEST - limit:
        raise ExpressionError(f'Value "{text}" is out of range')
    if mask is None:
        return Value(number & limit, limit)
    bits = _whole(mask, f'Invalid mask "{mask}"')
    if limit < bits < _LARGEST - limit:
        raise ExpressionError(f'Mask "{mask}" is out of range')
    return Value(number & bits & limit, bits & limit)


def _whole(text: str, error: str) -> int:
    number = _hexadecimal(text)
    if number is None:
        raise ExpressionError(error)
    return number


def _hexadecimal(text: str) -> int | None:
    """What strtoul makes of the whole text in base 16, if it fits 32 bits."""
    if not _HEX.fullmatch(text):
        return None
    number = int(text, 16)
    return number if 0 <= number <= _LARGEST else None
