"""NodeInfo and SwitchInfo as libibmad dumps them.

Formats: fields.c and dump.c of rdma-core 54, runs of the real tools on a simulator. Figures of a Quantum-2's tables:
48 K unicast LIDs; the rest are guesses, as are revisions.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.infiniband._diags.discovery import Node

REVISION = {True: 0xA1, False: 0}
PARTITIONS = {True: 32, False: 128}
"""Entries of the P_Key table of port 0 of a switch, and of an adapter."""

_LIFE_TIME = 18

Fields = Iterator[tuple[str, str]]


def local_port(node: Node) -> int:
    """The port by which a packet came in."""
    return node.arrival


def node_fields(node: Node) -> Fields:
    """NodeInfo."""
    yield "BaseVers", "1"
    yield "ClassVers", "1"
    yield "NodeType", "Switch" if node.is_switch else "Channel Adapter"
    yield "NumPorts", str(node.port_count)
    yield "SystemGuid", f"0x{node.system_guid:016x}"
    yield "Guid", f"0x{node.guid:016x}"
    yield "PortGuid", f"0x{node.port_guid:016x}"
    yield "PartCap", str(PARTITIONS[node.is_switch])
    yield "DevId", f"0x{node.part:04x}"
    yield "Revision", f"0x{REVISION[node.is_switch]:08x}"
    yield "LocalPort", str(local_port(node))
    yield "VendorId", f"0x{node.vendor:06x}"


def switch_fields(top: int) -> Fields:
    """SwitchInfo of a switch whose forwarding table reaches up to the LID `top`."""
    yield "LinearFdbCap", "49152"
    yield "RandomFdbCap", "0"
    yield "McastFdbCap", "16384"
    yield "LinearFdbTop", str(top)
    yield from ((name, "0") for name in ("DefPort", "DefMcastPrimPort", "DefMcastNotPrimPort"))
    yield "LifeTime", str(_LIFE_TIME)
    yield from ((name, "0") for name in ("StateChange", "OptSLtoVLMapping", "LidsPerPort"))
    yield "PartEnforceCap", str(PARTITIONS[True])
    yield from ((name, "1") for name in ("InboundPartEnf", "OutboundPartEnf", "FilterRawInbound", "FilterRawOutbound"))
    yield "EnhancedPort0", "1"
    yield "MulticastFDBTop", "0xbfff"
