"""opensm.conf as opensm reads it: when it starts, and no earlier than the next start what is changed in it.

Each line is a name and a value; `#` begins a comment, quotes around a value are left out, and of two lines with one
name the last counts. What is said of values that it does not take is opensm 3.3.23's (osm_subnet.c:
osm_subn_parse_conf_file, osm_subn_verify_config), which writes it to standard output and to syslog. Only the settings
of `KNOWN` are looked at; nothing is said about names that opensm doesn't have. A manager on a switch has its priority
from the switch's administrator and otherwise the defaults.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from engine.control import files
from engine.control.subnet_manager.lids import FABRIC, host_of_manager
from engine.kernel.errors import BreakfixError
from engine.kernel.units import MILLISECOND, SECOND
from engine.world.world import World

if TYPE_CHECKING:
    from engine.control.subnet_manager.routing.engines import EngineOrder
    from engine.control.subnet_manager.routing.from_file import TablesFile

__all__ = ["FABRIC", "Reading", "Settings", "read"]

CONFIGURATION = "/etc/opensm/opensm.conf"
PARTITIONS = "/etc/opensm/partitions.conf"
DEFAULT_PRIORITY, HIGHEST_PRIORITY = 14, 15
_NUMBER = re.compile(r"(0[xX][0-9a-fA-F]+)|(0[0-7]*)|[1-9]\d*")

NUMBERS: Mapping[str, int] = MappingProxyType(
    {
        "guid": 0,
        "sm_key": 1,
        "sm_priority": DEFAULT_PRIORITY,
        "sweep_interval": 10,
        "sminfo_polling_timeout": 10_000,
        "polling_retry_number": 4,
    }
)
"""Settings that are numbers, with opensm's defaults (include/opensm/osm_base.h); the priority is NVIDIA's opensm's."""

WORDS: Mapping[str, str] = MappingProxyType(
    {"routing_engine": "", "lfts_file": "", "root_guid_file": "", "partition_config_file": PARTITIONS}
)
"""Settings that are text."""

SWITCHES = ("honor_guid2lid_file", "reassign_lids")
"""Settings that are on or off; these are off by default. Only `TRUE` in capitals is on (opts_parse_boolean)."""

READ_AGAIN = (
    *("sm_key", "sm_priority", "sweep_interval", "sminfo_polling_timeout", "polling_retry_number"),
    *("honor_guid2lid_file", "reassign_lids"),
)
"""Settings of which a change counts when opensm reads its file again, at SIGHUP (osm_subnet.c: can_update)."""

KNOWN = (*NUMBERS, *WORDS, *SWITCHES)
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


def read_again(world: World, host: str) -> Settings:
    """The settings after the signal HUP: those of `READ_AGAIN` as they are in the file, the others as they were."""
    before, now = dict(world.managers[host].settings), dict(read(world, host).settings)
    kept = {name: value for name, value in before.items() if name not in READ_AGAIN}
    return tuple(sorted((kept | {name: value for name, value in now.items() if name in READ_AGAIN}).items()))


def priority(world: World, place: str | None = None) -> int:
    """A manager's priority in elections, 0 to 15. `place` as for `number`."""
    if place is not None and place in world.inventory.switches:
        return world.managers[place].priority
    return number(world, "sm_priority", place)


def sweep_interval(world: World, place: str | None = None) -> int:
    """ns between two looks at the fabric; 0 for none."""
    return number(world, "sweep_interval", place) * SECOND


def polling(world: World, place: str) -> tuple[int, int]:
    """How long a manager that stands by waits until it asks its master again (ns), and how many questions in vain it
    forgives.
    """
    wait = number(world, "sminfo_polling_timeout", place) * MILLISECOND
    return max(wait, MILLISECOND), number(world, "polling_retry_number", place)


def engines(world: World, place: str | None = None) -> EngineOrder:
    """The routing engines that the manager tries."""
    return _order(word(world, "routing_engine", place))


def number(world: World, name: str, place: str | None = None) -> int:
    """A setting of `NUMBERS` as the manager at a place read it (None: the one that the site began with)."""
    return int(_settings(world, place).get(name, NUMBERS[name]))


def word(world: World, name: str, place: str | None = None) -> str:
    """A setting of `WORDS`; opensm takes `(null)` for none."""
    value = _settings(world, place).get(name, WORDS[name])
    return WORDS[name] if value == "(null)" else value


def is_on(world: World, name: str, place: str | None = None) -> bool:
    """A setting of `SWITCHES`."""
    return _settings(world, place).get(name, "FALSE") == "TRUE"


def root_guids(world: World, place: str) -> tuple[int, ...] | None:
    """GUIDs of the file that root_guid_file names, as it is now; None where none is named or it has none."""
    path = word(world, "root_guid_file", place)
    if not path or place in world.inventory.switches:
        return None
    found = (line.partition("#")[0].split() for line in files.text(world, place, path, "").splitlines())
    guids = tuple(int(words[0], 16) for words in found if words and re.fullmatch(r"(0[xX])?[0-9a-fA-F]+", words[0]))
    return guids or None


def tables_file(world: World, place: str) -> TablesFile | None:
    """The file that lfts_file names, as it is now; None where none is named."""
    from engine.control.subnet_manager.routing.from_file import TablesFile

    path = word(world, "lfts_file", place)
    if not path or place in world.inventory.switches:
        return None
    there = files.changed(world, place, path) and not files.removed(world, place, path)
    return TablesFile(path, files.text(world, place, path, "") if there else None)


def _settings(world: World, place: str | None) -> Mapping[str, str]:
    if place is None:
        own = host_of_manager(world.inventory)
        place = own.node if own else ""
    return dict(world.managers[place].settings)


def _order(text: str) -> EngineOrder:
    """As `engine_order`; of what is not modelled, minhop stays, and the log says so."""
    from engine.control.subnet_manager.routing.engines import EngineOrder, engine_order

    try:
        return engine_order("" if text == "(null)" else text)
    except BreakfixError as error:
        return EngineOrder(lines=(f"breakfix: {error.message}: minhop takes its place",))


def _clean(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value


def _taken(name: str, value: str, lines: list[str]) -> str | None:
    """A value as opensm takes it, a number in decimal digits; None if it does not, and `lines` say why."""
    if name in WORDS:
        return value
    if name in SWITCHES:
        return "TRUE" if value == "TRUE" else "FALSE"
    form = _NUMBER.fullmatch(value)
    if not form:
        lines.append(f"-E- Parsing error in field {name}, expected numeric input received: {value}")
        return None
    found = int(value, 16 if form[1] else 8 if form[2] else 10)
    if name == "sm_priority" and found > HIGHEST_PRIORITY:
        lines.append(f" Invalid Cached Option Value:sm_priority = {found}:Using Default:{DEFAULT_PRIORITY}")
        return None
    return str(found)
