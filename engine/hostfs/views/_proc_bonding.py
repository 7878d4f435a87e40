"""/proc/net/bonding: bonds and their members. Format: drivers/net/bonding/bond_procfs.c of Linux 6.8.

What only root sees there (keys, partners, LACP's own words) is left out. A failure counts when a member's link goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from engine.control import kernel_image, network
from engine.control.network import Interface
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, file
from engine.physics import port_counters


def files(machine: Machine) -> Children:
    """A file for each bond."""
    found = [each for each in network.interfaces(machine.world, machine.host) if each.members]
    return {each.name: file(_content(each.name), 0o444) for each in found}


def _content(name: str) -> Callable[[Machine], str]:
    return lambda machine: "\n".join(_lines(machine, name)) + "\n"


def _lines(machine: Machine, name: str) -> Iterator[str]:
    known = {each.name: each for each in network.interfaces(machine.world, machine.host)}
    bond = known[name]
    yield f"Ethernet Channel Bonding Driver: v{kernel_image.running(machine.world, machine.host)}"
    yield ""
    yield "Bonding Mode: IEEE 802.3ad Dynamic link aggregation"
    yield "Transmit Hash Policy: layer2 (0)"
    yield f"MII Status: {_word(bond)}"
    yield "MII Polling Interval (ms): 100"
    yield from ("Up Delay (ms): 0", "Down Delay (ms): 0", "Peer Notification Delay (ms): 0", "")
    yield from ("802.3ad info", "LACP active: on", "LACP rate: slow", "Min links: 0")
    yield "Aggregator selection policy (ad_select): stable"
    first = next((member for member in bond.members if _word(known[member]) == "up"), None)
    for number, member in enumerate(bond.members, 1):
        yield ""
        yield from _member(machine, known[member], number, first)


def _member(machine: Machine, member: Interface, number: int, first: str | None) -> Iterator[str]:
    up = _word(member) == "up"
    yield f"Slave Interface: {member.name}"
    yield f"MII Status: {_word(member)}"
    yield f"Speed: {f'{member.speed} Mbps' if up else 'Unknown'}"
    yield f"Duplex: {'full' if up else 'Unknown'}"
    yield f"Link Failure Count: {_failures(machine, member)}"
    yield f"Permanent HW addr: {member.permanent or member.mac}"
    yield "Slave queue ID: 0"
    yield f"Aggregator ID: {1 if up or first is None else number}"
    yield from ("Actor Churn State: none", "Partner Churn State: none")
    yield from ("Actor Churned Count: 0", "Partner Churned Count: 0")


def _failures(machine: Machine, member: Interface) -> int:
    """How often the link of a member went."""
    hca = next((hca for hca in machine.node.hcas if hca.netdev == member.name), None)
    return port_counters.errors(machine.world, hca.port, machine.now)["link_downed"] if hca else 0


def _word(interface: Interface) -> str:
    return "up" if interface.up and interface.carrier else "down"
