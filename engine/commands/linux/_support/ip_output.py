"""How iproute2 6.1 prints links, addresses, routes and neighbours: in full, brief, on one line, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from engine.commands.context import Context
from engine.commands.linux._support import interfaces
from engine.commands.linux._support.interfaces import Neighbour, Route
from engine.control import network
from engine.control.network import Counters, Interface

_FOREVER = "valid_lft forever preferred_lft forever"


@dataclass(frozen=True, slots=True)
class Style:
    """The options that say how to print."""

    brief: bool = False
    one_line: bool = False
    statistics: int = 0
    details: bool = False
    json: bool = False
    pretty: bool = False
    family: int | None = None


def show(ctx: Context, style: Style, blocks: Sequence[list[str]]) -> None:
    """Print blocks of lines, each on one line with -o."""
    for lines in blocks:
        ctx.write("\\".join(lines) + "\n" if style.one_line else "".join(line + "\n" for line in lines))


def show_json(ctx: Context, style: Style, found: Sequence[dict[str, object]]) -> None:
    """Print JSON as iproute2's writer does."""
    if style.pretty:
        texts = [json.dumps(each, indent=4, ensure_ascii=False) for each in found]
        body = ",".join("{" + text[1:-1].replace("\n", "\n    ") + "}" for text in texts)
        ctx.line(f"[ {body} ]" if found else "[ ]")
        return
    ctx.line(json.dumps(list(found), separators=(",", ":"), ensure_ascii=False))


def brief_line(interface: Interface, style: Style, addresses: bool) -> str:
    """`eno1             UP             10.20.0.10/24 `."""
    if addresses:
        texts = [address for address in interface.addresses if style.family in (None, _version(address))]
        rest = "".join(f"{address} " for address in texts)
    else:
        rest = f"{interface.mac} <{','.join(interfaces.flags(interface))}> "
    return f"{interfaces.shown_name(interface):<16} {interfaces.state(interface):<14} {rest}"


def link_lines(ctx: Context, interface: Interface, style: Style, *, addresses: bool) -> list[str]:
    """An interface with its link layer, and with its addresses if wanted."""
    master = f"master {interface.master} " if interface.master else ""
    mode = "" if addresses else "mode DEFAULT "
    first = (
        f"{interface.index}: {interfaces.shown_name(interface)}: <{','.join(interfaces.flags(interface))}> "
        f"mtu {interface.mtu} qdisc {interfaces.queue(interface)} {master}state {interfaces.state(interface)} "
        f"{mode}group default qlen {interfaces.queue_length(interface)}"
    )
    link = f"    link/{interfaces.link_type(interface)} {interface.mac} brd {interfaces.broadcast(interface)}"
    if interface.permanent not in ("", interface.mac):
        link += f" permaddr {interface.permanent}"
    lines = [first] if addresses and style.family else [first, link + (_details(interface) if style.details else "")]
    if addresses:
        lines += address_lines(interface, style)
    if style.statistics:
        lines += _statistics(network.counters(ctx.world, ctx.host, interface.name, ctx.now), style.statistics)
    return lines


def address_lines(interface: Interface, style: Style) -> list[str]:
    """The addresses of an interface, two lines each."""
    lines = []
    for address in interface.addresses:
        if style.family not in (None, _version(address)):
            continue
        facts = interfaces.address_facts(interface, address)
        brd = f"brd {facts['broadcast']} " if "broadcast" in facts else ""
        end = interface.name if facts["family"] == "inet" else "noprefixroute " if "noprefixroute" in facts else ""
        lines.append(f"    {facts['family']} {address} {brd}scope {facts['scope']} {end}")
        lines.append(f"       {_FOREVER}")
    return lines


def one_line_addresses(interface: Interface, style: Style) -> list[str]:
    """`ip -o addr`: a line for each address."""
    lines = address_lines(interface, style)
    pairs = zip(lines[::2], lines[1::2], strict=True)
    return [f"{interface.index}: {interface.name}    {first.strip()}\\{second}" for first, second in pairs]


def _details(interface: Interface) -> str:
    parent = f" parentbus pci parentdev {interface.pci_address}" if interface.pci_address else ""
    kind = {
        "bond": "bond mode 802.3ad miimon 100",
        "infiniband": "ipoib pkey 0xffff mode datagram umcast 0000",
        "vlan": f"vlan protocol 802.1Q id {interface.vlan} <REORDER_HDR>",
    }
    queues = 1 if interface.kind == "vlan" else 64
    text = f" promiscuity 0 allmulti 0 minmtu 68 maxmtu 65535 {kind.get(interface.kind, '')}".rstrip()
    return f"{text} numtxqueues {queues} numrxqueues {queues} gso_max_size 65536 gso_max_segs 65535{parent}"


