"""iperf3 3.16 (Ubuntu 24.04), TCP: server, client and what each prints while the test runs. Formats: iperf_locale.c,
iperf_api.c, iperf_error.c.

The client measures and tells the server. A daemon (-D) is a process that nobody looks at; what it prints is lost.
Guesses: `Name or service not known` behind an unknown host, figures of processors and round trips in JSON.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._support import iperf3_options, talking
from engine.commands.linux._support.iperf3_client import Client
from engine.commands.linux._support.iperf3_options import OPTIONS, Settings
from engine.commands.linux._support.iperf3_server import DAEMON, Server
from engine.control import programs, sockets

_SYNOPSIS = "iperf3 [-s|-c HOST] [OPTION]..."


async def run(ctx: Context) -> int:
    """Be the server or the client."""
    settings = iperf3_options.read(ctx.arguments)
    if isinstance(settings, str):
        if settings.startswith("-"):
            return ctx.not_modelled(f"iperf3 {settings}")
        ctx.write(settings)
        return 0
    if settings.daemon:
        return _daemon(ctx, settings)
    async with talking.program(ctx, cpu_permille=0 if settings.server else 950) as pid:
        try:
            return await (Server if settings.server else Client)(ctx, settings, pid).run()
        except talking.Killed:
            return talking.KILLED_STATUS


def _daemon(ctx: Context, settings: Settings) -> int:
    """-D: what serves from now on is a process without a terminal."""
    words = " ".join([ctx.name, *ctx.arguments])
    pid: int = ctx.simulation.apply(programs.BeginProgram(ctx.host, ctx.identity.name, words))
    listen = sockets.Listen(ctx.host, settings.port, pid, ctx.identity.name, DAEMON, settings.once)
    if ctx.simulation.apply(listen):
        # The daemon has let go of the terminal before it finds the port taken.
        ctx.simulation.apply(programs.EndProgram(ctx.host, pid))
    return 0


COMMAND = Command(
    "iperf3",
    "measure what TCP moves between two hosts",
    run,
    _SYNOPSIS,
    tuple(option for option in OPTIONS if option.help and not option.help.startswith("(not modelled)")),
    "Start the server with -s on one host, then the client with -c HOST on another. One stream is limited by one\n"
    "processor; -P runs several. The name decides the network: HOST is on the management network, HOST-inband on\n"
    "the in-band one. -R lets the server send.",
)
