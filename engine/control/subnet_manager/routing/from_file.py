"""Forwarding tables that opensm's routing engine `file` takes from a dump of dump_fts (`-U`, `lfts_file`).

A switch that the dump has not, and a LID that it does not name for a switch, have no way. Where an entry names the port
whose LID it is, it counts for the LID that the port has now. Nothing is looked at but the dump: entries lead into
links that are gone as well, and into circles. Source: osm_ucast_file.c of opensm 3.3.23, with its words.
Simplification: where the reading breaks off, minhop begins evenly; opensm balances with what was read until then.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from engine.control.subnet_manager.routing.fabric import NO_ROUTE, Fabric

_SWITCH = re.compile(r"Unicast lids")
_SWITCH_GUID = re.compile(r" guid 0x([0-9a-fA-F]+)\s")
_LID = re.compile(r"0x([0-9a-fA-F]+)\s")
_PORT = re.compile(r"\s*(\d+)\s")
_PORT_GUID = re.compile(r" portguid 0x([0-9a-fA-F]+)[\s:]")


@dataclass(frozen=True, slots=True)
class TablesFile:
    """The file that is named, and its text; None where there is no such file."""

    path: str
    text: str | None


def tables_of_file(fabric: Fabric, source: TablesFile, lines: list[str]) -> Mapping[int, bytes] | None:
    """Tables by the GUIDs of the switches; None if opensm cannot read the file. `lines` are what it logs."""
    if source.text is None:
        lines.append(f"{_WHO}: ERR 6302: Can't open ucast dump file '{source.path}': No such file or directory")
        return None
    width = fabric.highest_lid + 1
    tables = {guid: bytearray([NO_ROUTE]) * width for guid in fabric.switch_guids}
    lids = dict(zip((*fabric.switch_guids, *fabric.end_guids), (*fabric.switch_lids, *fabric.end_lids), strict=True))
    table, ports, switch = None, 0, 0
    for number, raw in enumerate(source.text.splitlines(keepends=True), 1):
        line = raw.lstrip()
        if _SWITCH.match(line):
            found = _SWITCH_GUID.search(line)
            if not found:
                lines.append(_unread(source, number, "cannot parse switch definition"))
                return None
            switch = int(found[1], 16)
            table = tables.get(switch)
            ports = fabric.switch_ports[fabric.switch_index[switch]] if table is not None else 0
        elif table is not None and line.startswith("0x"):
            entry = _entry(line)
            if isinstance(entry, str):
                lines.append(_unread(source, number, entry))
                return None
            lid, port, guid = entry
            if port > ports:
                lines.append(f"{_WHO}: Invalid port {port} found for switch {switch:016x}")
                return None
            if 0 < (now := lids.get(guid, lid)) < width:
                table[now] = port
    return {guid: bytes(entries) for guid, entries in tables.items()}


_WHO = "do_ucast_file_load"


def _entry(line: str) -> tuple[int, int, int] | str:
    """LID, port, and the GUID of the port whose LID it is (0 where it is not told); or what cannot be read."""
    lid = _LID.match(line)
    if not lid:
        return f"cannot parse lid: '{line[2:]}'"
    rest = line[lid.end() - 1 :]
    port = _PORT.match(rest)
    if not port:
        return f"cannot parse port: '{rest.lstrip()}'"
    guid = _PORT_GUID.search(rest)
    return int(lid[1], 16) & 0xFFFF, int(port[1]) & 0xFF, int(guid[1], 16) if guid else 0


def _unread(source: TablesFile, number: int, problem: str) -> str:
    return f"{_WHO}: PARSE ERROR: {source.path}:{number}: {problem}"
