"""strftime as GNU date has it: flags (- _ 0 ^ # +), widths, %N, %:z, and the texts of the C and en_US locales of glibc
2.39.

Python's own strftime is the platform's and differs between systems, so every directive is worked out here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from engine.kernel.calendar import local
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.units import SECOND

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
          "November", "December")  # fmt: skip

_DIRECTIVE = re.compile(r"%([-_0^#+]*)(\d*)([EO]?)(:{0,3}z|[a-zA-Z%])", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Moment:
    """A point in time as a clock of a zone shows it: ns since 1970, and whether the locale writes American times."""

    epoch: int
    timezone: str
    american: bool = False

    @property
    def clock(self) -> datetime:
        return local(self.timezone, self.epoch)


def american(environment: Mapping[str, str]) -> bool:
    """Whether the locale of `environment` is en_US (12-hour clock in date's own formats)."""
    value = environment.get("LC_ALL") or environment.get("LC_TIME") or environment.get("LANG") or ""
    return value.startswith("en_US")


def default_format(moment: Moment) -> str:
    """What date prints without a format (date_fmt of the locale)."""
    return "%a %b %e %r %Z %Y" if moment.american else "%a %b %e %H:%M:%S %Z %Y"


def format_time(moment: Moment, pattern: str) -> str:
    """`pattern` with its directives filled in; what is no directive stays as it is."""
    return _DIRECTIVE.sub(lambda match: _directive(moment, match), pattern)


def zone_offset(clock: datetime, colons: int = 0) -> str:
    """+hhmm, or with colons as %:z, %::z and %:::z write it."""
    offset = clock.utcoffset() or timedelta()
    total = int(offset.total_seconds())
    sign, total = ("-", -total) if total < 0 else ("+", total)
    hours, minutes, seconds = total // 3600, total // 60 % 60, total % 60
    if colons == 0:
        return f"{sign}{hours:02d}{minutes:02d}"
    if colons == 1:
        return f"{sign}{hours:02d}:{minutes:02d}"
    if colons == 2:
        return f"{sign}{hours:02d}:{minutes:02d}:{seconds:02d}"
    return f"{sign}{hours:02d}" + (f":{minutes:02d}" if minutes or seconds else "")


def _directive(moment: Moment, match: re.Match[str]) -> str:
    flags, width, _, letter = match.groups()
    if letter in "nt%" and len(letter) == 1:
        return {"n": "\n", "t": "\t", "%": "%"}[letter]
    if letter == "N":
        return _nanoseconds(moment, flags, width)
    if letter in _COMPOSED or (moment.american and letter in _AMERICAN):
        inner = _AMERICAN.get(letter) if moment.american else None
        text = format_time(moment, inner or _COMPOSED[letter])
        return _padded(_cased(text, flags, letter), flags, width, " ", 0)
    if letter in _NUMBERS:
        value, digits, fill = _NUMBERS[letter](moment)
        return _number(value, flags, width, fill, digits)
    named = _text(moment, letter)
    if named is None:
        return match[0]
    return _padded(_cased(named, flags, letter), flags, width, "0" if letter.endswith("z") else " ", 0)


def _text(moment: Moment, letter: str) -> str | None:
    clock = moment.clock
    if letter.endswith("z"):
        return zone_offset(clock, len(letter) - 1)
    names: dict[str, Callable[[], str]] = {
        "a": lambda: DAYS[clock.weekday()][:3],
        "A": lambda: DAYS[clock.weekday()],
        "b": lambda: MONTHS[clock.month - 1][:3],
        "h": lambda: MONTHS[clock.month - 1][:3],
        "B": lambda: MONTHS[clock.month - 1],
        "p": lambda: "AM" if clock.hour < 12 else "PM",
        "P": lambda: "am" if clock.hour < 12 else "pm",
        "Z": lambda: clock.tzname() or "UTC",
    }
    return names[letter]() if letter in names else None


_COMPOSED = {
    "c": "%a %b %e %H:%M:%S %Y",
    "D": "%m/%d/%y",
    "F": "%Y-%m-%d",
    "r": "%I:%M:%S %p",
    "R": "%H:%M",
    "T": "%H:%M:%S",
    "x": "%m/%d/%y",
    "X": "%H:%M:%S",
}
_AMERICAN = {"c": "%a %d %b %Y %r %Z", "x": "%m/%d/%Y", "X": "%r"}

_NUMBERS: dict[str, Callable[[Moment], tuple[int, int, str]]] = {
    "C": lambda m: (m.clock.year // 100, 2, "0"),
    "d": lambda m: (m.clock.day, 2, "0"),
    "e": lambda m: (m.clock.day, 2, " "),
    "g": lambda m: (m.clock.isocalendar().year % 100, 2, "0"),
    "G": lambda m: (m.clock.isocalendar().year, 1, "0"),
    "H": lambda m: (m.clock.hour, 2, "0"),
    "I": lambda m: ((m.clock.hour + 11) % 12 + 1, 2, "0"),
    "j": lambda m: (m.clock.timetuple().tm_yday, 3, "0"),
    "k": lambda m: (m.clock.hour, 2, " "),
    "l": lambda m: ((m.clock.hour + 11) % 12 + 1, 2, " "),
    "m": lambda m: (m.clock.month, 2, "0"),
    "M": lambda m: (m.clock.minute, 2, "0"),
    "q": lambda m: ((m.clock.month + 2) // 3, 1, "0"),
    "s": lambda m: (m.epoch // SECOND, 1, "0"),
    "S": lambda m: (m.clock.second, 2, "0"),
    "u": lambda m: (m.clock.isoweekday(), 1, "0"),
    "U": lambda m: (_week(m.clock, 6), 2, "0"),
    "V": lambda m: (m.clock.isocalendar().week, 2, "0"),
    "w": lambda m: (m.clock.isoweekday() % 7, 1, "0"),
    "W": lambda m: (_week(m.clock, 0), 2, "0"),
    "y": lambda m: (m.clock.year % 100, 2, "0"),
    "Y": lambda m: (m.clock.year, 1, "0"),
}


def _week(clock: datetime, first_day: int) -> int:
    """Week of the year when weeks begin on `first_day` (0 Monday, 6 Sunday); days before the first such day are week
    0.
    """
    since_first = (clock.weekday() - first_day) % 7
    return (clock.timetuple().tm_yday + 6 - since_first) // 7


def _nanoseconds(moment: Moment, flags: str, width: str) -> str:
    """%N and its widths: so many digits; with - or _ trailing zeros go, or become spaces."""
    digits = f"{moment.epoch % SECOND:09d}"
    places = int(width) if width else 9
    if "_" in flags:
        return (digits[:places].rstrip("0") or "0").ljust(places)
    if "-" in flags and width:
        return digits[:places].rstrip("0") or "0"
    return digits[:places].ljust(places, "0")


def _number(value: int, flags: str, width: str, fill: str, digits: int) -> str:
    for flag in flags:
        fill = {"_": " ", "0": "0", "+": "0", "-": ""}.get(flag, fill)
    if fill == "":
        return str(value)
    return str(value).rjust(int(width or digits), fill)


def _cased(text: str, flags: str, letter: str) -> str:
    if "^" in flags:
        return text.upper()
    if "#" in flags:
        return text.lower() if letter in ("p", "Z") else text.upper()
    return text


def _padded(text: str, flags: str, width: str, fill: str, digits: int) -> str:
    for flag in flags:
        fill = {"_": " ", "0": "0", "+": "0"}.get(flag, fill)
    return text.rjust(int(width), fill) if width and "-" not in flags else text
