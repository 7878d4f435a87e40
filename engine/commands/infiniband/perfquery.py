"""perfquery of infiniband-diags: reads and resets the counters of ports.

Format: perfquery.c of rdma-core 54, captures, and runs of the real tool on a simulator. Data counters are in words of
four bytes. Of the optional attributes only those of discarded packets and of receive errors are modelled.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.commands.context import Context
from engine.commands.infiniband._diags import pma
from engine.commands.infiniband._diags.destination import Destination, answer, destination, local_port, opened
from engine.commands.infiniband._diags.devices import local_device
from engine.commands.infiniband._diags.discovery import Node
from engine.commands.infiniband._diags.numbers import unsigned
from engine.commands.infiniband._diags.port_info import dotted
from engine.commands.infiniband._diags.program import fail, program, warn
from engine.commands.options import Option, Parsed
from engine.physics.port_counters import ResetCounters

_OPTIONAL = (
    Option(None, "oprcvcounters", help="(not modelled) receive counters by operation"),
    Option(None, "flowctlcounters", help="(not modelled) counters of flow control"),
    Option(None, "vloppackets", help="(not modelled) packets by operation and virtual lane"),
    Option(None, "vlopdata", help="(not modelled) data by operation and virtual lane"),
    Option(None, "vlxmitflowctlerrors", help="(not modelled) errors of flow control by virtual lane"),
    Option(None, "vlxmitcounters", help="(not modelled) ticks of waiting by virtual lane"),
    Option(None, "swportvlcong", help="(not modelled) congestion by virtual lane"),
    Option(None, "rcvcc", help="(not modelled) marked packets received"),
    Option(None, "slrcvfecn", help="(not modelled) FECN by service level"),
    Option(None, "slrcvbecn", help="(not modelled) BECN by service level"),
    Option(None, "xmitcc", help="(not modelled) congestion of sending"),
    Option(None, "vlxmittimecc", help="(not modelled) time of congestion by virtual lane"),
    Option("c", "smplctl", help="(not modelled) control of sampling"),
)
_BY_LEVEL = (
    Option("X", "xmtsl", help="(not modelled) sent data by service level"),
    Option("S", "rcvsl", help="(not modelled) received data by service level"),
)
_SPEEDS = Option("T", "extended_speeds", help="(not modelled) counters of error correction")
OPTIONS = (
    Option("x", "extended", help="show the extended counters of 64 bits"),
    *_BY_LEVEL,
    Option("D", "xmtdisc", help="show why packets were discarded"),
    Option("E", "rcverr", help="show what receive errors were"),
    _SPEEDS,
    *_OPTIONAL,
    Option("a", "all_ports", help="show the sum of all ports"),
    Option("l", "loop_ports", help="show each port"),
    Option("r", "reset_after_read", help="read the counters, then reset them"),
    Option("R", "Reset_only", help="only reset the counters"),
)
_MISSING = tuple(option.long or "" for option in (*_BY_LEVEL, _SPEEDS, *_OPTIONAL))
_ALL_BITS, _WAIT_BITS, _EXTENDED_ERROR_BITS = 0xFFFF, 0x10000, 0x1FFF0000
_DETAILS = {
    "xmtdisc": ("PortXmitDiscardDetails", pma.DISCARD_DETAILS),
    "rcverr": ("PortRcvErrorDetails", pma.RECEIVE_DETAILS),
}


async def run(context: Context, parsed: Parsed) -> int:
    """Read or reset the counters of the local port, or of ports of a node."""
    chosen = _ports(context, parsed)
    device = opened(context, parsed, local_device(context, parsed))
    if parsed.operands:
        where = await destination(context, device, parsed, parsed.operands[0])
    else:
        where, chosen = local_port(context, device), [1]
    node = await answer(context, where, "classportinfo query")
    if "all_ports" in parsed and len(chosen) == 1:
        chosen = [pma.ALL_PORTS]
    query = Query(context, parsed, where, node)
    for option, (title, names) in _DETAILS.items():
        if option in parsed:
            return query.details(chosen[0], title, names)
    query.run(chosen)
    return 0


def _ports(context: Context, parsed: Parsed) -> list[int]:
    """The port numbers of the command line: `3`, `1-10`, `1,4,8`; 0 if there are none."""
    if len(parsed.operands) < 2:
        return [0]
    text = parsed.operands[1]
    if "," in text:
        return [unsigned(part) for part in text.split(",") if part]
    if "-" in text:
        low, _, high = text.partition("-")
        if unsigned(low) >= unsigned(high):
            raise fail(context, "max port must be greater than min port in range")
        return list(range(unsigned(low), unsigned(high) + 1))
    return [unsigned(text)]


class Query:
    """One run against one node."""

    def __init__(self, context: Context, parsed: Parsed, where: Destination, node: Node) -> None:
        self.context, self.parsed, self.where, self.node = context, parsed, where, node
        self.read = pma.reader(context.world, context.now)

    def run(self, chosen: Sequence[int]) -> None:
        """Show, add up, reset, as the options say."""
        every = list(chosen) == [pma.ALL_PORTS]
        emulated = every and not self.node.is_switch
        if emulated and "all_ports" not in self.parsed:
            raise fail(self.context, "AllPortSelect not supported")
        looped = "loop_ports" in self.parsed
        if emulated and not looped:
            warn(self.context, "main", "Emulating AllPortSelect by iterating through all ports")
        ports = self._every() if emulated or (every and looped) else list(chosen)
        if "Reset_only" not in self.parsed:
            summed = "all_ports" in self.parsed and not looped and (emulated or len(ports) > 1)
            self._show_sum(ports) if summed else self._show_each(ports)
        if "Reset_only" in self.parsed or "reset_after_read" in self.parsed:
            self._reset(ports)

    def details(self, number: int, title: str, names: tuple[str, ...]) -> int:
        """One of the optional attributes."""
        if "Reset_only" not in self.parsed:
            self.context.line(f"# {title} counters: {self.where.text} port {number}")
            for name, value in pma.details(self._values(number), number, names):
                self.context.line(dotted(name, value))
        if "Reset_only" in self.parsed or "reset_after_read" in self.parsed:
            counter = "port_xmit_discards" if names == pma.DISCARD_DETAILS else "port_rcv_errors"
            self.context.simulation.apply(ResetCounters(self._ids(number), (counter,)))
        return 0

    def _every(self) -> list[int]:
        return list(range(0 if self.node.is_switch else 1, self.node.port_count + 1))

    def _values(self, number: int) -> dict[str, int]:
        """The counters of a port; an adapter has no port 0 and answers with its own."""
        real = number or (0 if self.node.is_switch else 1)
        known = real <= self.node.port_count or (real == pma.ALL_PORTS and self.node.is_switch)
        if not known:
            raise fail(self.context, "perfextquery" if "extended" in self.parsed else "perfquery")
        return dict(self.read(self.node, real))

    def _show_each(self, ports: Sequence[int]) -> None:
        for number in ports:
            self._show(self._values(number), number)

    def _show_sum(self, ports: Sequence[int]) -> None:
        every = [self._values(number) for number in ports]
        self._show({name: sum(values[name] for values in every) for name in every[0]}, pma.ALL_PORTS)

    def _show(self, values: dict[str, int], number: int) -> None:
        wide, mask = "extended" in self.parsed, pma.mask(self.node)
        second = f" CapMask2: 0x{pma.SECOND_MASK:07X}" if wide else ""
        title = f"# Port {'extended ' if wide else ''}counters: {self.where.text} port {number}"
        self.context.line(f"{title} (CapMask: 0x{mask:02X}{second})")
        for name, value in (pma.extended if wide else pma.classic)(values, number):
            self.context.line(dotted(name, value))

    def _reset(self, ports: Sequence[int]) -> None:
        counters = _selected(self.parsed)
        ids = tuple(port for number in ports for port in self._ids(number))
        self.context.simulation.apply(ResetCounters(ids, counters))

    def _ids(self, number: int) -> tuple[str, ...]:
        """The ports behind a number."""
        if number == pma.ALL_PORTS:
            return tuple(self.node.port_id(each) for each in range(1, self.node.port_count + 1))
        self._values(number)
        real = number or (0 if self.node.is_switch else 1)
        return (self.node.port_id(real),) if real else ()


def _selected(parsed: Parsed) -> tuple[str, ...]:
    """The counters that a reset is for: the mask of the command line, or all."""
    given = len(parsed.operands) > 2
    mask = unsigned(parsed.operands[2]) if given else _ALL_BITS
    if "extended" in parsed:
        mask |= _EXTENDED_ERROR_BITS
        return tuple(name for bit, name in pma.EXTENDED_BITS.items() if mask >> bit & 1)
    mask |= 0 if given else _WAIT_BITS
    return tuple(name for bit, name in enumerate(pma.CLASSIC_BITS) if mask >> bit & 1)


COMMAND = program(
    "perfquery",
    "query InfiniBand port counters",
    run,
    options=OPTIONS,
    without="DK",
    operands="[<lid|guid> [[port(s)] [reset_mask]]]",
    missing=_MISSING,
    manual="Shows the counters of the local port, or of a port by LID (or, with -G, port GUID) and number. Classic\n"
    "counters stop at their largest value, those of -x have 64 bits. Data is counted in words of four bytes.\n"
    "-R resets counters: bits 0 to 11 of the mask are errors, 12 to 15 data and packets. Needs root.",
    examples=(
        "\t\t# the local port",
        "-x 32 1\t# extended counters of port 1 at LID 32",
        "-a 32\t\t# the sum of all ports",
        "-l 32 1-10\t# ports 1 to 10, one after the other",
        "-R 32 2 0x0fff\t# reset the error counters of port 2",
    ),
)
