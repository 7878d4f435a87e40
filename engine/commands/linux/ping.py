"""ping of iputils 20240117: whether a host answers. Times of answers are drawn within what such networks have (a
guess).

Packets larger than the far interface or a port on the way takes are lost without a word; with -M do those larger than
the own MTU are refused. A host on the same network without power fails address resolution: Destination Host
Unreachable, a second for each try; so does one that is asked for through an interface of another network (-I).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address, ip_interface
from math import isqrt

from engine.commands.context import Context, Interrupted
from engine.commands.linux._support import clock
from engine.commands.linux._support.names import Resolver
from engine.commands.linux._support.program import Suite, program
from engine.commands.options import Option, Parsed, UsageError
from engine.control import neighbours, network, sockets
from engine.kernel.random import hash64
from engine.kernel.units import MILLISECOND, SECOND

_SUITE = Suite("ping from iputils 20240117", trailer="{usage}", status=2, short_version=True, short_help=True)
_PAYLOAD = 56
_HEADERS = 28


@dataclass(slots=True)
class _Result:
    """What came of the packets: times in µs."""

    sent: int = 0
    times: list[int] = field(default_factory=list)
    errors: int = 0


@dataclass(frozen=True, slots=True)
class _Through:
    """What -I says: how the first line tells it, the own address, and whether the target is on that network."""

    told: str = ""
    address: str = ""
    near: bool = True


async def run(ctx: Context, parsed: Parsed) -> int:
    """Send packets and tell about the answers."""
    if not parsed.operands:
        ctx.error("ping: usage error: Destination address required")
        return 1
    count = _number(parsed, "count", 1)
    interval = _seconds(parsed, "interval", SECOND)
    deadline = _seconds(parsed, "deadline", 0)
    size = _number(parsed, "size", 0) or _PAYLOAD
    resolver = Resolver(ctx)
    name = parsed.operands[-1]
    address = resolver.address_of(name)
    if address is None:
        ctx.error(f"ping: {name}: Name or service not known")
        return 2
    if resolver.owner_of(address) is None:
        ctx.error("ping: connect: Network is unreachable")
        return 2
    through = _through(ctx, parsed["interface"], address)
    if isinstance(through, str):
        ctx.error(through)
        return 2
    ctx.line(f"PING {name} ({address}) {through.told}{size}({size + _HEADERS}) bytes of data.")
    result = _Result()
    began = ctx.now
    try:
        while count is None or result.sent < count:
            await _packet(ctx, parsed, resolver, address, result, size, through)
            over = deadline and ctx.now - began + interval > deadline
            if over or (count is not None and result.sent >= count):
                break
            await ctx.sleep(interval)
    except Interrupted:
        _summary(ctx, name, result, ctx.now - began)
        return 0 if result.times else 1
    if not result.times:
        await ctx.sleep(_seconds(parsed, "timeout", SECOND) if not result.errors else 0)
    _summary(ctx, name, result, ctx.now - began)
    return 0 if result.times else 1


def _through(ctx: Context, asked: str | None, target: str) -> _Through | str:
    """The interface or the own address that packets leave by; a text that says why they can't."""
    if asked is None:
        return _Through()
    held = {
        cidr.partition("/")[0]: (each, cidr)
        for each in network.interfaces(ctx.world, ctx.host)
        for cidr in each.addresses
        if "." in cidr
    }
    found = network.interface(ctx.world, ctx.host, asked)
    if found is None and asked in held:
        return _Through(f"from {asked} : ", asked)
    if found is None:
        numeric = asked.replace(".", "").isdigit()
        return "ping: bind: Cannot assign requested address" if numeric else f"ping: unknown iface: {asked}"
    if not found.up:
        return "ping: connect: Network is unreachable"
    own = next((address for address, (each, _) in held.items() if each.name == asked), "")
    if not own:
        ctx.error(f"ping: Warning: source address might be selected on device other than: {asked}.")
        other = next(address for address, (each, _) in held.items() if each.kind != "loopback")
        return _Through(f"from {other} {asked}: ", other, near=False)
    near = ip_address(target) in ip_interface(held[own][1]).network
    return _Through(f"from {own} {asked}: ", own, near)


def _number(parsed: Parsed, key: str, least: int) -> int | None:
    text = parsed[key]
    if text is None:
        return None
    if not text.isdigit() or int(text) < least:
        raise UsageError(f"ping: invalid argument: '{text}'\n")
    return int(text)


def _seconds(parsed: Parsed, key: str, default: int) -> int:
    text = parsed[key]
    if text is None:
        return default
    time = clock.seconds(text)
    if time is None:
        raise UsageError(f"ping: invalid argument: '{text}'\n")
    return time


