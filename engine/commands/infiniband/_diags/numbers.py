"""Numbers as the C library reads them from a command line (strtoul(3) with base 0): nonsense is 0."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\s*([+-]?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)")


def unsigned(text: str) -> int:
    """The number that a text begins with: decimal, 0x... or octal."""
    match = _NUMBER.match(text)
    if match is None:
        return 0
    digits = match[2]
    base = 16 if digits[:2] in ("0x", "0X") else 8 if digits.startswith("0") else 10
    number = int(digits, base)
    return -number if match[1] == "-" else number
