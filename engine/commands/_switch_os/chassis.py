"""MLNX-OS's looks at a switch's own parts: fans, temperatures, power supplies, and how long it has been up.

A switch of these sites is healthy as long as it has power, so that its sensors only wander a little around what such a
switch shows. Guesses: the columns, after NVIDIA's manual of MLNX-OS and Onyx; speeds, temperatures; which sensors
there are. Seven fan modules and two supplies that share the load, 747 W with passive cables, 1,720 W at most: data
sheet of the QM9700.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.kernel.random import hash64
from engine.kernel.units import DAY, HOUR, MILLISECOND, MINUTE, SECOND

UP_BEFORE = 93 * DAY
"""How long a switch had been up when the site began (guess)."""

_FAN_MODULES, _FANS_EACH, _SUPPLIES = 7, 2, 2
_FAN_SPEED, _POWER, _VOLTAGE = 6_400, 860, 230
_SENSORS = (
    ("MGMT", "ASIC", 55),
    ("MGMT", "Ports AMB temp", 34),
    ("MGMT", "Board AMB temp", 31),
    ("MGMT", "CPU Core Sensor", 47),
    ("PS1", "power-mon", 38),
    ("PS2", "power-mon", 39),
)


def fans(switch: str, now: int) -> list[str]:
    """`show fan`."""
    names = [(f"FAN{module}", f"F{fan}") for module in range(1, _FAN_MODULES + 1) for fan in range(1, _FANS_EACH + 1)]
    names += [(f"PS{supply}", "F1") for supply in range(1, _SUPPLIES + 1)]
    rows = [
        (module, "FAN", fan, f"{_FAN_SPEED + _wander(switch, now, module, fan, spread=160)}.00", "OK")
        for module, fan in names
    ]
    return _table(("Module", "Device", "Fan", "Speed", "Status"), ("", "", "", "(RPM)", ""), rows, (16, 16, 6, 12, 6))


def temperatures(switch: str, now: int) -> list[str]:
    """`show temperature`."""
    rows = [
        (module, sensor, "T1", f"{usual + _wander(switch, now, module, sensor, spread=3)}.00", "OK")
        for module, sensor, usual in _SENSORS
    ]
    heads = ("Module", "Component", "Reg", "CurTemp", "Status")
    return _table(heads, ("", "", "", "(Celsius)", ""), rows, (12, 28, 6, 12, 6))


def supplies(switch: str, now: int) -> list[str]:
    """`show power`."""
    rows = []
    for number in range(1, _SUPPLIES + 1):
        watts = _POWER // _SUPPLIES + _wander(switch, now, "PS", str(number), spread=14)
        current = f"{watts // _VOLTAGE}.{watts * 100 // _VOLTAGE % 100:02d}"
        rows.append((f"PS{number}", "power-mon", "input", f"{watts}.00", f"{_VOLTAGE}.00", current, "AC", "OK"))
    heads = ("Module", "Device", "Sensor", "Power", "Voltage", "Current", "Feed", "Status")
    return _table(heads, ("", "", "", "[Watts]", "[Volts]", "[Amp]", "", ""), rows, (8, 12, 9, 10, 10, 10, 6, 6))


def span(time: int) -> str:
    """A time as MLNX-OS writes it: `93d 2h 5m 12.345s`."""
    parts, rest = list[str](), time
    for letter, size in (("d", DAY), ("h", HOUR), ("m", MINUTE)):
        count, rest = divmod(rest, size)
        parts += [f"{count}{letter}"] if count or parts else []
    return " ".join((*parts, f"{rest // SECOND}.{rest % SECOND // MILLISECOND:03d}s"))


def _wander(switch: str, now: int, *what: str, spread: int) -> int:
    """A whole number from -spread to spread that changes every half minute."""
    return hash64("switch sensor", switch, *what, now // (30 * SECOND)) % (2 * spread + 1) - spread


def _table(
    heads: tuple[str, ...], units: tuple[str, ...], rows: Sequence[tuple[str, ...]], widths: tuple[int, ...]
) -> list[str]:
    rule = "-" * sum(widths)
    lines = [_row(heads, widths), _row(units, widths)]
    return [rule, *lines, rule, *(_row(row, widths) for row in rows)]


def _row(cells: tuple[str, ...], widths: tuple[int, ...]) -> str:
    return "".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
