"""Network interfaces in sysfs, by Linux 6.8's net/core/net-sysfs.c and drivers/net/bonding/bond_sysfs.c.

Interfaces, links and what they have moved are those of `engine.control.network`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.control import network
from engine.control.network import Interface
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Node, directory, file, link
from engine.hostfs.tree import ErrorCode, FileError
from engine.hostfs.views import _sys_ecn

STATISTICS = (
    "collisions", "multicast", "rx_bytes", "rx_compressed", "rx_crc_errors", "rx_dropped", "rx_errors",
    "rx_fifo_errors", "rx_frame_errors", "rx_length_errors", "rx_missed_errors", "rx_nohandler", "rx_over_errors",
    "rx_packets", "tx_aborted_errors", "tx_bytes", "tx_carrier_errors", "tx_compressed", "tx_dropped", "tx_errors",
    "tx_fifo_errors", "tx_heartbeat_errors", "tx_packets", "tx_window_errors",
)  # fmt: skip
KINDS = {"loopback": 772, "ether": 1, "bond": 1, "infiniband": 32}  # ARPHRD_* of linux/if_arp.h
BROADCAST = {
    "loopback": "00:00:00:00:00:00",
    "infiniband": "00:ff:ff:ff:ff:12:40:1b:ff:ff:00:00:00:00:00:00:ff:ff:ff:ff",
}
UP, BROADCASTS, LOOPBACK, MASTER, SLAVE, MULTICAST = 0x1, 0x2, 0x8, 0x400, 0x800, 0x1000  # IFF_* of linux/if.h

Shown = Callable[[Interface], str]


def operational_state(each: Interface) -> str:
    """The operational state (RFC 2863)."""
    if each.kind == "loopback":
        return "unknown"
    return "up" if each.up and each.carrier else "down"


_TEXTS: dict[str, Shown] = {
    "addr_assign_type": lambda each: "0",
    "addr_len": lambda each: str(len(each.mac.split(":"))),
    "address": lambda each: each.mac,
    "broadcast": lambda each: BROADCAST.get(each.kind, "ff:ff:ff:ff:ff:ff"),
    "carrier_changes": lambda each: "1" if each.carrier else "0",
    "dev_id": lambda each: "0x0",
    "dev_port": lambda each: "0",
    "flags": lambda each: f"{_flags(each):#x}",
    "ifalias": lambda each: "",
    "ifindex": lambda each: str(each.index),
    "iflink": lambda each: str(each.index),
    "link_mode": lambda each: "0",
    "mtu": lambda each: str(each.mtu),
    "operstate": operational_state,
    "tx_queue_len": lambda each: "256" if each.kind == "infiniband" else "1000",
    "type": lambda each: str(KINDS[each.kind]),
    "uevent": lambda each: f"INTERFACE={each.name}\nIFINDEX={each.index}",
}
# What can't be read while the administrator has the interface down.
_LIVE_TEXTS: dict[str, Shown] = {
    "carrier": lambda each: str(int(each.carrier)),
    "duplex": lambda each: "full" if each.carrier else "unknown",
    "speed": lambda each: str(each.speed) if each.carrier and each.speed else "-1",
    "dormant": lambda each: "0",
}
_WRITABLE = ("mtu", "flags", "ifalias", "tx_queue_len", "carrier")


def below_function(name: str) -> dict[str, Node]:
    """What the driver puts below a PCI function."""
    return {f"net/{name}": directory(lambda machine: _files(machine, name))}


def virtual(machine: Machine) -> dict[str, Node]:
    """Interfaces without a device: /sys/devices/virtual/net."""
    return {
        f"net/{each.name}": directory(_reader(each.name)) for each in _interfaces(machine) if each.pci_address is None
    }


def places(machine: Machine) -> dict[str, str]:
    """Where each interface's directory is, below /sys."""
    return machine.remember(("interface places",), lambda: _places(machine))


