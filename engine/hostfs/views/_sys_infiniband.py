"""RDMA devices in sysfs: files and words of Linux 6.8's drivers/infiniband/core/sysfs.c and the mlx5 driver; names
as in a capture of a ConnectX-7.
"""

from __future__ import annotations

from collections.abc import Callable

from engine.control import roce_gids
from engine.control.subnet_manager.lids import lid, manager_lid
from engine.control.subnet_manager.managers import capability_mask
from engine.hostfs.machine import Machine
from engine.hostfs.nodes import Children, Effect, Node, Write, directory, file, link
from engine.hostfs.tree import ErrorCode
from engine.physics import links, partition_keys, port_counters
from engine.world.inventory import Hca
from engine.world.records import FULL_DEFAULT_KEY

LOGICAL_WORDS = {1: "DOWN", 2: "INIT", 3: "ARMED", 4: "ACTIVE"}
GID_TABLE = {"InfiniBand": 8, "Ethernet": 256}
PKEY_TABLE = 128
DEFAULT_SUBNET = 0xFE80_0000_0000_0000
UVERBS_MAJOR, UVERBS_FIRST_MINOR = 231, 192
UMAD_FIRST_MINOR = 0
LARGEST_CLASS = 255
COUNTERS = tuple(name for name in port_counters.WIDTHS if name != "QP1_dropped")
WIDE_COUNTERS = frozenset(port_counters.TRAFFIC) - {"port_xmit_wait"}
HARDWARE_COUNTERS = (
    "duplicate_request", "implied_nak_seq_err", "local_ack_timeout_err", "out_of_buffer", "out_of_sequence",
    "packet_seq_err", "req_cqe_error", "req_cqe_flush_error", "req_remote_access_errors", "req_remote_invalid_request",
    "resp_cqe_error", "resp_cqe_flush_error", "resp_local_length_error", "resp_remote_access_errors",
    "rnr_nak_retry_err", "roce_adp_retrans", "roce_adp_retrans_to", "roce_slow_restart", "roce_slow_restart_cnps",
    "roce_slow_restart_trans", "rx_atomic_requests", "rx_dct_connect", "rx_icrc_encapsulated", "rx_read_requests",
    "rx_write_requests",
)  # fmt: skip
ROCE_COUNTERS = ("np_cnp_sent", "np_ecn_marked_roce_packets", "rp_cnp_handled", "rp_cnp_ignored")


def below_function(hca: Hca) -> dict[str, Node]:
    """What the driver puts below the PCI function of an HCA."""
    name = hca.name
    number = device_number(name)
    return {
        f"infiniband/{name}": directory(lambda machine: _device(machine, hca)),
        f"infiniband_verbs/uverbs{number}": directory(_verbs(hca, number)),
        f"infiniband_mad/umad{number}": directory(_mad(hca, number)),
    }


def device_number(name: str) -> int:
    """3 of mlx5_3."""
    return int(name.rpartition("_")[2])


def _device(machine: Machine, hca: Hca) -> Children:
    texts = {
        "board_id": hca.board_id,
        "fw_ver": hca.firmware,
        "hca_type": hca.model,
        "hw_rev": "0",
        "node_guid": colons(hca.guid),
        "node_type": "1: CA",
        "sys_image_guid": colons(hca.guid & ~0xF),
    }
    return {
        **{name: file(f"{text}\n", 0o444) for name, text in texts.items()},
        "node_desc": file(f"{machine.host} {hca.name}\n"),
        "uevent": file(f"NAME={hca.name}\n"),
        "device": link(f"../../../{hca.address}"),
        "subsystem": link(_up(machine, hca) + "class/infiniband"),
        "ports/1": directory(_port(hca)),
        **_traffic_classes(hca),
    }


def _traffic_classes(hca: Hca) -> dict[str, Node]:
    """tc/1/traffic_class of MLNX_OFED, which RoCE needs."""
    if hca.link_layer == "InfiniBand":
        return {}
    content = _line_or_nothing(lambda machine: _traffic_class(machine, hca))
    return {"tc/1/traffic_class": file(content, on_write=_set_traffic_class(hca))}


def _line_or_nothing(content: Callable[[Machine], str]) -> Callable[[Machine], str]:
    return lambda machine: f"{content(machine)}\n" if content(machine) else ""


def _up(machine: Machine, hca: Hca) -> str:
    """From the device's directory to /sys."""
    return "../" * (len(machine.node.path_to_root(hca.address)) + 4)


def _port(hca: Hca) -> Children:
    contents: dict[str, Callable[[Machine], str]] = {
        "state": lambda machine: _logical(machine, hca),
        "phys_state": lambda machine: _physical(machine, hca),
        "rate": lambda machine: _rate(machine, hca),
        "lid": lambda machine: f"{lid(machine.world, hca.port):#x}",
        "sm_lid": lambda machine: f"{manager_lid(machine.world, hca.port):#x}",
        "lid_mask_count": lambda _: "0",
        "sm_sl": lambda _: "0",
        "cap_mask": lambda machine: f"0x{capability_mask(machine.world, hca):08x}",
        "link_layer": lambda _: hca.link_layer,
    }
    return {
        **{name: _line(content) for name, content in contents.items()},
        "counters": directory(_counters(hca)),
        "hw_counters": directory(_hardware_counters(hca)),
        "gids": directory(lambda machine: _gids(machine, hca)),
        "gid_attrs": directory(lambda machine: _gid_attributes(machine, hca)),
        "pkeys": directory({str(index): _line(_partition_key(hca, index)) for index in range(PKEY_TABLE)}),
    }


