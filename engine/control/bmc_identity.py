"""What a BMC says of itself: manufacturer, network settings and accounts.

Manufacturers are IANA's enterprise numbers. Nobody at these sites has a password that the simulator would know: a
session with any password is let in if the name is one of the BMC's accounts. MAC addresses of BMCs are made from the
names of site and node; account numbers and channel are what MegaRAC boards have (a guess for others).
"""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Interface

from engine.kernel.random import hash64
from engine.world.world import World

_ENTERPRISES = {"NVIDIA": (5703, "NVIDIA Corporation")}
_NO_ENTERPRISE = (0, "Unknown")
_OUI = 0x3CECEF

LAN_CHANNEL = 1
MOST_ACCOUNTS = 10


@dataclass(frozen=True, slots=True)
class Account:
    """A user of the BMC, and what it may do."""

    number: int
    name: str
    privilege: str


@dataclass(frozen=True, slots=True)
class Lan:
    """Network settings."""

    address: str
    netmask: str
    mac: str
    gateway: str = "0.0.0.0"


def manufacturer(world: World, host: str) -> tuple[int, str]:
    """Enterprise number and name."""
    return _ENTERPRISES.get(world.node(host).vendor, _NO_ENTERPRISE)


def accounts(world: World, host: str) -> tuple[Account, ...]:
    """Who may open a session."""
    return (Account(2, "admin", "ADMINISTRATOR"), Account(3, "monitor", "USER"))


def account(world: World, host: str, name: str) -> Account | None:
    """The account with this name."""
    return next((each for each in accounts(world, host) if each.name == name), None)


def lan(world: World, host: str) -> Lan:
    """Address, mask and MAC of the management port."""
    interface = IPv4Interface(world.node(host).bmc_address)
    number = _OUI << 24 | hash64(world.inventory.name, host, "bmc") & 0xFFFFFF
    return Lan(str(interface.ip), str(interface.netmask), number.to_bytes(6, "big").hex(":"))
