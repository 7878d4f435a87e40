"""What perftest prints: the box, addresses of queue pairs, rows. Formats of perftest_parameters.c and
perftest_communication.c of release 6.24; the columns are those of captures of older releases.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.commands.perftest._program.device import Device
from engine.commands.perftest._program.kinds import READ, SEND, WRITE, Kind
from engine.commands.perftest._program.options import RULE, Settings
from engine.workloads.perftest import Spread

WAITING = f"\n{'*' * 36}\n* Waiting for client to connect... *\n{'*' * 36}"
_MIB, _GIGABIT = 0x100000, 125_000_000
_LATENCY_HEADER = (
    " #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   "
    "99% percentile[usec]   99.9% percentile[usec] "
)


@dataclass(frozen=True, slots=True)
class Address:
    """A queue pair as both ends tell each other: LID, numbers, key and address of its memory, and its GID."""

    lid: int
    queue_pair: int
    packet: int
    key: int
    memory: int
    gid: str = ""


@dataclass(frozen=True, slots=True)
class Rate:
    """A row of bandwidth: bytes of a message, how many, and bytes per second at the peak and on average."""

    size: int
    iterations: int
    peak: float
    average: float

    @property
    def messages(self) -> float:
        """Millions per second."""
        return self.average / self.size / 1_000_000


def box(kind: Kind, settings: Settings, device: Device, packet: int) -> list[str]:
    """The header, from rule to rule."""
    both = settings.bidirectional
    words = [kind.title, *(["Bidirectional"] if both else []), *(["Post List"] if settings.post_list > 1 else [])]
    title = " ".join([*words, "BW" if kind.bandwidth else "Latency", "Test"])
    lines = [RULE, " " * 20 + title]
    if settings.events:
        lines.append(f" Test with events. Using {device.hca.name}_comp{settings.vector}")
    lines += [
        f" Dual-port       : OFF\t\tDevice         : {device.hca.name}",
        f" Number of qps   : {settings.qp}\t\tTransport type : IB",
        f" Connection type : {settings.connection}\t\tUsing SRQ      : OFF",
        f" PCIe relax order: {'OFF' if settings.disable_pcie_relaxed else 'ON'}\t\tLock-free      : OFF",
        f" ibv_wr* API     : {'OFF' if settings.use_old_post_send else 'ON'}\t\tUsing DDP      : OFF",
    ]
    if settings.client or both:
        lines.append(f" TX depth        : {settings.tx_depth}")
    if settings.post_list > 1:
        lines.append(f" Post List       : {settings.post_list}")
    if kind.verb == SEND and (both or not settings.client):
        lines.append(f" RX depth        : {settings.rx_depth}")
    if kind.bandwidth:
        lines.append(f" CQ Moderation   : {settings.cq_mod}")
    lines += [f" Mtu             : {packet}[B]", f" Link type       : {'Ethernet' if device.ethernet else 'IB'}"]
    if device.gid_index >= 0:
        lines.append(f" GID index       : {device.gid_index}")
    if kind.verb == READ:
        lines.append(f" Outstand reads  : {device.reads}")
    else:
        lines.append(f" Max inline data : {device.inline}[B]")
    lines.append(f" rdma_cm QPs\t : {'ON' if settings.rdma_cm else 'OFF'}")
    return [*lines, *_exchange(settings), RULE]


def _exchange(settings: Settings) -> list[str]:
    if not settings.rdma_cm:
        return [" Data ex. method : Ethernet"]
    tos = f" \tTOS    : {settings.tos}" if settings.tos >= 0 else ""
    lines = [f" Data ex. method : rdma_cm{tos}"]
    if settings.client:
        return lines
    return [
        *lines,
        RULE,
        " Waiting for client rdma_cm QP to connect",
        " Please run the same command with the IB/RoCE interface IP",
    ]


def address_lines(kind: Kind, side: str, address: Address, reads: int) -> list[str]:
    """A queue pair of this side or the other."""
    words = f" {side} address: LID {_hexadecimal(address.lid, 4)} QPN {_hexadecimal(address.queue_pair, 6)}"
    words += f" PSN {_hexadecimal(address.packet, 6)}"
    if kind.verb == READ:
        words += f" OUT {_hexadecimal(reads, 4)}"
    if kind.verb in (READ, WRITE):
        words += f" RKey {_hexadecimal(address.key, 8)} VAddr {_hexadecimal(address.memory, 16)}"
    return [words, *([f" GID: {_decimal_gid(address.gid)}"] if address.gid else [])]


def _hexadecimal(number: int, width: int) -> str:
    """C's %#0WIDTHx: the width counts the 0x, which zero does not get."""
    return f"{number:#0{width}x}" if number else "0" * width


def _decimal_gid(gid: str) -> str:
    octets = bytes.fromhex(gid.replace(":", ""))
    return ":".join(f"{octet:02d}" for octet in octets)


def header(kind: Kind, settings: Settings) -> str:
    """The columns of the table."""
    if kind.bandwidth:
        unit = "Gb/sec" if settings.report_gbits else "MiB/sec"
        return f" #bytes     #iterations    BW peak[{unit}]    BW average[{unit}]   MsgRate[Mpps]"
    if settings.timed:
        return " #bytes        #iterations       t_avg[usec]    tps average"
    return _LATENCY_HEADER


def rate_row(settings: Settings, rate: Rate) -> str:
    """A row of bandwidth, or the one number that --output asks for."""
    factor = _GIGABIT if settings.report_gbits else _MIB
    peak, average = (0.0 if settings.noPeak else rate.peak) / factor, rate.average / factor
    if settings.output:
        return f"{average if settings.output == 'bandwidth' else rate.messages:f}"
    if settings.report_gbits and average < 0.1:
        figures = "".join(f"{value:<7.6f}            " for value in (peak, average))
        return f" {rate.size:<7d}    {rate.iterations}           {figures}{rate.messages:<7.6f}"
    counts = f" {rate.size:<7d}    {rate.iterations:<10d}"
    return f"{counts}       {peak:<7.2f}            {average:<7.2f}\t\t     {rate.messages:<7.6f}"


def latency_row(settings: Settings, size: int, iterations: int, spread: Spread) -> str:
    """A row of latencies."""
    if settings.output:
        return f"{spread.average:f}"
    return (
        f" {size:<7d} {iterations}          {spread.least:<7.2f}        {spread.most:<7.2f}      {spread.typical:<7.2f}"
        f"  \t       {spread.average:<7.2f}     \t{spread.deviation:<7.2f}\t\t{spread.percentile_99:<7.2f} "
        f"\t\t{spread.percentile_99_9:<7.2f}"
    )


def duration_row(settings: Settings, size: int, iterations: int, average: float, per_second: float) -> str:
    """A row of a latency test that ran for a time."""
    if settings.output:
        return f"{average:f}"
    return f" {size:<7d}       {iterations}            {average:<7.2f}        {per_second:<7.2f}"
