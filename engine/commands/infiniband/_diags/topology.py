"""Texts of a discovered fabric, as ibnetdiscover prints them: topology file, lists of nodes, ports report.

Formats: ibnetdiscover.c of rdma-core 54, and runs of the real tool on a simulator. An adapter's own line has the name
that it gives itself, every other the one of the node name map.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.infiniband._diags.discovery import ADAPTER, SWITCH, Node, Port, listed
from engine.kernel.calendar import local

_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_PLAIN_SPEED, _WIDTH, _LANES = 4, 2, 4
"""Numbers in PortInfo of 10 Gb/s a lane (what faster links say there too), of 4X, and of eight virtual lanes."""


def heading(nodes: list[Node], timezone: str, epoch: int, reach: bool) -> Iterator[str]:
    """The first lines of a topology file; with `reach` how far the fabric goes and how many packets that took."""
    first = nodes[0]
    yield "#"
    yield f"# Topology file: generated on {_date(timezone, epoch)}"
    yield "#"
    if reach:
        yield f"# Reported max hops discovered: {max(len(node.route) for node in nodes)}"
        yield f"# Total MADs used: {_packets(nodes)}"
    yield f"# Initiated from node {first.guid:016x} port {first.port_guid:016x}"


def body(nodes: list[Node], *, full: bool = False, grouped: bool = False) -> Iterator[str]:
    """The topology file: switches, then adapters, each with its links. No switch here is part of a chassis."""
    if grouped:
        yield ""
        yield "Non-Chassis Nodes"
    for node in (*listed(nodes, SWITCH), *listed(nodes, ADAPTER)):
        yield from node_lines(node, remark="\t# " if grouped else "")
        yield from (port_line(port, full=full) for port in node.ports if port.far)


def node_lines(node: Node, prefix: str = "", remark: str = "") -> Iterator[str]:
    """What a topology file says of a node before its links."""
    yield ""
    yield f"{prefix}vendid=0x{node.vendor:x}"
    yield f"{prefix}devid=0x{node.part:x}"
    yield f"{prefix}sysimgguid=0x{node.system_guid:x}"
    if node.is_switch:
        yield f"{prefix}switchguid=0x{node.guid:x}({node.port_guid:x}){remark}"
    else:
        yield f"{prefix}caguid=0x{node.guid:x}"
    yield detail(node, prefix)


def detail(node: Node, prefix: str = "") -> str:
    """The line with a node's name."""
    if node.is_switch:
        told = f'"{node.called}" enhanced port 0 lid {node.lid} lmc 0'
        return f'{prefix}Switch\t{node.port_count} "{node.name}"\t\t# {told}'
    return f'{prefix}Ca\t{node.port_count} "{node.name}"\t\t# "{node.description}"'


def port_line(port: Port, prefix: str = "", *, full: bool = False) -> str:
    """The line of a link, seen from one of its ends."""
    far = port.far
    assert far is not None
    plain = f" s={_PLAIN_SPEED} w={_WIDTH} v={_LANES}" if full else ""
    remark = f'"{far.node.called}" lid {far.lid} {port.lanes}x{_speed(port)}{plain}'
    to_adapter = not far.node.is_switch
    if port.node.is_switch:
        guid = f"({far.guid:x}) " if to_adapter else ""
        return f'{prefix}[{port.number}]\t"{far.node.name}"[{far.number}]{guid}\t\t# {remark}'
    guid = f" ({far.guid:x}) " if to_adapter else ""
    start = f'{prefix}[{port.number}]({port.guid:x}) \t"{far.node.name}"[{far.number}]{guid}'
    return f"{start}\t\t# lid {port.lid} lmc 0 {remark}"


def node_line(node: Node) -> str:
    """A line of the lists of nodes (-l, -H, -S)."""
    counts = f"ports {node.port_count} devid 0x{node.part:x} vendid 0x{node.vendor:x}"
    return f'{node.kind}\t : 0x{node.guid:016x} {counts} "{node.called}"'


def ports_report(nodes: list[Node]) -> Iterator[str]:
    """Every port of every node (-p), ports descending."""
    for node in listed(nodes):
        for port in reversed(node.ports):
            far = port.far
            own = f"{_short(node)} {port.lid:5d} {port.number:2d} 0x{port.guid:016x} {port.lanes}x {_speed(port)}"
            if far is None:
                yield f"{own}{'':36s}'{node.called}'"
            else:
                other = f"{_short(far.node)} {far.lid:5d} {far.number:2d} 0x{far.guid:016x}"
                yield f"{own} - {other} ( '{node.called}' - '{far.node.called}' )"


def progress(nodes: list[Node]) -> Iterator[str]:
    """What -s tells: each answer to a direct route, a new node or one that is known, in order of discovery. Names and
    LIDs come with later answers than those of the same distance.
    """
    seen: set[str] = set()
    for node in nodes:
        if not seen:
            seen.add(node.id)
            yield _step(node, (), new=True)
        if not node.is_switch and node is not nodes[0]:
            continue
        for port in node.ports:
            if port.far and (len(node.route) == 0 or port.number != node.arrival):
                other = port.far.node
                yield _step(other, (*node.route, port.number), new=other.id not in seen)
                seen.add(other.id)


def host_line(node: Node) -> str:
    """A line of ibhosts."""
    return f'Ca\t: 0x{node.guid:016x} ports {node.port_count} "{node.description}"'


def switch_line(node: Node) -> str:
    """A line of ibswitches."""
    start = f'Switch\t: 0x{node.guid:016x} ports {node.port_count} "{node.called}"'
    return f"{start} enhanced port 0 lid {node.lid} lmc 0"


def _step(node: Node, route: tuple[int, ...], *, new: bool) -> str:
    path = ",".join(map(str, (0, *route)))
    kind, number = ("Switch", 0) if node.is_switch else ("Channel Adapter", 1)
    word = f"new {kind}" if new else f"known {kind}"
    told = not new and len(route) > len(node.route)
    lids, name = (f"{node.lid}-{node.lid}", node.description) if told else ("0-0", "")
    return f'DR path slid 0; dlid 0; {path} -> {word} {{{node.guid:016x}}} portnum {number} lid {lids} "{name}"'


def _packets(nodes: list[Node]) -> int:
    """Management packets of a discovery: NodeInfo over each link, then what is asked of each node and port."""
    answers = 1 + sum(port.far is not None for node in nodes if node.is_switch for port in node.ports)
    details = sum(3 + node.port_count if node.is_switch else 2 for node in nodes)
    return answers + details + (not nodes[0].is_switch) - sum(node.is_switch for node in nodes[1:])


def _speed(port: Port) -> str:
    return port.generation.name


def _short(node: Node) -> str:
    return "SW" if node.is_switch else "CA"


def _date(timezone: str, epoch: int) -> str:
    """As ctime(3) writes it."""
    moment = local(timezone, epoch)
    day = f"{_DAYS[moment.weekday()]} {_MONTHS[moment.month - 1]} {moment.day:2d}"
    return f"{day} {moment.hour:02d}:{moment.minute:02d}:{moment.second:02d} {moment.year}"
