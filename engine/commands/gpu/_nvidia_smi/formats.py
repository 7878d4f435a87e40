"""How nvidia-smi writes values: watts, flags, dates, masks."""

from __future__ import annotations

from engine.kernel.calendar import local
from engine.kernel.units import MILLISECOND, SECOND
from engine.world.inventory import Inventory

DEPRECATED = "Requested functionality has been deprecated"

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def watts(milliwatts: int) -> str:
    """With two decimals, as in `69.85`."""
    hundredths = (milliwatts + 5) // 10
    return f"{hundredths // 100}.{hundredths % 100:02d}"


def whole_watts(milliwatts: int) -> int:
    return milliwatts // 1000


def enabled(flag: bool) -> str:
    return "Enabled" if flag else "Disabled"


def active(flag: bool) -> str:
    return "Active" if flag else "Not Active"


def yes(flag: bool) -> str:
    return "Yes" if flag else "No"


def hexadecimal(number: int, digits: int) -> str:
    """Upper case with 0x in front."""
    return f"0x{number:0{digits}X}"


def date_line(inventory: Inventory, now: int) -> str:
    """The hosts' time at `now` as C's ctime writes it: `Tue Jul 14 08:12:38 2026`."""
    moment = local(inventory.timezone, inventory.start + now)
    day, month = _DAYS[moment.weekday()], _MONTHS[moment.month - 1]
    return f"{day} {month} {moment.day:>2} {moment:%H:%M:%S} {moment.year}"


def query_time(inventory: Inventory, now: int) -> str:
    """The hosts' time at `now` in a query: `2026/07/14 08:12:38.696`."""
    moment = local(inventory.timezone, inventory.start + now)
    milliseconds = (inventory.start + now) % SECOND // MILLISECOND
    return f"{moment:%Y/%m/%d %H:%M:%S}.{milliseconds:03d}"
