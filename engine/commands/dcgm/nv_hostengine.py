"""nv-hostengine 4.4.2, DCGM's host engine as a daemon: starting it by hand beside or instead of the service.

Texts: hostengine/src/main.cpp and HostEngineOutput.cpp of NVIDIA/DCGM v4.4.2. The service runs it with `-n` and writes
no file with its process id, so that `-t` does not find it, as there. Other ports and sockets are not modelled.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context, Interrupted
from engine.commands.dcgm._dcgmi.arguments import Argument, Ended, Parsed, Subsystem, parse
from engine.commands.linux._support.processes import own_terminal
from engine.commands.options import Option
from engine.control import processes, programs
from engine.control.dcgm import host_engine
from engine.kernel.units import HOUR, SECOND

_ARGUMENTS = (
    Argument("t", "term", None, "end the daemon"),
    Argument("p", "port", "Port", "the port that it listens on [default = 5555]", int),
    Argument("d", "domain-socket", "Unix domain socket path", "listen on a socket instead"),
    Argument("n", "no-daemon", None, "stay in the foreground"),
    Argument("b", "bind-interface", "IP address", "the interface that it listens on [default = 127.0.0.1]"),
    Argument("", "pid", "PID filename", "where the process id is kept"),
    Argument("", "log-level", "Log level", "NONE, FATAL, ERROR, WARN, INFO, DEBUG or VERB"),
    Argument("f", "log-filename", "Log filename", "where it logs [default = /var/log/nv-hostengine.log]"),
    Argument("", "log-rotate", None, "keep an older log"),
    Argument("", "denylist-modules", "Denylist", "ids of modules that are never loaded, with commas"),
    Argument("", "service-account", "Service account", "who runs diagnostics"),
    Argument("", "home-dir", "Diagnostic home", "where diagnostics are started"),
    Argument("", "version", None, "print the version"),
)
_LINE = Subsystem("", "", _ARGUMENTS)
_NOT_MODELLED = ("domain-socket", "bind-interface", "pid", "home-dir")
_FAILED = 1
_PID_FILE = "/var/run/nvhostengine.pid"
_NO_PID_FILE = (
    f"Error writing pidfile '{_PID_FILE}':\nPermission denied.\nIf the current user cannot to write to the PID file, "
    "update the permissions or use the --pid option to specify an alternate location for the PID file.\n"
    f"Host engine failed to write to pid file {_PID_FILE}\n"
)
_NOT_ROOT = "nv-hostengine running as non-root. Some functionality will be limited."
_PORT_TAKEN = -7
_START = SECOND


async def run(ctx: Context) -> int:
    """Start or end a host engine."""
    try:
        parsed = parse(_LINE, ctx.arguments)
    except Ended as ended:
        return _refuse(ctx, ended)
    if "version" in parsed:
        ctx.line(f"Version : {_version(ctx)}")
        return 0
    for name in _NOT_MODELLED:
        if name in parsed:
            return ctx.not_modelled(f"nv-hostengine --{name}")
    if parsed.number("port", host_engine.PORT) != host_engine.PORT:
        return ctx.not_modelled("nv-hostengine on another port")
    if ctx.identity.uid:
        ctx.error(_NOT_ROOT)
    if "term" in parsed:
        return await _terminate(ctx)
    return await _start(ctx, parsed)


def _refuse(ctx: Context, ended: Ended) -> int:
    """TCLAP's refusal in this program's form; `-h` lists the options."""
    if not ended.status:
        ctx.write("\nNVIDIA Data Center GPU Manager (DCGM)\n\nUSAGE:\n\n   nv-hostengine [OPTION]...\n\nWhere:\n")
        for each in _ARGUMENTS:
            ctx.line(f"   {each.brief}\n     {each.help}")
        return 0
    problem = "\n".join(ended.error.split("\n")[:2])
    ctx.error(f"{problem}\n\nBrief USAGE:\n   nv-hostengine [-t] [-p <Port>] [-n] [--denylist-modules <Denylist>]")
    ctx.error("\nFor complete USAGE and HELP type:\n   nv-hostengine --help\n")
    return ended.status


def _version(ctx: Context) -> str:
    return ctx.inventory.software.get("dcgm", "4.4.2")


def _daemon(ctx: Context) -> int:
    """The process id of a daemon that was started by hand, or 0."""
    return next(
        (
            each.pid
            for each in ctx.world.systems[ctx.host].processes
            if each.unit is None and "-n" not in each.command.split() and each.command.startswith(host_engine.PROGRAM)
        ),
        0,
    )


async def _terminate(ctx: Context) -> int:
    pid = _daemon(ctx)
    if not pid:
        ctx.line("Unable to terminate host engine, it may not be running.")
        return _FAILED
    if ctx.simulation.apply(processes.Kill(ctx.host, pid, 15, ctx.identity.name)):
        await ctx.sleep(30 * SECOND)
        ctx.line(f"Host engine already running with pid {pid}")
        ctx.line("Unable to terminate host engine.")
        return _FAILED
    ctx.line("Host engine successfully terminated.")
    return 0


async def _start(ctx: Context, parsed: Parsed) -> int:
    """Start it, as a daemon or (`-n`) until Ctrl-C."""
    stays = "no-daemon" in parsed
    running = _daemon(ctx)
    if running and not stays:
        ctx.line(f"Host engine already running with pid {running}")
        return _FAILED
    await ctx.sleep(_START)
    command = " ".join([host_engine.PROGRAM, *ctx.arguments])
    terminal = own_terminal(ctx) if stays else None
    made = ctx.simulation.apply(host_engine.StartDaemon(ctx.host, command, ctx.identity.name, terminal))
    if isinstance(made, str):
        ctx.line(f"Err: Failed to start DCGM Server: {_PORT_TAKEN}")
        return _FAILED
    for word in parsed.text("denylist-modules").split(","):
        if word.isdecimal():
            ctx.simulation.apply(host_engine.DenyModule(ctx.host, int(word)))
    ctx.line(f"Started host engine version {_version(ctx)} using port number: {host_engine.PORT} ")
    await ctx.flush()
    if stays:
        return await _wait(ctx, made)
    if ctx.identity.uid:
        ctx.simulation.apply(programs.EndProgram(ctx.host, made))
        ctx.write(_NO_PID_FILE)
        return _FAILED
    return 0


async def _wait(ctx: Context, pid: int) -> int:
    """In the foreground until Ctrl-C or somebody's signal."""
    try:
        while programs.runs(ctx.world, ctx.host, pid):
            await ctx.sleep(HOUR)
    except Interrupted:
        ctx.simulation.apply(programs.EndProgram(ctx.host, pid))
    return 0


COMMAND = Command(
    name="nv-hostengine",
    summary="DCGM's host engine as a daemon",
    synopsis="nv-hostengine [OPTION]...",
    options=tuple(Option(each.short or None, each.long, each.value, help=each.help) for each in _ARGUMENTS),
    manual="""Runs DCGM's host engine, which dcgmi asks. On a node the service nvidia-dcgm runs it
(`systemctl status nvidia-dcgm`); a second one finds the port taken. A daemon that was started by hand ends with
`nv-hostengine -t`, which does not end the service.

EXAMPLES

       nv-hostengine --denylist-modules 8
       nv-hostengine -t
""",
    run=run,
)
