"""guid2lid, the file in which opensm keeps LIDs over its restarts, and what it knows when its first sweep begins.

Who starts reads the file; who comes out of standby does so only with honor_guid2lid_file, otherwise it goes by what
ports have; with reassign_lids everything begins at LID 1. What the file says of a port counts before the LID that the
port has; an entry whose LID is in use already, or is none, is dropped (osm_lid_mgr.c, osm_db_files.c, osm_db_pack.c of
opensm 3.3.23: grammar, and what is logged). A sweep that gives LIDs that the file does not have writes it anew. Guess:
the order of entries, by LID; the real one is that of a hash table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

from engine.control import files
from engine.control.subnet_manager import configuration
from engine.control.subnet_manager.lids import FABRIC, fresh_lids, host_of_manager, port_guid, swapped
from engine.control.subnet_manager.managers import Manager
from engine.kernel.simulation import Simulation
from engine.world.inventory import Inventory
from engine.world.records import WrittenFile
from engine.world.world import World

FILE = "/var/cache/opensm/guid2lid"
_HIGHEST = 0xBFFF
_FORM = re.compile(r"(0[xX][0-9a-fA-F]+)|(0[0-7]*)|[1-9]\d*")
_NOTHING: Mapping[int, int] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Entries:
    """LIDs by port GUID as the file has them, and what opensm logs about the rest."""

    lids: Mapping[int, int] = field(default_factory=lambda: _NOTHING)
    lines: tuple[str, ...] = ()


def text(lids: Mapping[int, int]) -> str:
    """The file with these LIDs by port GUID."""
    return "".join(f"0x{guid:016x} 0x{lid:04x} 0x{lid:04x}\n\n" for guid, lid in sorted(lids.items(), key=_by_lid))


def standing(world: World, place: str) -> str:
    """The file as it stands on a node."""
    own = host_of_manager(world.inventory)
    return files.text(world, place, FILE, text(remembered(world)) if own and own.node == place else "")


def remembered(world: World) -> Mapping[int, int]:
    """LIDs by port GUID that the master remembers, of absent ports too."""
    given = world.subnet_manager[FABRIC].lids
    return _of_a_new_site(world.plan) if given is None else dict(given)


def read(world: World, place: str) -> Entries:
    """What the manager at a place takes from its file when it starts."""
    if place in world.inventory.switches or configuration.is_on(world, "reassign_lids", place):
        return Entries()
    return Entries(remembered(world)) if _untouched(world, place) else parse(standing(world, place))


@lru_cache(maxsize=4)
def parse(content: str) -> Entries:
    """The entries that count: each a GUID and its lowest and highest LID, and then an empty line. What was read last is
    kept: a file may have an entry for every LID.
    """
    found, lines, taken = dict[str, str](), list[str](), set[int]()
    for block in re.split(r"\n[ \t]*\n", content):
        words = block.split()
        if not words:
            continue
        if words[0] in found:
            known = f"Key:{words[0]} already exists in:{FILE} with value:{found[words[0]]}. Removing it"
            lines.append(f"osm_db_restore: ERR 6106: {known}")
        elif _number(words[0]) is None:
            lines.append(f"osm_db_restore: ERR 610B: Key:{words[0]} is invalid")
        else:
            found[words[0]] = " ".join(words[1:])
    lids = dict[int, int]()
    for key, value in found.items():
        guid, numbers = _number(key) or 0, _numbers(value)
        problem = _problem(guid, numbers, taken)
        if problem:
            lines.append(f"lid_mgr_validate_db: ERR {problem}")
        else:
            lids[guid] = numbers[0]
            taken.add(numbers[0])
    return Entries(MappingProxyType(lids), tuple(lines))


def known_at_first(world: World, manager: Manager, found: Iterable[int]) -> tuple[Mapping[int, int], tuple[str, ...]]:
    """What a manager knows when its first sweep begins, and what it logs. `found` are the port GUIDs in its reach."""
    place = manager.place
    if configuration.is_on(world, "reassign_lids", place):
        return _NOTHING, ()
    stood_by = world.managers[place].stood_by
    honoured = not stood_by or configuration.is_on(world, "honor_guid2lid_file", place)
    entries = read(world, place) if honoured else Entries()
    known, present = dict(entries.lids), _present(world)
    taken = set(known.values())
    for guid in (manager.guid, *sorted(found, key=swapped)):
        lid = present.get(guid, 0)
        if guid not in known and lid and lid not in taken:
            known[guid] = lid
            taken.add(lid)
    return known, entries.lines if stood_by else ()


def remember(simulation: Simulation[World], place: str, lids: Mapping[int, int]) -> None:
    """Keep what the master, at `place`, knows now. The file of the site's first manager stays as that one left it."""
    world = simulation.world
    site, own = _of_a_new_site(world.plan), host_of_manager(world.inventory)
    before = remembered(world)
    if own and own.node != place and dict(before) != dict(lids) and not files.changed(world, own.node, FILE):
        files.put(simulation, own.node, {FILE: WrittenFile(text(before).encode(), 0o644, 0, 0, 0)})
    kept = None if dict(lids) == dict(site) else tuple(sorted(lids.items()))
    world.subnet_manager.update(FABRIC, lids=kept)


