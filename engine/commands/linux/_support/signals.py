"""Signals by name and number, as on x86-64 Linux (signal(7))."""

from __future__ import annotations

NAMES = (
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM",
    "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "POLL",
    "PWR", "SYS",
)  # fmt: skip
_ALIASES = {"IOT": 6, "CLD": 17, "IO": 29, "EXIT": 0}
_LARGEST = 64


def signal_number(text: str) -> int | None:
    """The number of `9`, `KILL`, `SIGKILL` or `kill`, or None."""
    if text.isdigit():
        return int(text) if int(text) <= _LARGEST else None
    name = text.upper().removeprefix("SIG")
    if name in NAMES:
        return NAMES.index(name) + 1
    return _ALIASES.get(name)


def signal_name(number: int) -> str:
    """KILL of 9; the number as text where there is no name."""
    return NAMES[number - 1] if 1 <= number <= len(NAMES) else str(number)
