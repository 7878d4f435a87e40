"""wget 1.21: fetches a URL, in a site without a way out. Texts compared with wget 1.21.3."""

from __future__ import annotations

from engine.commands.context import Context
from engine.commands.linux._support import clock
from engine.commands.linux._support.connections import Attempt, End, attempt
from engine.commands.linux._support.program import Suite, program
from engine.commands.linux._support.urls import BadUrl, split
from engine.commands.linux._support.words import word
from engine.commands.options import Option, Parsed, UsageError

_SUITE = Suite(
    "GNU Wget 1.21.4 built on linux-gnu.",
    "Usage: wget [OPTION]... [URL]...\n\nTry `wget --help' for more options.",
    status=2,
    short_help=True,
    short_version=True,
)
_PORTS = {"http": 80, "https": 443, "ftp": 21, "ftps": 990}
_NETWORK_FAILURE = 4


async def run(ctx: Context, parsed: Parsed) -> int:
    """Try every URL. Status 4 for failures of the network."""
    if not parsed.operands:
        raise UsageError(f"wget: missing URL\n{_SUITE.trailer}\n", 1)
    status = 0
    for url in parsed.operands:
        status = await _fetch(ctx, parsed, url) or status
    return status


async def _fetch(ctx: Context, parsed: Parsed, url: str) -> int:
    text = url if "://" in url else f"http://{url}"
    try:
        parts = split(text)
    except BadUrl:
        ctx.error(f"{text}: Bad port number.")
        return 1
    if parts.scheme not in _PORTS:
        ctx.error(f"{url}: Unsupported scheme {word(ctx.environment, parts.scheme)}.")
        return 1
    if not parts.host:
        ctx.error(f"{text}: Invalid host name.")
        return 1
    host, port = parts.host, _PORTS[parts.scheme] if parts.port is None else parts.port
    tried = attempt(ctx, host, port)
    if tried.end is End.OPEN:
        return ctx.not_modelled(f"what answers at {host} port {port}")
    shown = text if parts.path else f"{text}/"
    _say(ctx, parsed, f"--{clock.shown(ctx, ctx.epoch, '%Y-%m-%d %H:%M:%S')}--  {shown}\n")
    return await _connect(ctx, parsed, host, port, tried)


async def _connect(ctx: Context, parsed: Parsed, host: str, port: int, tried: Attempt) -> int:
    quiet = "quiet" in parsed
    if tried.end is End.UNKNOWN_HOST:
        _say(ctx, parsed, f"Resolving {host} ({host})... failed: Name or service not known.\n")
        if not quiet:
            ctx.error(f"wget: unable to resolve host address {word(ctx.environment, host)}")
        return _NETWORK_FAILURE
    if host != tried.address:
        _say(ctx, parsed, f"Resolving {host} ({host})... {tried.address}\n")
    where = f"{host}:{port}" if host == tried.address else f"{host} ({host})|{tried.address}|:{port}"
    _say(ctx, parsed, f"Connecting to {where}... ")
    await ctx.sleep(tried.took)
    if not quiet:
        ctx.error(f"failed: {tried.end.value}.")
    return _NETWORK_FAILURE


def _say(ctx: Context, parsed: Parsed, text: str) -> None:
    if not {"quiet", "no-verbose"} & {key for key, _ in parsed.given}:
        ctx.stderr.write(text.encode())


COMMAND = program(
    "wget",
    "fetch a URL into a file",
    run,
    suite=_SUITE,
    synopsis="wget [OPTION]... [URL]...",
    options=(
        Option("q", "quiet", help="say nothing"),
        Option(None, "no-verbose", name="no-verbose", help="say little"),
        Option("v", "verbose", help="say everything, as is usual"),
        Option("O", "output-document", "FILE", help="write to FILE"),
        Option("P", "directory-prefix", "DIRECTORY", help="write to DIRECTORY"),
        Option("c", "continue", help="go on with a file"),
        Option("t", "tries", "N", help="try N times"),
        Option("T", "timeout", "SECONDS", help="take no longer"),
        Option("S", "server-response", help="show headers"),
        Option("N", "timestamping", help="only if newer"),
        Option("r", "recursive", help="with what it points to"),
        Option(None, "no-parent", help="not upwards"),
        Option("4", "inet4-only", help="only IPv4"),
        Option("6", "inet6-only", help="only IPv6"),
        Option(None, "spider", help="only look whether it is there"),
        Option(None, "no-check-certificate", help="do not check certificates"),
        Option(None, "user", "USER", help="who one is"),
        Option(None, "password", "PASSWORD", help="one's password"),
        Option(None, "header", "LINE", help="one more header"),
        Option(None, "post-data", "DATA", help="send DATA"),
        Option("U", "user-agent", "NAME", help="call oneself NAME"),
        Option("i", "input-file", "FILE", help="URLs from FILE"),
        Option("b", "background", help="in the background"),
    ),
    manual="The site has no way to the internet: names outside do not resolve.",
)
