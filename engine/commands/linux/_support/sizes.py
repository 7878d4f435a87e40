"""Sizes as tools write them: GNU's human_readable (ls -h, df -h; rounded up), procps (free -h) and util-linux (lsblk,
lscpu).
"""

from __future__ import annotations

_LETTERS = "BKMGTPE"


def human(number: int, base: int = 1024) -> str:
    """`4.0K`, `12G`: GNU's, rounded up, one decimal below ten."""
    if number < base:
        return str(number)
    power = 0
    while number >= base ** (power + 1) and power < len(_LETTERS) - 1:
        power += 1
    unit = base**power
    tenths = -(-number * 10 // unit)
    if tenths < 100:
        return f"{tenths // 10}.{tenths % 10}{_letter(power, base)}"
    whole = -(-number // unit)
    if whole >= base and power < len(_LETTERS) - 1:
        return f"1.0{_letter(power + 1, base)}"
    return f"{whole}{_letter(power, base)}"


def _letter(power: int, base: int) -> str:
    return "k" if base == 1000 and power == 1 else _LETTERS[power]


def procps(kib: int, si: bool = False) -> str:
    """`23Gi`, `988Mi`, `8.6Mi`, `0B`: free -h of procps-ng 4; what does not fit into four digits goes to the next
    unit.
    """
    number, base = kib * 1024, (1000 if si else 1024)
    suffix, width = ("", 4) if si else ("i", 5)
    texts = [f"{number}B"] if len(f"{number}B") <= 4 else []
    for power in range(1, len(_LETTERS)):
        unit, ending = base**power, _LETTERS[power] + suffix
        candidates = (f"{_tenths(number, unit)}{ending}", f"{number // unit}{ending}")
        texts += [text for text in candidates if len(text) <= width]
    return texts[0] if texts else f"{number}B"


def _tenths(number: int, unit: int) -> str:
    tenths = (number * 20 // unit + 1) // 2
    return f"{tenths // 10}.{tenths % 10}"


def util_linux(number: int) -> str:
    """`1.7T`, `512M`, `100K`, `1K`: lsblk's, one decimal unless it is 0."""
    power = 0
    while number >= 1024 ** (power + 1) and power < len(_LETTERS) - 1:
        power += 1
    unit = 1024**power
    tenths = (number * 20 // unit + 1) // 2
    whole, part = divmod(tenths, 10)
    return f"{whole}.{part}{_LETTERS[power]}" if part else f"{whole}{_LETTERS[power]}"


def parse_size(text: str) -> int | None:
    """Bytes of `10`, `4K`, `1M`, `2GB`, `1KiB` as GNU tools read them, or None."""
    digits = text.rstrip("iBKMGTPEkb")
    if not digits.isdigit():
        return None
    suffix = text[len(digits) :]
    if suffix in ("", "B"):
        return int(digits)
    if suffix == "b":
        return int(digits) * 512
    letter, rest = suffix[0].upper(), suffix[1:]
    if letter not in _LETTERS[1:] or rest not in ("", "B", "iB"):
        return None
    base = 1000 if rest == "B" else 1024
    return int(int(digits) * base ** _LETTERS.index(letter))
