"""Partitions as the master makes them in every sweep, and the tables of partition keys that it writes into ports.

Rules of opensm 3.3.23 (osm_prtn.c, osm_pkey_mgr.c, osm_pkey.c): the default partition 0x7fff always exists, with all
ports as limited members and the manager's own as a full one; without a file, all are full members. The default key
stands at index 0, unless a partition is flagged `indx0`. A key keeps its index as long as it stays; new ones follow
after the last index that was ever used, in the order of partitions in memory (by byte-swapped key); one that comes back
gets its old index. The port of a switch that leads to an adapter gets the adapter's keys without gaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from engine.control import files
from engine.control.subnet_manager import configuration
from engine.control.subnet_manager.lids import FABRIC, fresh_lids, host_of_manager, port_guid
from engine.control.subnet_manager.managers import Manager
from engine.control.subnet_manager.partition_file import FULL as FULL_MEMBER
from engine.control.subnet_manager.partition_file import Definition, definitions
from engine.physics.partition_keys import FULL, base
from engine.world.records import KeyTable, Partition
from engine.world.world import World

DEFAULT_FILE = "Default=0x7fff, ipoib : ALL=full;\n"
"""The file of a new site."""

CAPACITY = {True: 32, False: 128}
"""Entries of the table, of switches and of adapters (a guess, by what ConnectX and Quantum ports report)."""

DEFAULT = 0x7FFF
_WRONG = "osm_prtn_make_partitions: Partition configuration in error; retrying with default config"
_UNTOUCHED = Partition("Default", DEFAULT, ipoib=True)
_SWITCHES, _ADAPTERS = "ALL_SWITCHES", "ALL_CAS"


def partitions(world: World) -> tuple[Partition, ...]:
    """The partitions that the last sweep made."""
    made = world.subnet_manager[FABRIC].partitions
    return (_UNTOUCHED,) if made is None else made


def give_keys(world: World, manager: Manager, found: Mapping[int, int]) -> tuple[bool, tuple[str, ...]]:
    """Read the file and write the tables of the ports that a sweep has found (their GUIDs are keys of `found`).

    Returns whether any table changed, and what opensm logs.
    """
    text = _text(world, manager)
    if text == DEFAULT_FILE and world.subnet_manager[FABRIC].partitions is None:
        return False, ()
    ends = {port_guid(world.inventory, end): end for end in fresh_lids(world.inventory)}
    present = {guid: end for guid, end in ends.items() if guid in found}
    made, lines = _definitions(text)
    wanted = _memberships(made, present, manager.guid)
    world.subnet_manager.update(FABRIC, partitions=tuple(_partition(each) for each in made if wanted[each.key]))
    first = _first_keys(made, present, manager.guid)
    changed = False
    for guid, end in present.items():
        asked = [key | (FULL if full[guid] else 0) for key, full in wanted.items() if guid in full]
        table = _table(world.partition_keys[end], asked, first.get(guid, 0), CAPACITY[end.count("/") == 1])
        changed |= _write(world, end, table)
    return changed, lines


def switch_keys(world: World, far: str | None) -> tuple[int, ...]:
    """The table of a switch's external port: the keys of the adapter behind it. `far` is None or a switch's port where
    there is none; that has the default key alone.
    """
    if far is None or far.count("/") == 1:
        return KeyTable().keys
    return tuple(key for key in world.partition_keys[far].keys if base(key))


def _text(world: World, manager: Manager) -> str | None:
    """The partition file; None where there is none. Switches have what was set at their command line: nothing yet."""
    if manager.on_switch:
        return DEFAULT_FILE
    path = configuration.word(world, "partition_config_file", manager.place)
    own = host_of_manager(world.inventory)
    there = own is not None and own.node == manager.place and path == configuration.PARTITIONS
    found = files.text(world, manager.place, path, DEFAULT_FILE if there else "\0")
    return None if found == "\0" or files.removed(world, manager.place, path) else found


def _definitions(text: str | None) -> tuple[list[Definition], tuple[str, ...]]:
    """One for each partition, in the order in which opensm keeps them, and what it logs."""
    problem = None
    standing = Definition("Default", DEFAULT, members=[("ALL", "limited"), ("SELF", FULL_MEMBER)])
    whole = Definition("Default", DEFAULT, ipoib=True, members=[("ALL", FULL_MEMBER)])
    read = list[Definition]()
    if text is not None:
        read, problem = definitions(text)
        if not read and not problem:
            problem = ""
    if text is None or problem is not None:
        said = ([problem] if problem else []) + ([_WRONG] if text is not None else [])
        return [whole], tuple(said)
    by_key = {DEFAULT: standing}
    free = iter(range(1, DEFAULT))
    for each in read:
        named = next((known for known in by_key.values() if each.name and known.name == each.name), None)
        key = each.key or (named.key if named else next(number for number in free if number not in by_key))
        _add(by_key, key, each)
    return [by_key[key] for key in sorted(by_key, key=_swapped)], ()


def _add(by_key: dict[int, Definition], key: int, each: Definition) -> None:
    known = by_key.setdefault(key, Definition(each.name or f"{key:04x}", key))
    known.members += each.members
    known.ipoib |= each.ipoib
    known.first |= each.first
    if each.ipoib:
        known.rate, known.mtu, known.level = each.rate, each.mtu, each.level


def _swapped(key: int) -> int:
    """A key as opensm orders it: its bytes in network order, read by a little-endian machine."""
    return (key & 0xFF) << 8 | key >> 8


def _memberships(made: Iterable[Definition], ends: Mapping[int, str], own: int) -> dict[int, dict[int, bool]]:
    """For each key, which port GUIDs are members, and whether full ones; the last word about a port counts."""
    found = dict[int, dict[int, bool]]()
    for each in made:
        full = found.setdefault(each.key, {})
        for selector, membership in each.members:
            full.update({guid: membership == FULL_MEMBER for guid in _selected(selector, ends, own)})
    return found


def _first_keys(made: Iterable[Definition], ends: Mapping[int, str], own: int) -> dict[int, int]:
    """The keys that are to stand at index 0, by port GUID."""
    flagged = [each for each in made if each.first]
    return {
        guid: each.key for each in flagged for selector, _ in each.members for guid in _selected(selector, ends, own)
    }


def _selected(selector: str, ends: Mapping[int, str], own: int) -> list[int]:
    if selector == "SELF":
        return [own]
    if selector in ("ALL", _SWITCHES, _ADAPTERS, "ALL_ROUTERS"):
        depth = {_SWITCHES: (1,), _ADAPTERS: (2,), "ALL": (1, 2)}.get(selector, ())
        return [guid for guid, end in ends.items() if end.count("/") in depth]
    guid = int(selector, 16)
    return [guid] if guid in ends else []


def _table(old: KeyTable, asked: Sequence[int], first: int, capacity: int) -> KeyTable:
    """The table after the old one that holds the keys `asked`; `first` is the key for index 0 (0: the default key)."""
    front = first or DEFAULT
    places = {base(key): index for index, key in enumerate(old.keys) if base(key)}
    keys, given = [0] * capacity, [*old.given, *[0] * (capacity - len(old.given))]
    new = list[int]()
    for key in asked:
        index = places.get(base(key))
        if index is None or (index == 0) != (base(key) == front):
            new.append(key)
            given = [0 if place == index else was for place, was in enumerate(given)]
        else:
            keys[index] = given[index] = key
    for key in new:
        index = 0 if base(key) == front else _free(keys, given, key)
        if index is not None:
            keys[index] = given[index] = key
    return KeyTable(_short(keys), _short(given))


def _free(keys: Sequence[int], given: Sequence[int], key: int) -> int | None:
    """Where a new key goes: where it was before, or after the last index in use, or to a free one; None if all are
    taken.
    """
    if key in given[1:]:
        return given.index(key, 1)
    last = max((index for index, was in enumerate(given) if was), default=0)
    if last + 1 < len(keys):
        return last + 1
    return next((index for index, held in enumerate(keys) if index and not held), None)


def _short(keys: Sequence[int]) -> tuple[int, ...]:
    last = max((index for index, key in enumerate(keys) if key), default=-1)
    return tuple(keys[: last + 1])


def _write(world: World, end: str, table: KeyTable) -> bool:
    """Returns whether the keys are others than before."""
    before = world.partition_keys[end]
    if table == before:
        return False
    if table == KeyTable():
        world.partition_keys.forget(end)
    else:
        world.partition_keys[end] = table
    return table.keys != before.keys


def _partition(each: Definition) -> Partition:
    return Partition(each.name, each.key, each.ipoib, each.rate, each.mtu, each.level)
