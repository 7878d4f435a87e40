"""nc of OpenBSD netcat 1.226 (Ubuntu 24.04): whether a port is open. Talking to one, and listening, are not modelled.

Texts after netcat's source as Debian patches it.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support.connections import End, attempt
from engine.commands.linux._support.services import tcp_service
from engine.commands.options import Option, Parsed, UsageError, option_lines, parse
from engine.kernel.units import SECOND

_LARGEST = 65_535
_OPTIONS = (
    Option("4", None, name="ipv4", help="only IPv4"),
    Option("6", None, name="ipv6", help="only IPv6"),
    Option("h", "help", help="print this text"),
    Option("k", None, name="keep", help="with -l, for one after the other"),
    Option("l", None, name="listen", help="listen"),
    Option("n", None, name="numeric", help="no names"),
    Option("p", None, "PORT", name="own_port", help="from this port"),
    Option("q", None, "SECONDS", name="quit", help="end so long after the end of input"),
    Option("u", None, name="udp", help="UDP"),
    Option("v", None, name="verbose", help="say what is done"),
    Option("w", None, "SECONDS", name="timeout", help="wait no longer"),
    Option("z", None, name="scan", help="only look whether the port is open"),
)
_USAGE = "usage: nc [-46hklnuvz] [-p PORT] [-q SECONDS] [-w SECONDS] HOST PORT"


async def run(ctx: Context) -> int:
    """Try each port. Status 1 if one is closed."""
    parsed = parse("nc", _OPTIONS, ctx.arguments, trailer=_USAGE)
    if "help" in parsed:
        ctx.write("\n".join([_USAGE, *option_lines(_OPTIONS), ""]))
        return 0
    for key in ("listen", "udp"):
        if key in parsed:
            return ctx.not_modelled(f"nc -{'l' if key == 'listen' else 'u'}")
    if len(parsed.operands) < 2:
        raise UsageError(f"{_USAGE}\n")
    host, *texts = parsed.operands
    ports = [port for text in texts for port in _ports(ctx, text)]
    statuses = [await _try(ctx, parsed, host, port) for port in ports]
    return max(statuses)


def _ports(ctx: Context, text: str) -> list[int]:
    first, dash, last = text.partition("-")
    ends = [_port(ctx, word) for word in ([first, last] if dash else [first])]
    return list(range(min(ends), max(ends) + 1))


def _port(ctx: Context, word: str) -> int:
    if not word.isdigit() and (service := tcp_service(ctx, word)):
        return service[1]
    number = int(word) if word.isdigit() else 0
    if not 0 < number <= _LARGEST:
        raise UsageError(f"nc: port number invalid: {word}\n")
    return number


async def _try(ctx: Context, parsed: Parsed, host: str, port: int) -> int:
    tried = attempt(ctx, host, port)
    if tried.end is End.UNKNOWN_HOST:
        ctx.error(f'nc: getaddrinfo for host "{host}" port {port}: Name or service not known')
        return 1
    shown = host if host == tried.address else f"{host} ({tried.address})"
    if tried.end is End.OPEN:
        if "verbose" in parsed:
            service = tcp_service(ctx, str(port))
            ctx.error(f"Connection to {shown} {port} port [tcp/{service[0] if service else '*'}] succeeded!")
        return 0 if "scan" in parsed else ctx.not_modelled(f"talking to port {port} of {host}")
    limit = int(parsed["timeout"]) * SECOND if (parsed["timeout"] or "").isdigit() else None
    timed_out = limit is not None and tried.took > limit
    await ctx.sleep(limit if timed_out and limit is not None else tried.took)
    if "verbose" in parsed:
        why = "Connection timed out" if timed_out else tried.end.value
        ctx.error(f"nc: connect to {shown} port {port} (tcp) failed: {why}")
    return 1


COMMAND = Command(
    "nc",
    "look whether a TCP port is open",
    run,
    "nc [OPTION]... HOST PORT",
    _OPTIONS,
    "nc -zv HOST PORT says whether somebody listens on a port. PORT may be a range such as 6817-6819.",
)
