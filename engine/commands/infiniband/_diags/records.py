"""Records of the subnet administrator as saquery prints them.

Formats: saquery.c of rdma-core 54, and runs of the real tool on a simulator. opensm keeps nodes in the order of their
GUIDs with swapped bytes. Numbers of rates and MTUs with their selector 2 (exactly) in the upper bits: InfiniBand
architecture, PathRecord. Guess: packet lifetime 18, opensm's default subnet_timeout.
"""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import IPv6Address

from engine.commands.infiniband._diags.discovery import Node, Port
from engine.commands.infiniband._diags.node_info import PARTITIONS, REVISION
from engine.commands.infiniband._diags.port_info import PREFIX, capabilities, dotted, mtu_number, port_info, port_zero
from engine.control.subnet_manager.lids import swapped
from engine.control.subnet_manager.managers import Manager, activity
from engine.physics import links
from engine.physics.partition_keys import FULL
from engine.world.records import Partition
from engine.world.world import World

MASTER_LID_MULTICAST = 0xC000
_RATES = {10: 3, 20: 6, 40: 7, 56: 12, 100: 16, 200: 18, 400: 22, 800: 24}
_EXACTLY = 0x80
_LIFE_TIME = 18
_REVERSIBLE = 0x80

Lines = Iterator[str]


def ordered(nodes: list[Node]) -> list[Node]:
    """As opensm keeps them."""
    return sorted((node for node in nodes if node.lid), key=lambda node: swapped(node.guid))


def every_port(node: Node) -> list[Port]:
    """The ports that have records: a switch's with its port 0."""
    return [port_zero(node), *node.ports] if node.is_switch else node.ports


def node_record(node: Node) -> Lines:
    """A NodeRecord."""
    yield "NodeRecord dump:"
    values = {
        "lid": str(node.lid),
        "reserved": "0x0",
        "base_version": "0x1",
        "class_version": "0x1",
        "node_type": "Switch" if node.is_switch else "Channel Adapter",
        "num_ports": str(node.port_count),
        "sys_guid": f"0x{node.system_guid:016x}",
        "node_guid": f"0x{node.guid:016x}",
        "port_guid": f"0x{node.port_guid:016x}",
        "partition_cap": f"0x{PARTITIONS[node.is_switch]:X}",
        "device_id": f"0x{node.part:X}",
        "revision": f"0x{REVISION[node.is_switch]:X}",
        "port_num": "0" if node.is_switch else "1",
        "vendor_id": f"0x{node.vendor:X}",
        "NodeDescription": node.called,
    }
    yield from _fields(values)


def port_record(world: World, port: Port) -> Lines:
    """A PortInfoRecord with all of its PortInfo."""
    yield "PortInfoRecord dump:"
    yield "\tRID"
    yield f"\t\tEndPortLid..............{port.lid}"
    yield f"\t\tPortNum.................{port.number}"
    yield "\t\tOptions.................0x0"
    yield "\tPortInfo dump:"
    for name, value in port_info(world, port):
        yield "\t\t" + dotted(name, value)


def manager_port(world: World, node: Node, manager_lid: int) -> Lines:
    """The short form of a PortInfoRecord (-s)."""
    port = every_port(node)[0]
    yield "PortInfoRecord dump:"
    values = {
        "EndPortLid": str(port.lid),
        "PortNum": str(port.number),
        "base_lid": str(port.lid),
        "master_sm_base_lid": str(manager_lid),
        "capability_mask": f"0x{capabilities(world, port):X}",
    }
    yield from _fields(values)


def group_record(partition: Partition, index: int) -> Lines:
    """The group of a partition that carries IP broadcasts, as the `index`th of its kind."""
    yield "MCMemberRecord group dump:"
    yield from _fields(_group(partition, index))
    yield f"\t\tMtu.....................0x{_EXACTLY | partition.mtu:X}"
    yield f"\t\tpkey....................0x{partition.key | FULL:X}"
    yield f"\t\tRate....................0x{_EXACTLY | partition.rate:X}"
    yield f"\t\tSL......................0x{partition.level:X}"


def member_record(partition: Partition, index: int, node: Node) -> Lines:
    """A member of that group, which sends and receives."""
    yield "MCMemberRecord member dump:"
    yield from _fields({**_group(partition, index), "PortGid": gid(node)})
    yield "\t\tScopeState..............0x21"
    yield "\t\tProxyJoin...............0x0"
    yield f"\t\tNodeDescription.........{node.called}"


def _group(partition: Partition, index: int) -> dict[str, str]:
    address = 0xFF12_401B << 96 | (partition.key | FULL) << 80 | 0xFFFF_FFFF
    return {"MGID": str(IPv6Address(address)), "Mlid": f"0x{MASTER_LID_MULTICAST + index:X}"}


def path_record(world: World, source: Node, destination: Node) -> Lines:
    """A PathRecord: the slowest of both ends' links, and the smallest packets."""
    rate = min(_rate(world, node) for node in (source, destination))
    octets = min(_mtu(world, node) for node in (source, destination))
    yield "PathRecord dump:"
    values = {
        "service_id": f"0x{0:016x}",
        "dgid": gid(destination),
        "sgid": gid(source),
        "dlid": str(destination.lid),
        "slid": str(source.lid),
        "hop_flow_raw": "0x0",
        "tclass": "0x0",
        "num_path_revers": f"0x{_REVERSIBLE:X}",
        "pkey": "0xFFFF",
        "qos_class": "0x0",
        "sl": "0x0",
        "mtu": f"0x{_EXACTLY | mtu_number(octets):X}",
        "rate": f"0x{_EXACTLY | _RATES[links.speed(rate).rate]:X}",
        "pkt_life": f"0x{_EXACTLY | (0 if source is destination else _LIFE_TIME):X}",
        "preference": "0x0",
        "resv2": f"0x{0:012X}",
    }
    yield from _fields(values)


def link_record(port: Port) -> Lines:
    """A LinkRecord of a port that has a link."""
    assert port.far is not None
    yield "LinkRecord dump:"
    yield f"\t\tFromLID....................{port.lid}"
    yield f"\t\tFromPort...................{port.number}"
    yield f"\t\tToPort.....................{port.far.number}"
    yield f"\t\tToLID......................{port.far.lid}"


def manager_record(world: World, manager: Manager, lid: int, now: int) -> Lines:
    """An SMInfoRecord."""
    yield "SMInfoRecord dump:"
    yield "\t\tRID"
    yield f"\t\tLID...................{lid}"
    yield "\t\tSMInfo dump:"
    yield f"\t\tGUID..................0x{manager.guid:016x}"
    yield f"\t\tSM_Key................0x{0:016x}"
    yield f"\t\tActCount..............{activity(world, manager, now)}"
    yield f"\t\tPriority..............{manager.priority}"
    yield f"\t\tSMState...............{manager.state.value[0]}"


def gid(node: Node) -> str:
    """A port's address in the subnet."""
    return str(IPv6Address(PREFIX << 64 | node.port_guid))


def _rate(world: World, node: Node) -> int:
    return links.rate(world, node.port_id(1)) if not node.is_switch else node.best_rate


def _mtu(world: World, node: Node) -> int:
    return links.mtu(world, node.port_id(1)) if not node.is_switch else links.LARGEST_MTU


def _fields(values: dict[str, str]) -> Lines:
    """Two tabs, the name, dots up to the 24th column."""
    return (f"\t\t{name.ljust(24, '.')}{value}" for name, value in values.items())