def store(simulation: Simulation[World], place: str) -> None:
    """The master writes its file, where it says something else than the master knows."""
    world = simulation.world
    lids = remembered(world)
    if place in world.inventory.switches or _untouched(world, place):
        return
    if dict(parse(standing(world, place)).lids) == dict(lids):
        return
    files.write(simulation, place, FILE, text(lids).encode(), uid=0, gid=0)


def _untouched(world: World, place: str) -> bool:
    """Whether the file is that of the site's first manager as it keeps it itself: always what the master remembers."""
    own = host_of_manager(world.inventory)
    return own is not None and own.node == place and not files.changed(world, place, FILE)


def _present(world: World) -> Mapping[int, int]:
    """LIDs that ports have, by GUID."""
    fresh = fresh_lids(world.inventory)
    ends = dict.fromkeys((*fresh, *(end for end in world.ports.changed() if world.ports[end].lid)))
    stored = {end: world.ports[end].lid for end in ends}
    lids = {end: fresh.get(end, 0) if lid is None else lid for end, lid in stored.items()}
    return {port_guid(world.inventory, end): lid for end, lid in lids.items()}


def _of_a_new_site(inventory: Inventory) -> Mapping[int, int]:
    from engine.control.subnet_manager.routing.sources import known_lids_of_a_new_site

    return known_lids_of_a_new_site(inventory)


def _problem(guid: int, numbers: list[int], taken: set[int]) -> str:
    """Why an entry does not count; "" if it does."""
    if len(numbers) < 2:
        return f"0311: could not get lid for guid:0x{guid:016x}"
    low, high = numbers
    if low > high or not low or not guid or high > _HIGHEST:
        return f"0312: Illegal LID range [{low}:{high}] for guid:0x{guid:016x}"
    used = next((lid for lid in range(low, high + 1) if lid in taken), None)
    return "" if used is None else f"0314: 0x{used:04x} for guid:0x{guid:016x} was previously used"


def _numbers(value: str) -> list[int]:
    """The first two numbers of a value, as strtoul reads them; fewer where one is too large for a LID."""
    found = [_number(word) or 0 for word in value.split()[:2]]
    return found if all(number <= _HIGHEST for number in found) else []


def _number(word: str) -> int | None:
    """As strtoul reads a number whose base it shows."""
    form = _FORM.fullmatch(word)
    return int(word, 16 if form[1] else 8 if form[2] else 10) if form else None


def _by_lid(entry: tuple[int, int]) -> tuple[int, int]:
    return entry[1], entry[0]
