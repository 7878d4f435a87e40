"""Forwarding tables as ibroute, dump_lfts and dump_fts of infiniband-diags 44 print them.

`ibroute LID` names the switch by its LID; dump_fts finds switches on direct routes and prints them in reverse order of
discovery. Both leave entries out whose port the switch does not have (dump_fts those from port 128 on too), and never
read the block that starts at the highest LID when that is a multiple of 64.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.control.subnet_manager.routing.engines import Tables
from engine.control.subnet_manager.routing.fabric import NO_ROUTE, Fabric

_BLOCK = 64
_HIGHEST_OF_DUMP_FTS = 127


def next_port(tables: Tables, switch: int, lid: int) -> int:
    """The port by which the switch with this GUID sends packets to a LID; NO_ROUTE if its table has none."""
    table = tables.get(switch, b"")
    return table[lid] if lid < len(table) else NO_ROUTE


def destinations(fabric: Fabric, names: Mapping[int, str]) -> dict[int, str]:
    """What is said of each LID: `: (Switch portguid 0x...: 'name')`. `names` are descriptions by port GUID."""
    found = {}
    for kind, guids, lids in (
        ("Channel Adapter", fabric.end_guids, fabric.end_lids),
        ("Switch", fabric.switch_guids, fabric.switch_lids),
    ):
        for guid, lid in zip(guids, lids, strict=True):
            found[lid] = f": ({kind} portguid 0x{guid:016x}: '{names.get(guid, '')}')"
    return found


def ibroute_text(fabric: Fabric, switch: int, table: bytes, names: Mapping[int, str]) -> str:
    """What `ibroute LID` prints of the switch at this place of the table order."""
    place, ports = f"Lid {fabric.switch_lids[switch]}", fabric.switch_ports[switch]
    return _text(table, ports, _head(fabric, switch, place, names), destinations(fabric, names))


def dump_fts_text(
    fabric: Fabric, tables: Tables, routes: Sequence[tuple[int, str]], names: Mapping[int, str]
) -> Iterator[str]:
    """What dump_fts prints, a text for each switch. `routes` are GUIDs and direct routes (`0,1,33`) of the switches in
    order of discovery.
    """
    told = destinations(fabric, names)
    for guid, path in reversed(routes):
        switch = fabric.switch_index[guid]
        ports = min(fabric.switch_ports[switch], _HIGHEST_OF_DUMP_FTS)
        yield _text(tables[guid], ports, _head(fabric, switch, f"DR path slid 0; dlid 0; {path}", names), told)


def _head(fabric: Fabric, switch: int, place: str, names: Mapping[int, str]) -> str:
    guid = fabric.switch_guids[switch]
    return f"of switch {place} guid 0x{guid:016x} ({names.get(guid, '')})"


def _text(table: bytes, ports: int, head: str, told: Mapping[int, str]) -> str:
    """The entries of a table with ports up to `ports`."""
    top = len(table) - 1
    end = min(top, -(-top // _BLOCK) * _BLOCK - 1)
    lines = [f"0x{lid:04x} {table[lid]:03d} {told.get(lid, '')}\n" for lid in range(1, end + 1) if table[lid] <= ports]
    return (
        f"Unicast lids [0x0-0x{top:x}] {head}:\n"
        "  Lid  Out   Destination\n"
        "       Port     Info \n"
        f"{''.join(lines)}{len(lines)} valid lids dumped \n"
    )
