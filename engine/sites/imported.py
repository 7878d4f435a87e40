"""A site from a netlist (engine.sites.netlist): hosts, switches and cables with the names, GUIDs and LIDs that the file
has for them.

A netlist knows adapters, not hosts: those that call themselves `HOST DEVICE` (rdma-ndd's way) belong to one host, any
other is a host of its own. A host with the eight compute adapters of a DGX H100 becomes one, every other a plain
server; an aggregation node is a part of its switch. What a netlist does not say is made up: addresses, racks, kind
and length of cables (optical, 10 m). The subnet manager runs where the file was written (`# Initiated from node`), or
else at its first adapter. Left out: routers, and adapters with more than one cable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from engine.kernel.hostlist import fold
from engine.kernel.places import DocumentError, Location, Problem
from engine.sites.model import BoardModel, HcaSlot, RootDevice
from engine.sites.netlist import Netlist, NetlistNode, parse_netlist
from engine.world.aggregation import DESCRIPTION, DEVICE, VENDOR
from engine.world.fabric import AGGREGATION, Identity

HOST_BOARD, DGX_BOARD = "fabric-host", "dgx-h100"
SWITCH_MODEL = "qm9700"
_DGX_DEVICES = frozenset(f"mlx5_{number}" for number in (0, 3, 4, 5, 6, 9, 10, 11))
_MOST_DEVICES = 16
_START = re.compile(r"^# Initiated from node ([0-9a-fA-F]+)", re.MULTILINE)
_NETLIST = re.compile(r"\s*(?:#[^\n]*\n\s*)*(?:vendid|devid|sysimgguid|switchguid|caguid)=|\s*(?:Switch|Ca)\s+\d+\s+\"")
_NAMED = re.compile(r"(\S+) (mlx5_\d+)$")
_SWITCH_NAMED = re.compile(r"(?:MF0;)?([^:;]+)(?::[^/]*/.*)?$")
_FASTEST = 400
_RATES = {"SDR": 10, "DDR": 20, "QDR": 40, "FDR": 56, "FDR10": 40, "EDR": 100, "HDR": 200, "NDR": 400, "XDR": 800}


@dataclass(frozen=True, slots=True)
class Adapter:
    """An adapter of a host: its device name there, and its node in the netlist."""

    device: str
    node: NetlistNode


@dataclass(frozen=True)
class ImportedFabric:
    """A netlist with the names of the site that it becomes: `hosts` are adapters by host, the manager's host first;
    `switches` are nodes by name, `aggregation` the aggregation nodes inside them by the switch's name.
    """

    hosts: Mapping[str, tuple[Adapter, ...]]
    switches: Mapping[str, NetlistNode]
    aggregation: Mapping[str, NetlistNode]

    def ports(self) -> dict[str, str]:
        """What stands before `/NUMBER` in the ids of a node's ports, by the node's identifier."""
        devices = {each.node.identifier: f"{host}/{each.device}" for host, all in self.hosts.items() for each in all}
        devices |= {node.identifier: f"{name}/{AGGREGATION}" for name, node in self.aggregation.items()}
        return devices | {node.identifier: name for name, node in self.switches.items()}


def is_netlist(text: str) -> bool:
    """Whether a file is a netlist rather than a site in YAML."""
    return _NETLIST.match(text) is not None


def site_text(text: str, name: str) -> str:
    """The site file (YAML) for the netlist that the file called `name` holds. Raises DocumentError with every mistake
    as file:line.
    """
    fabric = imported(text, name)
    stem = re.sub(r"[^a-z0-9-]+", "-", name.rpartition("/")[2].rpartition(".")[0].lower()).strip("-") or "fabric"
    head, *others = fabric.hosts
    lines = [
        "format: 1",
        f"name: {stem if stem[0].isalpha() else f'fabric-{stem}'}"[:63],
        f"title: Fabric of {len(fabric.hosts)} hosts and {len(fabric.switches)} switches, from a netlist",
        "cluster: fabric",
        "domain: fabric.example",
        "start: 2026-11-30 09:00:00",
        "timezone: Etc/UTC",
        f"login_host: {head}",
        "learner: alex",
        "inlet_temperature: 24",
        "software: {os: Ubuntu 24.04.1 LTS, kernel: 6.8.0-51-generic, driver: 590.48.01, cuda: '13.1', fabric_manager: "
        "590.48.01, dcgm: 4.4.2, nccl: 2.28.9, ofed: 24.10-1.1.4, mft: 4.30.1, slurm: 24.11.5, opensm: 5.21.12}",
        "networks:",
        *(f"  {key}: {{subnet: 10.{number}.0.0/16}}" for key, number in _NETWORKS.items()),
        "racks: [R01]",
        "nodes:",
        f"  - {{names: {head}, board: {HOST_BOARD}, role: head, rack: R01, unit: 1, first_address: 10}}",
        *_node_lines(fabric, others),
        "users:",
        "  - {name: alex, uid: 1001, full_name: Alex Kim, groups: [adm, sudo, operators]}",
        "netlist: |",
        *(f"  {line}".rstrip() for line in text.replace("\t", " ").splitlines()),
    ]
    return "\n".join(lines) + "\n"


_NETWORKS = {"management": 20, "inband": 30, "bmc": 40}
_GROUP = 100


def _node_lines(fabric: ImportedFabric, others: list[str]) -> list[str]:
    lines, address = [], 11
    for board, wanted in ((DGX_BOARD, True), (HOST_BOARD, False)):
        names = [name for name in others if _is_dgx(fabric.hosts[name]) is wanted]
        for start in range(0, len(names), _GROUP):
            group = names[start : start + _GROUP]
            lines.append(
                f'  - {{names: "{fold(group)}", board: {board}, role: compute, rack: R01, unit: 1, '
                f"first_address: {address}}}"
            )
            address += len(group)
    return lines


def _is_dgx(adapters: tuple[Adapter, ...]) -> bool:
    return {each.device for each in adapters} == _DGX_DEVICES


@lru_cache(maxsize=4)
def imported(text: str, name: str) -> ImportedFabric:
    """Read a netlist and give its nodes names. Raises DocumentError."""
    netlist = parse_netlist(text, name)
    _check(netlist, name)
    adapters = [node for node in netlist.nodes.values() if not node.switch and not _aggregates(netlist, node)]
    started = _START.search(text)
    first = next((node for node in adapters if started and node.guid == int(started[1], 16)), adapters[0])
    hosts: dict[str, list[Adapter]] = {}
    for node in (first, *(node for node in adapters if node is not first)):
        named = _NAMED.match(node.description)
        host, device = (_clean(named[1]), named[2]) if named else (_clean(node.description), "mlx5_0")
        taken = hosts.get(host, [])
        if not host or device in {each.device for each in taken} or len(taken) == _MOST_DEVICES:
            host, device = f"node-{node.guid:016x}", "mlx5_0"
        hosts.setdefault(host, []).append(Adapter(device, node))
    switches: dict[str, NetlistNode] = {}
    for node in (node for node in netlist.nodes.values() if node.switch):
        told = _SWITCH_NAMED.match(node.description)
        label = _clean(told[1]) if told else ""
        label = label if label and label not in switches and label not in hosts else f"switch-{node.guid:016x}"
        switches[label] = node
    inside = {node.links[1].peer: node for node in netlist.nodes.values() if _aggregates(netlist, node)}
    within = {name: inside[node.identifier] for name, node in switches.items() if node.identifier in inside}
    return ImportedFabric({host: tuple(found) for host, found in hosts.items()}, switches, within)


def _aggregates(netlist: Netlist, node: NetlistNode) -> bool:
    """Whether a node is the aggregation node of a switch: on its last port, and part of the same system."""
    told, link = node.identity, node.links.get(1)
    if node.switch or link is None or node.description != DESCRIPTION or told.get("devid") != DEVICE:
        return False
    switch = netlist.nodes[link.peer]
    same = node.port_guid(1) == node.guid
    same &= told.get("vendid") == VENDOR and told.get("sysimgguid") == switch.identity.get("sysimgguid", switch.guid)
    return switch.switch and link.peer_port == switch.ports and same


def _clean(text: str) -> str:
    """A name that hosts can have."""
    return re.sub(r"[^a-z0-9-]+", "-", text.lower()).strip("-")


def _check(netlist: Netlist, name: str) -> None:
    problems = [
        Problem(Location(name, node.line), text)
        for node in netlist.nodes.values()
        for text in (
            "routers are not modelled" if node.kind == "Rt" else "",
            "an adapter with more than one cable is not modelled; write one `Ca 1` for each port"
            if not node.switch and len(node.links) > 1
            else "",
        )
        if text
    ]
    if not problems and all(node.switch or _aggregates(netlist, node) for node in netlist.nodes.values()):
        problems = [Problem(Location(name, 1), "there must be an adapter (`Ca`) for the subnet manager to run on")]
    if problems:
        raise DocumentError(problems)


def identity(node: NetlistNode) -> Identity:
    """What a node says of itself."""
    told = node.identity
    return Identity(
        node.description, told.get("vendid", 0x2C9), told.get("devid", 0), told.get("sysimgguid", node.guid)
    )


def rate_of(node: NetlistNode) -> int:
    """Gb/s of a node's ports: that of its fastest link; NDR where no speed is written."""
    rates = [_RATES.get(link.speed.partition("x")[2], 0) for link in node.links.values()]
    return max(rates, default=0) or _FASTEST


def host_board(board: BoardModel, adapters: tuple[Adapter, ...]) -> BoardModel:
    """The board of a plain host with as many adapters as the netlist has, each below a root port of its own."""
    if board.hcas:
        return board
    slots = [
        HcaSlot(
            name=each.device,
            bus=f"{0x11 + 8 * place:02x}",
            netdev=f"ibp{0x11 + 8 * place}s0",
            under=f"{0x10 + 8 * place:02x}:01.0",
            numa=0,
            purpose="compute",
            cage=f"Slot{place + 1}",
        )
        for place, each in enumerate(adapters)
    ]
    roots = [
        RootDevice(at=slot.under, id="8086:352a", role="root_port", numa=0, generation=5, width=16) for slot in slots
    ]
    return board.model_copy(update={"hcas": slots, "roots": [*board.roots, *roots]})
