"""Texts of a discovered fabric, as ibnetdiscover prints them: topology file, lists of nodes, ports report.

Formats: ibnetdiscover.c of rdma-core 54, and runs of the real tool on a simulator. Widths are 4x: so are all links of
the model.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.infiniband._diags.discovery import ADAPTER, SWITCH, Node, Port, listed
from engine.kernel.calendar import local
from engine.physics import links

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_NO_LINK = "4x SDR"


def topology(nodes: list[Node], timezone: str, epoch: int) -> Iterator[str]:
    """The topology file: switches, then adapters, each with its links."""
    first = nodes[0]
    yield "#"
    yield f"# Topology file: generated on {_date(timezone, epoch)}"
    yield "#"
    yield f"# Initiated from node {first.guid:016x} port {Port(first, 1).guid:016x}"
    for node in listed(nodes, SWITCH):
        yield from _switch(node)
    for node in listed(nodes, ADAPTER):
        yield from _adapter(node)


def node_line(node: Node) -> str:
    """A line of the lists of nodes (-l, -H, -S)."""
    vendor, device = node.ids
    counts = f"ports {node.port_count} devid 0x{device:x} vendid 0x{vendor:x}"
    return f'{node.kind}\t : 0x{node.guid:016x} {counts} "{node.description}"'


def ports_report(nodes: list[Node]) -> Iterator[str]:
    """Every port of every node (-p), ports descending."""
    for node in listed(nodes):
        for port in reversed(list(node.ports())):
            far = port.remote()
            speed = f"4x {_speed(port)}" if far else _NO_LINK
            own = f"{_short(node)} {port.lid:5d} {port.number:2d} 0x{port.guid:016x} {speed}"
            if far is None:
                yield f"{own}{'':36s}'{node.description}'"
            else:
                other = f"{_short(far.node)} {far.lid:5d} {far.number:2d} 0x{far.guid:016x}"
                yield f"{own} - {other} ( '{node.description}' - '{far.node.description}' )"


def host_line(node: Node) -> str:
    """A line of ibhosts."""
    return f'Ca\t: 0x{node.guid:016x} ports {node.port_count} "{node.description}"'


def switch_line(node: Node) -> str:
    """A line of ibswitches."""
    start = f'Switch\t: 0x{node.guid:016x} ports {node.port_count} "{node.description}"'
    return f"{start} enhanced port 0 lid {node.lid} lmc 0"


def _ids(node: Node) -> Iterator[str]:
    vendor, device = node.ids
    yield ""
    yield f"vendid=0x{vendor:x}"
    yield f"devid=0x{device:x}"
    yield f"sysimgguid=0x{node.system_guid:x}"


def _switch(node: Node) -> Iterator[str]:
    yield from _ids(node)
    yield f"switchguid=0x{node.guid:x}({node.guid:x})"
    yield f'Switch\t{node.port_count} "{node.name}"\t\t# "{node.description}" enhanced port 0 lid {node.lid} lmc 0'
    for port in node.ports():
        far = port.remote()
        if far:
            guid = f"({far.guid:x}) " if far.node.kind == ADAPTER else ""
            remark = f'"{far.node.description}" lid {far.lid} 4x{_speed(port)}'
            yield f'[{port.number}]\t"{far.node.name}"[{far.number}]{guid}\t\t# {remark}'


def _adapter(node: Node) -> Iterator[str]:
    yield from _ids(node)
    yield f"caguid=0x{node.guid:x}"
    yield f'Ca\t{node.port_count} "{node.name}"\t\t# "{node.description}"'
    for port in node.ports():
        far = port.remote()
        if far:
            guid = f" ({far.guid:x}) " if far.node.kind == ADAPTER else ""
            remark = f'lid {port.lid} lmc 0 "{far.node.description}" lid {far.lid} 4x{_speed(port)}'
            yield f'[{port.number}]({port.guid:x}) \t"{far.node.name}"[{far.number}]{guid}\t\t# {remark}'


def _speed(port: Port) -> str:
    return links.speed(links.rate(port.node.world, port.id)).name


def _short(node: Node) -> str:
    return "SW" if node.kind == SWITCH else "CA"


def _date(timezone: str, epoch: int) -> str:
    """As ctime(3) writes it."""
    moment = local(timezone, epoch)
    day = f"{_DAYS[moment.weekday()]} {_MONTHS[moment.month - 1]} {moment.day:2d}"
    return f"{day} {moment.hour:02d}:{moment.minute:02d}:{moment.second:02d} {moment.year}"