def _partition_key(hca: Hca, index: int) -> Callable[[Machine], str]:
    """The key at an index, which a subnet manager gave; an Ethernet port has the default one."""

    def key(machine: Machine) -> str:
        if hca.link_layer == "Ethernet":
            return f"0x{0 if index else FULL_DEFAULT_KEY:04x}"
        return f"0x{partition_keys.key_at(machine.world, hca.port, index):04x}"

    return key


def _line(content: Callable[[Machine], str], mode: int = 0o444) -> Node:
    return file(lambda machine: f"{content(machine)}\n", mode)


def _logical(machine: Machine, hca: Hca) -> str:
    number = links.logical_state(machine.world, hca.port).value[0]
    return f"{number}: {LOGICAL_WORDS[number]}"


def _physical(machine: Machine, hca: Hca) -> str:
    number, word = links.physical_state(machine.world, hca.port).value
    return f"{number}: {word}"


def _rate(machine: Machine, hca: Hca) -> str:
    """`400 Gb/sec (4X NDR)`; a port without a link shows the lowest rate."""
    world, port = machine.world, hca.port
    return f"{links.rate(world, port)} Gb/sec ({links.lanes(world, port)}X {links.generation(world, port).name})"


def _counters(hca: Hca) -> Children:
    return {name: _number(_counter(hca, name)) for name in sorted(COUNTERS)}


def _counter(hca: Hca, name: str) -> Callable[[Machine], int]:
    """What the kernel reads: data and packets with 64 bits, the rest as the classic counter."""

    def count(machine: Machine) -> int:
        total = port_counters.value(machine.world, hca.port, name, machine.now)
        return total if name in WIDE_COUNTERS else port_counters.saturated(name, total)

    return count


def _hardware_counters(hca: Hca) -> Children:
    """Of requests, transport errors and congestion notifications; nothing makes those of InfiniBand yet."""
    if hca.link_layer == "InfiniBand":
        return {**{name: file("0\n", 0o444) for name in sorted(HARDWARE_COUNTERS)}, "lifespan": file("12\n")}
    names = sorted((*HARDWARE_COUNTERS, *ROCE_COUNTERS))
    return {**{name: _number(_hardware_counter(hca, name)) for name in names}, "lifespan": file("12\n")}


def _hardware_counter(hca: Hca, name: str) -> Callable[[Machine], int]:
    def count(machine: Machine) -> int:
        from engine.control import ethernet_counters

        key = ("hardware counters", hca.id)
        found = machine.remember(key, lambda: ethernet_counters.hardware(machine.world, hca, machine.now))
        return found.get(name, 0)

    return count


def _traffic_class(machine: Machine, hca: Hca) -> str:
    """What MLNX_OFED's driver says of the class that all packets of a device get."""
    chosen = machine.world.roce[hca.port].traffic_class
    return "" if chosen is None else f"Global tclass={chosen}"


def _set_traffic_class(hca: Hca) -> Write:
    def write(_machine: Machine, content: bytes) -> Effect:
        text = content.decode("utf-8", "replace").strip()
        if not text.removeprefix("-").isdigit() or int(text) > LARGEST_CLASS or int(text) < -1:
            return ErrorCode.INVALID
        from engine.physics.ethernet.settings import SetRoce

        return SetRoce((hca.port,), (("traffic_class", None if int(text) < 0 else int(text)),))

    return write


def _number(content: Callable[[Machine], int]) -> Node:
    return file(lambda machine: f"{content(machine)}\n", 0o444)


def colons(guid: int) -> str:
    """A GUID as sysfs prints it: `946d:ae03:00c4:1e90`."""
    text = f"{guid:016x}"
    return ":".join(text[start : start + 4] for start in range(0, 16, 4))


def gid_table(machine: Machine, hca: Hca) -> list[tuple[int, int, str, str]]:
    """Used GIDs of a port by index, with their types and interfaces."""
    if hca.link_layer == "InfiniBand":
        return [(0, DEFAULT_SUBNET << 64 | hca.port_guid, roce_gids.V1, hca.netdev)]
    found = roce_gids.table(machine.world, hca)
    return [(each.index, each.value, each.version, each.vlan or hca.netdev) for each in found]


def _gids(machine: Machine, hca: Hca) -> Children:
    used = {index: value for index, value, *_ in gid_table(machine, hca)}
    places = range(GID_TABLE[hca.link_layer])
    return {str(index): file(f"{roce_gids.text(used.get(index, 0))}\n", 0o444) for index in places}


def _gid_attributes(machine: Machine, hca: Hca) -> Children:
    """Types and interfaces of the GIDs; an unused index can't be read, so it is left out."""
    used = gid_table(machine, hca)
    types = {f"types/{index}": file(f"{version}\n", 0o444) for index, _, version, _ in used}
    return {**types, **{f"ndevs/{index}": file(f"{name}\n", 0o444) for index, _, _, name in used}}


def _verbs(hca: Hca, number: int) -> Children:
    return {
        "abi_version": file("1\n", 0o444),
        "dev": file(f"{UVERBS_MAJOR}:{UVERBS_FIRST_MINOR + number}\n", 0o444),
        "ibdev": file(f"{hca.name}\n", 0o444),
        "device": link(f"../../../{hca.address}"),
    }


def _mad(hca: Hca, number: int) -> Children:
    return {
        "dev": file(f"{UVERBS_MAJOR}:{UMAD_FIRST_MINOR + number}\n", 0o444),
        "ibdev": file(f"{hca.name}\n", 0o444),
        "port": file("1\n", 0o444),
        "device": link(f"../../../{hca.address}"),
    }
