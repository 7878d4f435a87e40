"""From a netlist to tables, as a test needs them."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from engine.control.subnet_manager.routing.dump import dump_fts_text
from engine.control.subnet_manager.routing.engines import Tables
from engine.control.subnet_manager.routing.fabric import NO_ROUTE, Fabric
from engine.control.subnet_manager.routing.sources import fabric_of_netlist
from engine.sites.netlist import Netlist, parse_netlist


def fabric(text: str, known: Mapping[int, int] | None = None) -> Fabric:
    return fabric_of_netlist(parse_netlist(text, "drawn.net"), known=known or {})


def names(netlist: Netlist) -> dict[int, str]:
    """Descriptions by port GUID."""
    found = {}
    for node in netlist.nodes.values():
        for guid in [node.guid] if node.switch else [node.port_guid(port) for port in node.links]:
            found[guid] = node.description
    return found


def discovered(netlist: Netlist) -> list[tuple[int, str]]:
    """Switches in the order of discovery from the first node, breadth first, with their direct routes."""
    first = next(iter(netlist.nodes.values()))
    paths = {first.identifier: "0"}
    waiting = deque([first])
    while waiting:
        node = waiting.popleft()
        for port in sorted(node.links):
            far = netlist.nodes[node.links[port].peer]
            if far.identifier not in paths:
                paths[far.identifier] = f"{paths[node.identifier]},{port}"
                if far.switch:
                    waiting.append(far)
    return [(netlist.nodes[name].guid, path) for name, path in paths.items() if netlist.nodes[name].switch]


def dumped(text: str, known: Fabric, tables: Tables) -> str:
    """What dump_fts prints of these tables."""
    netlist = parse_netlist(text, "drawn.net")
    return "".join(dump_fts_text(known, tables, discovered(netlist), names(netlist)))


def lids(known: Fabric) -> dict[int, int]:
    """LIDs by port GUID."""
    guids = (*known.switch_guids, *known.end_guids)
    return dict(zip(guids, (*known.switch_lids, *known.end_lids), strict=True))


def path(known: Fabric, tables: Tables, start: int, lid: int) -> list[int] | None:
    """Switches on the way from one to a LID; None where it ends nowhere. Fails on a loop."""
    way = [start]
    while True:
        switch = way[-1]
        port = tables[known.switch_guids[switch]][lid]
        if port == NO_ROUTE:
            return None
        if port == 0:
            assert known.switch_lids[switch] == lid
            return way
        if (port, lid) in known.ends_of[switch]:
            return way
        far = known.peers[switch][port]
        assert far >= 0, f"port {port} of switch {switch} leads to no switch"
        assert far not in way, f"a loop on the way to LID {lid}: {[*way, far]}"
        way.append(far)
