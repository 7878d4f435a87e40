"""Whom a diagnostic program speaks to: a LID, the GUID of a port, a direct route, or the local port.

Modelled on ibdiag_common.c (resolve_portid_str), libibmad's portid.c, sa.c and rpc.c of rdma-core 54. GUIDs are
resolved by the subnet manager: without one nobody answers. libibmad tries three times, a second each. Packets to a LID
go where the switches' tables lead, and so do the answers.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.infiniband._diags.devices import Device
from engine.commands.infiniband._diags.discovery import Fabric, Node, led_by
from engine.commands.infiniband._diags.numbers import unsigned
from engine.commands.infiniband._diags.program import fail, warn
from engine.commands.options import Parsed
from engine.control.subnet_manager.managers import master_at
from engine.kernel.units import SECOND

HIGHEST_LID = 0xBFFF
_WAITED = 3 * SECOND


@dataclass(frozen=True, slots=True)
class Destination:
    """An address: how the library writes it, its LID (0 for a direct route), and who is there (None: nobody)."""

    text: str
    lid: int
    node: Node | None
    fabric: Fabric

    @property
    def nodes(self) -> list[Node]:
        """All nodes of the fabric."""
        return self.fabric.nodes

    @property
    def direct(self) -> bool:
        """Whether it is reached by a direct route."""
        return self.text.startswith("DR path")


async def destination(context: Context, device: Device, parsed: Parsed, word: str) -> Destination:
    """What a word of the command line names. Raises Failed, after the program's words, if it names nothing."""
    fabric = Fabric(context.world, device.hca)
    if "Direct" in parsed:
        route = route_of(word)
        path = ",".join(map(str, (0, *route)))
        return Destination(f"DR path slid 65535; dlid 65535; {path}", 0, led_by(fabric.first, route), fabric)
    if "Guid" in parsed:
        guid = unsigned(word)
        found = await resolve_guid(context, device, fabric, guid) if guid else None
        if found is None:
            raise fail(context, f"can't resolve destination port {word}")
        return Destination(f"Lid {found.lid}", found.lid, found, fabric)
    number = unsigned(word)
    if not 0 < number <= HIGHEST_LID:
        raise fail(context, f"can't resolve destination port {word}")
    return Destination(f"Lid {number}", number, fabric.at_lid(number), fabric)


def local_port(context: Context, device: Device) -> Destination:
    """The port that the program has opened."""
    fabric = Fabric(context.world, device.hca)
    if device.lid:
        return Destination(f"Lid {device.lid}", device.lid, fabric.first, fabric)
    return Destination("DR path slid 0; dlid 0; 0", 0, None, fabric)


async def answer(context: Context, where: Destination, last_words: str, function: str = "mad_rpc") -> Node:
    """Who answers there. Raises Failed, after warning and the program's last words, if nobody does."""
    if where.node is None:
        await silence(context, where.text, function)
        raise fail(context, last_words)
    return where.node


async def silence(context: Context, text: str, function: str = "mad_rpc") -> None:
    """Wait for an answer that does not come."""
    await context.sleep(_WAITED)
    warn(context, function, f"_do_madrpc failed; dport ({text})")


async def resolve_guid(context: Context, device: Device, fabric: Fabric, guid: int) -> Node | None:
    """The node with this port GUID, as the subnet manager knows it; None, after warnings, if it knows none or is
    silent.
    """
    if master_at(context.world, device.manager_lid) is None or not device.lid:
        await silence(context, f"Lid {device.manager_lid}" if device.manager_lid else "DR path slid 0; dlid 0; 0",
                      "mad_rpc_rmpp")  # fmt: skip
        found = None
    else:
        found = fabric.with_guid(guid)
    if found is None:
        warn(context, "ib_path_query_via", "sa call path_query failed")
    return found


def route_of(text: str) -> tuple[int, ...]:
    """The ports of a direct route `0,1,5`; its first number is the local port's and means nothing."""
    return tuple(unsigned(part) for part in text.split(",")[1:])


def opened(context: Context, parsed: Parsed, device: Device | None) -> Device:
    """The device, or the words of a program that can't open it. Raises Failed."""
    if device is None:
        raise fail(context, f"Failed to open '{parsed['Ca'] or '(null)'}' port '{parsed['Port'] or 0}'")
    return device
