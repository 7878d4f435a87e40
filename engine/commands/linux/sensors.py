"""sensors of lm-sensors 3.6.0 (Ubuntu 24.04): what the kernel's hardware monitors read, out of /sys/class/hwmon.

Forms are those of prog/sensors/chips.c: labels padded to the longest (at least 11), temperatures as `%+6.1f`. Only what
stands in /sys/class/hwmon is shown; of a processor that is the package's temperature, without its single cores.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fnmatch import fnmatchcase

from engine.commands.context import Context
from engine.commands.linux._support import paths
from engine.commands.linux._support.program import Suite, program
from engine.commands.options import Option, Parsed
from engine.hostfs.tree import FileError

_LM_SENSORS = Suite(
    "sensors version 3.6.0 with libsensors version 3.6.0",
    "Try `sensors -h' for more information",
    short_help=True,
)
_CLASS = "/sys/class/hwmon"
_PARTS = ("input", "max", "max_hyst", "crit", "crit_hyst", "crit_alarm")
_LIMITS = (("max", "high"), ("crit", "crit"))
_LEAST_LABEL = 11
_OPTIONS = (
    Option("j", help="print JSON"),
    Option("u", help="print the raw values"),
    Option("A", "no-adapter", help="leave out the adapters"),
    Option("f", "fahrenheit", help="print degrees Fahrenheit"),
    Option("v", "version", help="print the version"),
    Option("c", "config-file", "FILE", help="(not modelled) another configuration"),
    Option("s", "set", help="(not modelled) write limits"),
)


@dataclass(frozen=True, slots=True)
class _Thermometer:
    """A temperature: its number in the chip, label, and its values in thousandths by name."""

    number: int
    label: str
    values: tuple[tuple[str, int | None], ...]

    def value(self, part: str) -> int | None:
        """One of its values, None where there is none or it cannot be read."""
        return dict(self.values).get(part)


@dataclass(frozen=True, slots=True)
class _Chip:
    name: str
    thermometers: tuple[_Thermometer, ...]


def run(ctx: Context, parsed: Parsed) -> int:
    """Print the chips, or those that are named."""
    for key in ("set", "config_file"):
        if key in parsed:
            return ctx.not_modelled(f"sensors --{key.replace('_', '-')}")
    chips = _chips(ctx)
    if not chips:
        ctx.error(
            "No sensors found!\nMake sure you loaded all the kernel drivers you need.\n"
            "Try sensors-detect to find out which these are."
        )
        return 1
    if parsed.operands:
        chips = [chip for chip in chips if any(fnmatchcase(chip.name, name) for name in parsed.operands)]
        if not chips:
            ctx.error("Specified sensor(s) not found!")
            return 1
    if "j" in parsed:
        ctx.line(_document(chips, "no_adapter" not in parsed))
        return 0
    for chip in chips:
        ctx.line(chip.name)
        if "no_adapter" not in parsed:
            ctx.line("Adapter: ISA adapter")
        for line in _raw(chip) if "u" in parsed else _lines(chip, "fahrenheit" in parsed):
            ctx.line(line)
        ctx.line()
    return 0


def _chips(ctx: Context) -> list[_Chip]:
    try:
        names = [name for name, _ in paths.tree(ctx).entries(_CLASS)]
    except FileError:
        return []
    return [_chip(ctx, f"{_CLASS}/{name}") for name in names]


def _chip(ctx: Context, folder: str) -> _Chip:
    """A chip's name is that of its driver, the bus, and the number of the platform device."""
    device = paths.tree(ctx).real_path(folder).split("/hwmon/")[0]
    number = int(device.rpartition(".")[2])
    found = []
    for name, _ in paths.tree(ctx).entries(folder):
        if name.startswith("temp") and name.endswith("_label"):
            start = name.removesuffix("_label")
            values = [(part, _number(ctx, f"{folder}/{start}_{part}")) for part in _PARTS]
            present = [pair for pair in values if paths.tree(ctx).exists(f"{folder}/{start}_{pair[0]}")]
            label = paths.read_or(ctx, f"{folder}/{name}").strip()
            found.append(_Thermometer(int(start.removeprefix("temp")), label, tuple(present)))
    found.sort(key=lambda one: one.number)
    return _Chip(f"{paths.read_or(ctx, f'{folder}/name').strip()}-isa-{number:04x}", tuple(found))


def _number(ctx: Context, path: str) -> int | None:
    text = paths.read_or(ctx, path).strip()
    return int(text) if text else None


def _lines(chip: _Chip, fahrenheit: bool) -> list[str]:
    width = max(_LEAST_LABEL, *(len(one.label) for one in chip.thermometers)) + 1
    return [f"{one.label + ':':<{width + 1}}{_reading(one, fahrenheit)}" for one in chip.thermometers]


def _reading(one: _Thermometer, fahrenheit: bool) -> str:
    value = one.value("input")
    shown = "     N/A  " if value is None else f"{_degrees(value, fahrenheit):>8}  "
    limits = [
        f"{word} = {_degrees(limit, fahrenheit)}" for part, word in _LIMITS if (limit := one.value(part)) is not None
    ]
    return (shown + (f"({', '.join(limits)})" if limits else "")).rstrip()


def _degrees(thousandths: int, fahrenheit: bool) -> str:
    value = thousandths / 1000
    return f"{value * 9 / 5 + 32:+.1f}°F" if fahrenheit else f"{value:+.1f}°C"


def _raw(chip: _Chip) -> list[str]:
    lines = []
    for one in chip.thermometers:
        lines.append(f"{one.label}:")
        lines += [f"  temp{one.number}_{part}: {value / 1000:.3f}" for part, value in one.values if value is not None]
    return lines


def _document(chips: list[_Chip], adapter: bool) -> str:
    """sensors' own JSON: indented by three, values with three places."""
    return "{\n" + ",\n".join(_chip_document(chip, adapter) for chip in chips) + "\n}"


def _chip_document(chip: _Chip, adapter: bool) -> str:
    parts = ['      "Adapter": "ISA adapter"'] if adapter else []
    for one in chip.thermometers:
        values = [
            f'         "temp{one.number}_{part}": {value / 1000:.3f}' for part, value in one.values if value is not None
        ]
        parts.append(f"      {json.dumps(one.label)}:{{\n" + ",\n".join(values) + "\n      }")
    return f"   {json.dumps(chip.name)}:{{\n" + ",\n".join(parts) + "\n   }"


COMMAND = program(
    "sensors",
    "what the hardware monitors read",
    run,
    suite=_LM_SENSORS,
    synopsis="sensors [OPTION]... [CHIP]...",
    options=_OPTIONS,
    manual="The temperatures of the processors. Fans, supplies and the inlet are the BMC's: ipmitool sdr.",
)
