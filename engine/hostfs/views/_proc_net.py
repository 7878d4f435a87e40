"""/proc/PID/net in a first form: interfaces and routes, by Linux 6.8's net/core/net-procfs.c and
net/ipv4/fib_trie.c.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import ip_interface

from engine.control import network
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, directory, file
from engine.hostfs.views import _proc_bonding

_DEVICE_HEAD = (
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|"
    "bytes    packets errs drop fifo colls carrier compressed\n"
)
_ROUTE_HEAD = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT"
ROUTE_UP = 1
_WIDTHS = (8, 7, 4, 4, 4, 5, 10, 9, 8, 7, 4, 4, 4, 5, 7, 10)


def net_files() -> Children:
    """The files."""
    return {"bonding": directory(_proc_bonding.files), "dev": file(devices, 0o444), "route": file(routes, 0o444)}


def devices(machine: Machine) -> str:
    """/proc/net/dev."""
    return _DEVICE_HEAD + "".join(_device(machine, each.name) for each in _interfaces(machine))


def _device(machine: Machine, name: str) -> str:
    moved = _moved(machine, name)
    received = (moved.rx_bytes, moved.rx_packets, moved.rx_errors, moved.rx_dropped, 0, 0, 0, 0)
    sent = (moved.tx_bytes, moved.tx_packets, moved.tx_errors, moved.tx_dropped, 0, 0, 0, 0)
    columns = [f"{value:{width}d}" for value, width in zip(received + sent, _WIDTHS, strict=True)]
    return f"{name:>6}: {' '.join(columns)}\n"


def _interfaces(machine: Machine) -> Sequence[network.Interface]:
    return machine.remember(("interfaces",), lambda: network.interfaces(machine.world, machine.host))


def _moved(machine: Machine, name: str) -> network.Counters:
    key = ("interface counters", name)
    return machine.remember(key, lambda: network.counters(machine.world, machine.host, name, machine.now))


def routes(machine: Machine) -> str:
    """/proc/net/route: the networks on which the host has addresses."""
    lines = [_ROUTE_HEAD]
    for each in _interfaces(machine):
        addresses = [ip_interface(address) for address in each.addresses if ":" not in address]
        if each.kind != "loopback" and each.up:
            lines += [
                f"{each.name}\t{_reversed(address.network.network_address.packed)}\t00000000\t{ROUTE_UP:04X}\t0\t0\t0\t"
                f"{_reversed(address.network.netmask.packed)}\t0\t0\t0"
                for address in addresses
            ]
    return "".join(f"{line:<127}\n" for line in lines)


def _reversed(packed: bytes) -> str:
    """An address in the byte order of the machine, as the kernel prints it."""
    return packed[::-1].hex().upper()