async def _packet(
    ctx: Context, parsed: Parsed, resolver: Resolver, address: str, result: _Result, size: int, through: _Through
) -> None:
    result.sent += 1
    number = result.sent
    local = resolver.owner_of(address) == ("node", ctx.host)
    if not local and neighbours.refused(ctx.world, ctx.host, address):
        ctx.error("ping: sendmsg: No buffer space available")
        return
    room = None if local else _room(ctx, address)
    if room is not None and size + _HEADERS > min(room):
        if size + _HEADERS > room[0] and parsed["fragment"] == "do":
            result.errors += 1
            ctx.error(f"ping: local error: message too long, mtu={room[0]}")
            return
        if min(size + _HEADERS, room[0]) > room[1]:
            return
    if through.near and (local or network.reachable(ctx.world, ctx.host, address)):
        micros = _round_trip(ctx, address, number, local)
        result.times.append(micros)
        await ctx.sleep(micros * 1000)
        if "quiet" not in parsed:
            source = _named(parsed, resolver, address)
            ctx.line(f"{size + 8} bytes from {source}: icmp_seq={number} ttl=64 time={_milliseconds(micros)} ms")
    else:
        await ctx.sleep(20 * MILLISECOND if number > 1 else 3 * SECOND)
        result.errors += 1
        own = through.address or resolver.own_address()
        if "quiet" not in parsed:
            ctx.line(f"From {_named(parsed, resolver, own)} icmp_seq={number} Destination Host Unreachable")


def _room(ctx: Context, address: str) -> tuple[int, int] | None:
    """MTU of the interface towards an address, and the least of what takes its packets behind it."""
    way = sockets.way(ctx.world, ctx.host, address)
    if way is None:
        return None
    least = way.theirs.mtu
    for hca in ctx.node.hcas:
        if hca.netdev == way.own.name and ctx.world.ports.generation:
            from engine.physics.traffic import ledger

            far = next((each for each in ctx.world.node(way.target).hcas if each.netdev == way.theirs.name), hca)
            least = min(least, ledger.passes(ctx.world, hca.port), ledger.passes(ctx.world, far.port))
    return way.own.mtu, least


def _round_trip(ctx: Context, address: str, number: int, local: bool) -> int:
    draw = hash64(ctx.world.seed, ctx.host, address, ctx.now, number)
    return 18 + draw % 30 if local else 120 + draw % 160


def _named(parsed: Parsed, resolver: Resolver, address: str) -> str:
    asked_by_number = parsed.operands[-1].replace(".", "").isdigit()
    name = None if "numeric" in parsed or asked_by_number else resolver.name_of(address)
    return f"{name} ({address})" if name else address


def _milliseconds(micros: int) -> str:
    return f"{micros // 1000}.{micros % 1000:03d}"


def _summary(ctx: Context, name: str, result: _Result, lasted: int) -> None:
    received = len(result.times)
    lost = 100 - received * 100 // result.sent if result.sent else 0
    errors = f" +{result.errors} errors," if result.errors else ""
    ctx.line()
    ctx.line(f"--- {name} ping statistics ---")
    counts = f"{result.sent} packets transmitted, {received} received,{errors} {lost}% packet loss"
    ctx.line(f"{counts}, time {lasted // MILLISECOND}ms")
    if result.times:
        mean = sum(result.times) // received
        spread = isqrt(max(0, sum(time * time for time in result.times) // received - mean * mean))
        figures = "/".join(_milliseconds(value) for value in (min(result.times), mean, max(result.times), spread))
        ctx.line(f"rtt min/avg/max/mdev = {figures} ms")
    elif result.errors:
        ctx.line(f"pipe {min(result.errors, 4)}")


COMMAND = program(
    "ping",
    "find out whether a host answers",
    run,
    suite=_SUITE,
    synopsis="ping [OPTION]... HOST",
    options=(
        Option("4", help="IPv4"),
        Option("6", help="IPv6"),
        Option("c", None, "COUNT", name="count", help="so many packets"),
        Option("i", None, "SECONDS", name="interval", help="between packets, 1 if not given"),
        Option("I", None, "INTERFACE", name="interface", help="through this interface"),
        Option("M", None, "HOW", name="fragment", help="path MTU discovery: do, dont, want"),
        Option("n", None, name="numeric", help="no names"),
        Option("q", None, name="quiet", help="only the summary"),
        Option("s", None, "BYTES", name="size", help="bytes to send"),
        Option("t", None, "TTL", name="ttl", help="time to live"),
        Option("w", None, "SECONDS", name="deadline", help="end after so long"),
        Option("W", None, "SECONDS", name="timeout", help="how long to wait for an answer"),
        Option("f", None, name="flood", help="as fast as it goes"),
        Option("v", None, name="verbose", help="tell more"),
    ),
    manual="Status 0 if something answered, 1 if nothing did, 2 for an unknown host. Ctrl-C ends it with a summary.",
)
