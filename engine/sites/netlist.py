"""A fabric as ibnetdiscover writes it and as the simulator ibsim reads it: nodes, their ports, and where each cable
ends.

Format: infiniband-diags 44 and ibsim 0.10. Before a node stand lines `vendid=`, `devid=`, `sysimgguid=` and
`switchguid=` or `caguid=`. A node is `Switch 64 "S-b0cf0e0300000000" # "name" enhanced port 0 lid 4 lmc 0` or
`Ca 1 "H-..." # "name"`. Then comes a line for each port with a cable: `[1] "H-..."[1](port GUID) # "name" lid 5 4xNDR`
of a switch, `[1](port GUID) "S-..."[1] # lid 5 lmc 0 "name" lid 4 4xNDR` of an adapter. Ports without a cable are not
listed. Names, LIDs and speeds are read from what stands behind `#`, as ibsim does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.kernel.places import DocumentError, Location, Problem

_HIGHEST_PORT = 254
_KEY = re.compile(r"(vendid|devid|sysimgguid|switchguid|caguid|rtguid)=0x([0-9a-fA-F]+)(?:\([0-9a-fA-F]+\))?\s*$")
_NODE = re.compile(r'(Switch|Ca|Rt)\s+(\d+)\s+"([^"]+)"\s*(?:#\s*(.*))?$')
_PORT = re.compile(r'\[(\d+)\](?:\(([0-9a-fA-F]+)\))?\s*"([^"]+)"\[(\d+)\](?:\(([0-9a-fA-F]+)\))?\s*(?:#\s*(.*))?$')
_NAME = re.compile(r'"([^"]*)"')
_LID = re.compile(r"\blid (\d+)")
_SPEED = re.compile(r"(\d+x[A-Z]+)\s*$")


@dataclass(frozen=True, slots=True)
class NetlistPort:
    """A port with a cable: the node and port at the other end, its own GUID (0 where none is written), its LID (of an
    adapter's port; 0 where none is written) and the speed as it is written (`4xNDR`, or nothing).
    """

    peer: str
    peer_port: int
    guid: int
    lid: int
    speed: str


@dataclass(frozen=True, slots=True)
class NetlistNode:
    """A node: `kind` is Switch, Ca or Rt; `ports` how many it has; `lid` that of a switch's port 0 (0: none)."""

    identifier: str
    kind: str
    guid: int
    ports: int
    description: str
    lid: int
    line: int
    identity: Mapping[str, int] = field(default_factory=dict)
    links: dict[int, NetlistPort] = field(default_factory=dict)

    @property
    def switch(self) -> bool:
        """Whether it forwards."""
        return self.kind == "Switch"

    def port_guid(self, number: int) -> int:
        """The GUID of a port: as it is written, else the node's own plus the port's number (ibsim's rule); a switch has
        one for all."""
        if self.switch:
            return self.guid
        return self.links[number].guid or self.guid + number


@dataclass(frozen=True, slots=True)
class Netlist:
    """A whole fabric: nodes by identifier, in the order of the file. The first is where its reader stood."""

    nodes: Mapping[str, NetlistNode]


def parse_netlist(text: str, name: str) -> Netlist:
    """Read a fabric from the file called `name`. Raises DocumentError with every mistake as file:line."""
    reader = _Reader(name)
    for number, line in enumerate(text.splitlines(), 1):
        reader.take(line.strip(), number)
    reader.check_cables()
    if not reader.nodes and not reader.problems:
        reader.complain(
            1, 'no node found; expected the output of ibnetdiscover, with lines such as `Switch 64 "S-..."`'
        )
    if reader.problems:
        raise DocumentError(reader.problems)
    return Netlist(reader.nodes)


class _Reader:
    """What has been read so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.nodes: dict[str, NetlistNode] = {}
        self.problems: list[Problem] = []
        self._identity: dict[str, int] = {}
        self._node: NetlistNode | None = None
        self._lines: dict[tuple[str, int], int] = {}

    def complain(self, line: int, text: str) -> None:
        """Remember a mistake."""
        self.problems.append(Problem(Location(self.name, line), text))

    def take(self, line: str, number: int) -> None:
        """Read one line."""
        if not line or line.startswith("#"):
            return
        if line.startswith("["):
            self._take_port(line, number)
        elif found := _KEY.match(line):
            self._identity[found[1]] = int(found[2], 16)
        elif found := _NODE.match(line):
            self._take_node(found, number)
        else:
            self.complain(number, "this line is neither a key such as `switchguid=0x...`, nor a node, nor a port")

    def _take_node(self, found: re.Match[str], number: int) -> None:
        kind, identifier, comment = found[1], found[3], found[4] or ""
        key = {"Switch": "switchguid", "Ca": "caguid", "Rt": "rtguid"}[kind]
        self._node = None
        if identifier in self.nodes:
            self.complain(number, f'the node "{identifier}" is there already, in line {self.nodes[identifier].line}')
        elif key not in self._identity:
            self.complain(number, f"a line `{key}=0x...` must stand before this node")
        elif not 1 <= int(found[2]) <= _HIGHEST_PORT:
            self.complain(number, f"a node has 1 to {_HIGHEST_PORT} ports, found {found[2]}")
        else:
            described, lid = _NAME.match(comment), _LID.search(_NAME.sub("", comment))
            self._node = self.nodes[identifier] = NetlistNode(
                identifier,
                kind,
                self._identity[key],
                int(found[2]),
                described[1] if described else "",
                int(lid[1]) if lid else 0,
                number,
                self._identity,
            )
        self._identity = {}

    def _take_port(self, line: str, number: int) -> None:
        found = _PORT.match(line)
        if found is None:
            self.complain(number, 'a port must be written as `[1] "S-..."[2]`')
        elif self._node is None:
            self.complain(number, "a port must stand below its node")
        elif not 1 <= int(found[1]) <= self._node.ports:
            self.complain(number, f"the node has ports 1 to {self._node.ports}, found {found[1]}")
        elif int(found[1]) in self._node.links:
            self.complain(number, f"port {found[1]} is there already")
        else:
            comment = found[6] or ""
            lid = _LID.match(comment)
            speed = _SPEED.search(comment)
            self._node.links[int(found[1])] = NetlistPort(
                found[3], int(found[4]), int(found[2] or "0", 16), int(lid[1]) if lid else 0, speed[1] if speed else ""
            )
            self._lines[self._node.identifier, int(found[1])] = number

    def check_cables(self) -> None:
        """Both ends of a cable must say the same."""
        for (identifier, port), line in self._lines.items():
            link = self.nodes[identifier].links[port]
            far = self.nodes.get(link.peer)
            if far is None:
                self.complain(line, f'the cable of port {port} ends at "{link.peer}", which is not in this file')
                continue
            back = far.links.get(link.peer_port)
            if back is None or (back.peer, back.peer_port) != (identifier, port):
                self.complain(
                    line,
                    f'the cable of port {port} ends at port {link.peer_port} of "{link.peer}", '
                    + (f'whose own ends at port {back.peer_port} of "{back.peer}"' if back else "which has no cable"),
                )
