"""tcpdump 4.99 in a first form: RoCE packets on an RDMA device. Format: tcpdump's print-ip.c and print-udp.c.

MLNX_OFED lets tcpdump listen on an RDMA device (`-i mlx5_0`), where packets are that never pass the kernel. Shown are
packets of the flows that leave or reach the port now: addresses, type of service with its ECN bits, lengths. Filters
are `udp`, `port 4791` and `host ADDRESS`. Other interfaces, files and protocols are not modelled. Guess: source ports.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.command import Command
from engine.commands.context import Context, Interrupted
from engine.commands.linux._support import clock
from engine.commands.options import Option, Parsed, UsageError, parse
from engine.control import network, roce_gids
from engine.kernel.random import hash64
from engine.kernel.units import SECOND
from engine.physics.ethernet.service import Senders
from engine.world.inventory import Hca
from engine.world.records import Flow

_PORT = 4791
_UDP, _IP = 8, 28
_BTH_AND_CHECK = 16
_ECT, _CE = 2, 3
_FIRST_PORT, _PORTS = 0xC000, 0x4000
_STEP = 1_000  # ns between packets that are shown

_OPTIONS = (
    Option("i", "interface", "INTERFACE", help="an RDMA device, such as mlx5_0"),
    Option("c", None, "COUNT", name="count", help="end after so many packets"),
    Option("n", None, name="numeric", help="no names"),
    Option("v", None, name="verbose", help="with type of service and lengths"),
    Option("e", None, name="link", help="with the link layer's header"),
    Option("q", None, name="quick", help="less of each protocol"),
    Option("l", None, name="lines", help="line by line"),
    Option("D", "list-interfaces", help="the interfaces"),
)


async def run(ctx: Context) -> int:
    """Show packets until the count is reached or somebody ends it."""
    parsed = parse("tcpdump", _OPTIONS, ctx.arguments, status=1)
    if "list_interfaces" in parsed:
        names = [each.name for each in network.interfaces(ctx.world, ctx.host)] + [hca.name for hca in ctx.node.hcas]
        ctx.write("".join(f"{number}.{name}\n" for number, name in enumerate(names, 1)))
        return 0
    name = parsed["interface"] or ""
    hca = next((each for each in ctx.node.hcas if each.name == name and each.link_layer == "Ethernet"), None)
    if hca is None:
        known = not name or name == "any" or network.interface(ctx.world, ctx.host, name) is not None
        if known or any(each.name == name for each in ctx.node.hcas):
            return ctx.not_modelled(f"tcpdump -i {name or 'any'}")
        ctx.error(f"tcpdump: {name}: No such device exists\n(No such device exists)")
        return 1
    if not ctx.is_root:
        text = "You don't have permission to capture on that device"
        ctx.error(f"tcpdump: {name}: {text}\n(socket: Operation not permitted)")
        return 1
    host = _filter(parsed)
    if host is None:
        return ctx.not_modelled(f"tcpdump {' '.join(parsed.operands)}")
    return await _listen(ctx, parsed, hca, host)


def _filter(parsed: Parsed) -> str | None:
    """The host that a filter asks for ("": any); None for a filter that is not modelled."""
    words = [word for word in " ".join(parsed.operands).split() if word not in ("udp", "and", "ip", "src", "dst")]
    host = ""
    while words:
        word = words.pop(0)
        if word == "port" and words and words[0] == str(_PORT):
            words.pop(0)
        elif word == "host" and words:
            host = words.pop(0)
        else:
            return None
    return host


async def _listen(ctx: Context, parsed: Parsed, hca: Hca, host: str) -> int:
    verbose = "verbose" in parsed
    if not verbose:
        ctx.error("tcpdump: verbose output suppressed, use -v[v]... for full protocol decode")
    head = "tcpdump: " if verbose else ""
    ctx.error(f"{head}listening on {hca.name}, link-type EN10MB (Ethernet), snapshot length 262144 bytes")
    count, shown = _count(parsed), 0
    try:
        while count is None or shown < count:
            for line in _packets(ctx, hca, host, verbose, shown):
                ctx.line(line)
                shown += 1
                if shown == count:
                    break
            await ctx.flush()
            await ctx.sleep(SECOND if count is None or shown < count else 0)
    except Interrupted:
        pass
    for text in ("captured", "received by filter"):
        ctx.error(f"{shown} packets {text}")
    ctx.error("0 packets dropped by kernel")
    return 0


def _count(parsed: Parsed) -> int | None:
    text = parsed["count"]
    if text is None:
        return None
    if not text.isdigit() or not int(text):
        raise UsageError(f"tcpdump: invalid packet count {text}\n")
    return int(text)


def _packets(ctx: Context, hca: Hca, host: str, verbose: bool, before: int) -> Iterator[str]:
    """A packet of each flow that leaves or reaches the port now."""
    senders, number = Senders(ctx.world), before
    bundles = ctx.world.bundles
    for owner in bundles.changed():
        for flow in bundles[owner].flows:
            if flow.service.tcp or not flow.links or hca.port not in (flow.source, flow.destination):
                continue
            ends = [_address(ctx, port) for port in (flow.source, flow.destination)]
            if host and host not in ends:
                continue
            number += 1
            yield _line(ctx, hca, flow, senders, ends, number, verbose)


def _address(ctx: Context, port: str) -> str:
    found = roce_gids.table(ctx.world, ctx.world.inventory.hca(port.rpartition("/")[0]))
    return next((each.address for each in found if each.is_ipv4), "")


def _line(ctx: Context, hca: Hca, flow: Flow, senders: Senders, ends: list[str], number: int, verbose: bool) -> str:
    sent = senders.sent_as(flow)
    length = sent.mtu + _BTH_AND_CHECK
    draw = hash64("packet", flow.source, flow.destination, ctx.now, number)
    service = sent.dscp << 2 | _ecn(ctx, hca, flow, sent.reacts, draw)
    port = _FIRST_PORT + hash64("source port", flow.source, flow.destination) % _PORTS
    when = _clock(ctx, ctx.now + number * _STEP)
    ways = f"{ends[0]}.{port} > {ends[1]}.{_PORT}: UDP, length {length}"
    if not verbose:
        return f"{when} IP {ways}"
    tos = f"{service:#x}"
    mark = {_ECT: ",ECT(0)", _CE: ",CE"}.get(service & 3, "")
    head = f"(tos {tos}{mark}, ttl 64, id {draw % 65536}, offset 0, flags [DF], proto UDP (17), length {length + _IP})"
    return f"{when} IP {head}\n    {ways}"


def _clock(ctx: Context, time: int) -> str:
    """The time of day with microseconds."""
    epoch = ctx.inventory.start + time
    return f"{clock.shown(ctx, epoch, '%H:%M:%S')}.{epoch // 1000 % 1_000_000:06d}"


def _ecn(ctx: Context, hca: Hca, flow: Flow, reacts: bool, draw: int) -> int:
    """Bits of a packet: a sender that can be told says so; of those that arrive some are marked."""
    if not reacts:
        return 0
    noticed = ctx.world.roce_traffic[hca.port].now
    arrives = flow.destination == hca.port
    return _CE if arrives and noticed.marked and draw % 20 == 0 else _ECT


COMMAND = Command(
    "tcpdump",
    "show packets on an RDMA device",
    run,
    "tcpdump -i DEVICE [-nv] [-c COUNT] [FILTER]",
    _OPTIONS,
    "RoCE v2 is UDP to port 4791; -v shows the type of service: 0x6a is DSCP 26 with ECT(0), 0x6b the same marked\n"
    "(CE). Only RDMA devices on Ethernet can be listened on: other interfaces are not modelled.",
    section=8,
    complete=lambda ctx, words: [hca.name for hca in ctx.node.hcas],
)