_COLUMN_WIDTHS = (10, 7, 6, 7, 7, 7)
_EMPTY_COLUMN = 10


def _statistics(counters: Counters, level: int) -> list[str]:
    """What came in and went out; columns are as wide as the widest figure of both."""
    received = [counters.rx_bytes, counters.rx_packets, counters.rx_errors, counters.rx_dropped, 0, 0]
    sent = [counters.tx_bytes, counters.tx_packets, counters.tx_errors, counters.tx_dropped, 0, 0]
    widths = [
        max(width, *(len(str(row[column])) for row in (received, sent))) for column, width in enumerate(_COLUMN_WIDTHS)
    ]
    lines = _counter_rows("RX", ["bytes", "packets", "errors", "dropped", "missed", "mcast"], received, widths)
    if level > 1:
        lines += _error_rows("RX", ["length", "crc", "frame", "fifo", "overrun"], widths)
    lines += _counter_rows("TX", ["bytes", "packets", "errors", "dropped", "carrier", "collsns"], sent, widths)
    if level > 1:
        lines += _error_rows("TX", ["aborted", "fifo", "window", "heartbt", "transns"], widths)
    return lines


def _counter_rows(way: str, names: list[str], values: list[int], widths: list[int]) -> list[str]:
    head = _cells(names, [widths[0] - 4, *widths[1:]])
    return [f"    {way}: {head} {'':<{_EMPTY_COLUMN}}", f"    {_cells([str(value) for value in values], widths)} "]


def _error_rows(way: str, names: list[str], widths: list[int]) -> list[str]:
    head = f"    {way} errors:{'':<{widths[0] - 10}} {_cells(names, widths[1:])}"
    return [head, f"    {'':<{widths[0]}} {_cells(['0'] * len(names), widths[1:])} "]


def _cells(texts: Sequence[str], widths: Sequence[int]) -> str:
    return " ".join(text.rjust(width) for text, width in zip(texts, widths, strict=True))


def link_facts(interface: Interface, addresses: Sequence[dict[str, object]] | None) -> dict[str, object]:
    """An interface for -j."""
    facts: dict[str, object] = {
        "ifindex": interface.index,
        **({"link": interface.parent} if interface.parent else {}),
        "ifname": interface.name,
        "flags": interfaces.flags(interface),
        "mtu": interface.mtu,
        "qdisc": interfaces.queue(interface),
    }
    if interface.master:
        facts["master"] = interface.master
    facts["operstate"] = interfaces.state(interface)
    if addresses is None:
        facts["linkmode"] = "DEFAULT"
    facts |= {"group": "default", "txqlen": interfaces.queue_length(interface)}
    facts |= {"link_type": interfaces.link_type(interface), "address": interface.mac}
    facts["broadcast"] = interfaces.broadcast(interface)
    if interface.permanent not in ("", interface.mac):
        facts["permaddr"] = interface.permanent
    return facts if addresses is None else facts | {"addr_info": list(addresses)}


def route_line(route: Route) -> str:
    """A line of the main table."""
    down = "" if route.interface.carrier else "linkdown "
    if ":" in route.destination:
        return f"{route.destination} dev {route.interface.name} proto kernel metric {route.metric} {down}pref medium"
    return f"{route.destination} dev {route.interface.name} proto kernel scope link src {route.source} {down}"


def route_facts(route: Route) -> dict[str, object]:
    """A route for -j."""
    facts: dict[str, object] = {"dst": route.destination, "dev": route.interface.name, "protocol": "kernel"}
    facts |= {"metric": route.metric} if route.metric else {"scope": "link", "prefsrc": route.source}
    return facts | {"flags": [] if route.interface.carrier else ["linkdown"]}


def neighbour_line(neighbour: Neighbour) -> str:
    """A line of the neighbour table."""
    mac = f"lladdr {neighbour.mac} " if neighbour.mac else ""
    return f"{neighbour.address} dev {neighbour.interface} {mac}{neighbour.state} "


def _version(address: str) -> int:
    return 6 if ":" in address else 4
