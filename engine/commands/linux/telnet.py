"""telnet of GNU inetutils 2.5 (Ubuntu 24.04): connects to a port. What is said then is not modelled."""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support.connections import End, attempt
from engine.commands.options import Option, option_lines, parse

_OPTIONS = (
    Option("4", "ipv4", help="only IPv4"),
    Option("6", "ipv6", help="only IPv6"),
    Option("l", "user", "USER", help="log in as USER"),
    Option("?", "help", help="print this text"),
)
_TELNET_PORT = 23


async def run(ctx: Context) -> int:
    """Connect, and say how it went."""
    parsed = parse("telnet", _OPTIONS, ctx.arguments, trailer="Try 'telnet --help' for more information.")
    if "help" in parsed:
        ctx.write("\n".join(["Usage: telnet [OPTION]... [HOST [PORT]]", *option_lines(_OPTIONS), ""]))
        return 0
    if not parsed.operands:
        return ctx.not_modelled("telnet's own prompt")
    host, port = parsed.operands[0], parsed.operands[1] if len(parsed.operands) > 1 else str(_TELNET_PORT)
    if not port.isdigit():
        ctx.error(f"telnet: could not resolve {host}/{port}: Servname not supported for ai_socktype")
        return 1
    tried = attempt(ctx, host, int(port))
    if tried.end is End.UNKNOWN_HOST:
        ctx.error(f"telnet: could not resolve {host}/{port}: Name or service not known")
        return 1
    ctx.line(f"Trying {tried.address}...")
    await ctx.sleep(tried.took)
    if tried.end is not End.OPEN:
        ctx.error(f"telnet: Unable to connect to remote host: {tried.end.value}")
        return 1
    ctx.line(f"Connected to {host}.\nEscape character is '^]'.")
    await ctx.flush()
    return ctx.not_modelled(f"talking to port {port} of {host}")


COMMAND = Command(
    "telnet",
    "connect to a TCP port",
    run,
    "telnet [OPTION]... [HOST [PORT]]",
    _OPTIONS,
    "Shows whether a port is open; what is said over it is not modelled.",
)
