"""opensm.conf as opensm reads it: when it starts, and no earlier than the next start what is changed in it.

Each line is a name and a value; `#` begins a comment, quotes around a value are left out, and of two lines with one
name the last counts. What is said of values that it does not take is opensm 3.3.23's (osm_subnet.c:
osm_subn_parse_conf_file, osm_subn_verify_config), which writes it to standard output and to syslog. Only the settings
of `KNOWN` are looked at; nothing is said about names that opensm doesn't have.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.control import files
from engine.kernel.errors import BreakfixError
from engine.kernel.units import SECOND
from engine.world.world import World

if TYPE_CHECKING:
    from engine.control.subnet_manager.routing.engines import EngineOrder

CONFIGURATION = "/etc/opensm/opensm.conf"
FABRIC = ""
"""The id of the fabric's entry in `world.subnet_manager`."""

DEFAULT_PRIORITY, HIGHEST_PRIORITY = 14, 15
_SWEEP_INTERVAL = 10
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+)|(0[0-7]*)|[1-9]\d*")

KNOWN = ("routing_engine", "sm_priority", "sweep_interval")
"""Settings that do something here."""

Settings = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """A file as it was read: the settings that count, and what opensm logs about it."""

    settings: Settings = ()
    lines: tuple[str, ...] = ()


def read(world: World, host: str) -> Reading:
    """What opensm on `host` takes from its file when it starts now."""
    lines, found = list[str](), dict[str, str]()
    for line in files.text(world, host, CONFIGURATION, "").splitlines():
        name, *rest = line.partition("#")[0].split(maxsplit=1) or [""]
        value = _taken(name, _clean("".join(rest)), lines) if name in KNOWN else None
        if value is not None:
            found[name] = value
    lines += _order(found.get("routing_engine", "")).lines
    return Reading(tuple(sorted(found.items())), tuple(lines))


def priority(world: World) -> int:
    """The manager's priority in elections, 0 to 15."""
    return _number(world, "sm_priority", DEFAULT_PRIORITY)


def sweep_interval(world: World) -> int:
    """ns between two looks at the fabric; 0 for none."""
    return _number(world, "sweep_interval", _SWEEP_INTERVAL) * SECOND


def engines(world: World) -> EngineOrder:
    """The routing engines that the manager tries."""
    return _order(dict(world.subnet_manager[FABRIC].settings).get("routing_engine", ""))


def _order(text: str) -> EngineOrder:
    """As `engine_order`; of what is not modelled, minhop stays, and the log says so."""
    from engine.control.subnet_manager.routing.engines import EngineOrder, engine_order

    try:
        return engine_order(text)
    except BreakfixError as error:
        return EngineOrder(lines=(f"breakfix: {error.message}: minhop takes its place",))


def _number(world: World, name: str, default: int) -> int:
    return int(dict(world.subnet_manager[FABRIC].settings).get(name, default))


def _clean(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _taken(name: str, value: str, lines: list[str]) -> str | None:
    """A value as opensm takes it, a number in decimal digits; None if it does not, and `lines` say why."""
    if name == "routing_engine":
        return value
    form = _NUMBER.fullmatch(value)
    if not form:
        lines.append(f"-E- Parsing error in field {name}, expected numeric input received: {value}")
        return None
    number = int(value, 16 if form[1] else 8 if form[2] else 10)
    if name == "sm_priority" and number > HIGHEST_PRIORITY:
        lines.append(f" Invalid Cached Option Value:sm_priority = {number}:Using Default:{DEFAULT_PRIORITY}")
        return None
    return str(number)