def _places(machine: Machine) -> dict[str, str]:
    from engine.hostfs.views._sys_pci import bound_driver, sysfs_path

    found = {}
    for each in _interfaces(machine):
        if each.pci_address is None:
            found[each.name] = f"devices/virtual/net/{each.name}"
        elif bound_driver(machine, machine.node.devices[each.pci_address]):
            found[each.name] = f"{sysfs_path(machine, each.pci_address)}/net/{each.name}"
    return found


def _interfaces(machine: Machine) -> Sequence[Interface]:
    return machine.remember(("interfaces",), lambda: network.interfaces(machine.world, machine.host))


def _flags(each: Interface) -> int:
    up = UP if each.up else 0
    if each.kind == "loopback":
        return up | LOOPBACK
    return up | BROADCASTS | MULTICAST | (MASTER if each.members else 0) | (SLAVE if each.master else 0)


def _reader(name: str) -> Callable[[Machine], Children]:
    return lambda machine: _files(machine, name)


def _files(machine: Machine, name: str) -> Children:
    each = _now(machine, name)
    up = "../" * (places(machine)[name].count("/") + 1)
    files: dict[str, Node] = {key: file(_text(name, shown), _mode(key)) for key, shown in _TEXTS.items()}
    files |= {key: file(_live_text(name, shown), _mode(key)) for key, shown in _LIVE_TEXTS.items()}
    files |= {"statistics": directory({key: file(_statistic(name, key), 0o444) for key in STATISTICS})}
    files["subsystem"] = link(f"{up}class/net")
    if each.pci_address:
        files["device"] = link(f"../../../{each.pci_address}")
    if each.master:
        files["master"] = link(f"{up}devices/virtual/net/{each.master}")
        files["bonding_slave/state"] = file("active\n", 0o444)
        files["bonding_slave/mii_status"] = file(lambda machine: _mii(machine, name), 0o444)
    if each.members:
        files["bonding"] = directory(_bonding(each))
    hca = next((hca for hca in machine.node.hcas if hca.netdev == name and hca.link_layer == "Ethernet"), None)
    return files if hca is None else files | _sys_ecn.files(hca)


def _mode(name: str) -> int:
    return 0o644 if name in _WRITABLE else 0o444


def _now(machine: Machine, name: str) -> Interface:
    each = next((each for each in _interfaces(machine) if each.name == name), None)
    if each is None:
        raise FileError(ErrorCode.NO_DEVICE, name)
    return each


def _text(name: str, shown: Shown) -> Callable[[Machine], str]:
    return lambda machine: f"{shown(_now(machine, name))}\n"


def _live_text(name: str, shown: Shown) -> Callable[[Machine], str]:
    def content(machine: Machine) -> str:
        each = _now(machine, name)
        if not each.up or (each.kind == "loopback" and shown in (_LIVE_TEXTS["duplex"], _LIVE_TEXTS["speed"])):
            raise FileError(ErrorCode.INVALID)
        return f"{shown(each)}\n"

    return content


def _statistic(name: str, key: str) -> Callable[[Machine], str]:
    def content(machine: Machine) -> str:
        note = ("interface counters", name)
        counted = machine.remember(note, lambda: network.counters(machine.world, machine.host, name, machine.now))
        return f"{getattr(counted, key, 0)}\n"

    return content


def _mii(machine: Machine, name: str) -> str:
    return "up\n" if _now(machine, name).carrier else "down\n"


def _bonding(each: Interface) -> Children:
    texts = {
        "active_slave": "",
        "ad_num_ports": str(len(each.members)),
        "lacp_rate": "slow 0",
        "miimon": "100",
        "mode": "802.3ad 4",
        "slaves": " ".join(each.members),
        "xmit_hash_policy": "layer2 0",
    }
    return {
        **{key: file(f"{text}\n") for key, text in texts.items()},
        "mii_status": file(lambda machine: _mii(machine, each.name), 0o444),
    }
