"""Port counters as the performance management agents of adapters and switches give them.

Names and order: fields.c and dump.c of libibmad, rdma-core 54; bits of CounterSelect: InfiniBand architecture 1.5,
PortCounters and PortCountersExtended. Capability masks: captures of perfquery, 0x5300 with 0x2 of a switch and 0x5A00
of an adapter; that a ConnectX-7 gives 0x2 beside it, and so 64-bit error counters, is a guess.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType

from engine.commands.infiniband._diags.discovery import Node
from engine.physics import port_counters
from engine.world.world import World

ALL_PORTS = 255
SWITCH_MASK, ADAPTER_MASK, SECOND_MASK = 0x5300, 0x5A00, 0x2

NAMES: Mapping[str, str] = MappingProxyType(
    {
        "symbol_error": "SymbolErrorCounter",
        "link_error_recovery": "LinkErrorRecoveryCounter",
        "link_downed": "LinkDownedCounter",
        "port_rcv_errors": "PortRcvErrors",
        "port_rcv_remote_physical_errors": "PortRcvRemotePhysicalErrors",
        "port_rcv_switch_relay_errors": "PortRcvSwitchRelayErrors",
        "port_xmit_discards": "PortXmitDiscards",
        "port_xmit_constraint_errors": "PortXmitConstraintErrors",
        "port_rcv_constraint_errors": "PortRcvConstraintErrors",
        "local_link_integrity_errors": "LocalLinkIntegrityErrors",
        "excessive_buffer_overrun_errors": "ExcessiveBufferOverrunErrors",
        "VL15_dropped": "VL15Dropped",
        "port_xmit_data": "PortXmitData",
        "port_rcv_data": "PortRcvData",
        "port_xmit_packets": "PortXmitPkts",
        "port_rcv_packets": "PortRcvPkts",
        "port_xmit_wait": "PortXmitWait",
        "QP1_dropped": "QP1Dropped",
        "unicast_xmit_packets": "PortUnicastXmitPkts",
        "unicast_rcv_packets": "PortUnicastRcvPkts",
        "multicast_xmit_packets": "PortMulticastXmitPkts",
        "multicast_rcv_packets": "PortMulticastRcvPkts",
    }
)
"""Every counter; the first 18 in the order of the bits that select them for a reset."""

ERRORS = tuple(NAMES)[:12]
DATA = ("port_xmit_data", "port_rcv_data", "port_xmit_packets", "port_rcv_packets", *tuple(NAMES)[18:])
WAIT, QP1 = "port_xmit_wait", "QP1_dropped"
WORDS = frozenset(("port_xmit_data", "port_rcv_data"))
"""Counters in units of four bytes."""

CLASSIC_BITS = tuple(NAMES)[:18]
EXTENDED_BITS: Mapping[int, str] = MappingProxyType(
    {**dict(enumerate(DATA)), **dict(enumerate((*ERRORS, WAIT, QP1), 16))}
)
DISCARD_DETAILS = (
    "PortInactiveDiscards", "PortNeighborMTUDiscards", "PortSwLifetimeLimitDiscards", "PortSwHOQLifetimeLimitDiscards",
)  # fmt: skip
RECEIVE_DETAILS = (
    "PortLocalPhysicalErrors", "PortMalformedPktErrors", "PortBufferOverrunErrors", "PortDLIDMappingErrors",
    "PortVLMappingErrors", "PortLoopingErrors",
)  # fmt: skip
_UNITS = ("", "K", "M", "G", "T", "P", "E")

Fields = Iterator[tuple[str, str]]
Read = Callable[[Node, int], Mapping[str, int]]


def mask(node: Node) -> int:
    """What its agent says that it can."""
    return SWITCH_MASK if node.is_switch else ADAPTER_MASK


def reader(world: World, now: int, *, errors_only: bool = False) -> Read:
    """A function that gives the counters of a port (255: of all ports of a switch); each port is looked at once."""
    look = _errors if errors_only else _everything
    kept: dict[tuple[str, int], Mapping[str, int]] = {}

    def read(node: Node, number: int) -> Mapping[str, int]:
        key = node.id, number
        if key not in kept:
            if number:
                kept[key] = _sum(node) if number == ALL_PORTS else look(world, node.port_id(number), now)
            else:
                kept[key] = dict.fromkeys(NAMES, 0)
        return kept[key]

    def _sum(node: Node) -> Mapping[str, int]:
        ports = [read(node, number) for number in range(1, node.port_count + 1)]
        return {name: sum(port[name] for port in ports) for name in ports[0]}

    return read


def _everything(world: World, port: str, now: int) -> Mapping[str, int]:
    return {**port_counters.errors(world, port, now), **port_counters.traffic(world, port, now)}


def _errors(world: World, port: str, now: int) -> Mapping[str, int]:
    return {**port_counters.errors(world, port, now), WAIT: port_counters.waited(world, port, now)}


def classic(values: Mapping[str, int], number: int) -> Fields:
    """PortCounters, as perfquery shows it."""
    yield "PortSelect", str(number)
    yield "CounterSelect", "0x0000"
    for key in ERRORS[:9]:
        yield _classic(values, key)
    yield "CounterSelect2", "0x00"
    for key in (*ERRORS[9:11], QP1, ERRORS[11], *DATA[:4], WAIT):
        yield _classic(values, key)


def extended(values: Mapping[str, int], number: int) -> Fields:
    """PortCountersExtended, as perfquery -x shows it."""
    yield "PortSelect", str(number)
    yield "CounterSelect", "0x0000"
    yield from ((NAMES[key], str(values[key])) for key in DATA)
    yield "CounterSelect2", "0x00000000"
    yield from ((NAMES[key], str(values[key])) for key in (*ERRORS, WAIT, QP1))


def details(values: Mapping[str, int], number: int, names: tuple[str, ...]) -> Fields:
    """Why packets were discarded (all because a port was not active) or spoiled (all by errors on the wire)."""
    yield "PortSelect", str(number)
    yield "CounterSelect", "0x0000"
    total = values["port_xmit_discards" if names == DISCARD_DETAILS else "port_rcv_errors"]
    yield from ((name, str(0 if place else min(total, 0xFFFF))) for place, name in enumerate(names))


def readable(value: int, words: bool) -> str:
    """A number with its unit, `3.937MB`; the real tools reckon it with floats of 32 bits."""
    place = max(0, (value.bit_length() - 1) // 10)
    shown: float = struct.unpack("f", struct.pack("f", value))[0]
    if words:
        shown *= 4
        place += shown / 1024**place > 1024
    unit = _UNITS[place] if place < len(_UNITS) else ""
    return f"{shown / 1024**place:5.3f}{unit}{'B' if words and place < len(_UNITS) else ''}"


def _classic(values: Mapping[str, int], key: str) -> tuple[str, str]:
    return NAMES[key], str(port_counters.saturated(key, values[key]))
