"""opensm, run by hand: in the foreground until Ctrl-C, or once (-o); its version, and a template of its file.

Texts: main.c of opensm 3.3.23, and runs of it; NVIDIA's builds of 5.x say the same with their own version. What its
help says of each option is breakfix's own. Guess: who is not root can't open the log.
"""

from __future__ import annotations

from collections.abc import Awaitable

from engine.commands.command import Command
from engine.commands.context import Context, Interrupted
from engine.commands.linux._support.program import PLAIN, Program
from engine.commands.options import Option, Parsed
from engine.control import programs, service_state
from engine.control.subnet_manager import default_file
from engine.control.subnet_manager.by_hand import ManageByHand
from engine.control.subnet_manager.lids import port_guid
from engine.control.subnet_manager.managers import MASTER, UNIT, port_of
from engine.hostfs.tree import FileError
from engine.kernel.units import SECOND

_RULE = "-" * 49
_LOG = "/var/log/opensm.log"
_SETTINGS = {"guid": "guid", "priority": "sm_priority", "smkey": "sm_key", "routing_engine": "routing_engine",
             "sweep": "sweep_interval", "root_guid_file": "root_guid_file", "lfts_file": "lfts_file"}  # fmt: skip
_SWITCHES = {"reassign_lids": "reassign_lids", "honor_guid2lid": "honor_guid2lid_file"}
_MISSING = ("daemon", "config", "log_file", "qos", "debug", "verbose", "lmc")
OPTIONS = (
    Option("c", "create-config", "FILE", help="write a file with all settings, and end"),
    Option("g", "guid", "GUID", help="the local port to use"),
    Option("p", "priority", "0-15", help="the priority in elections"),
    Option("k", "smkey", "KEY", help="the key of this manager"),
    Option("R", "routing_engine", "NAMES", help="the routing engines to try"),
    Option("U", "lfts_file", "FILE", help="the tables for the routing engine file, as dump_fts prints them"),
    Option("a", "root_guid_file", "FILE", help="GUIDs of the roots for updn and ftree"),
    Option("s", "sweep", "SECONDS", help="how often to look at the fabric"),
    Option("o", "once", help="configure the fabric once, and end"),
    Option("B", "daemon", help="(not modelled) go to the background"),
    Option("F", "config", "FILE", help="(not modelled) read this file"),
    Option("f", "log_file", "FILE", help="(not modelled) write the log there"),
    Option("r", "reassign_lids", help="give all ports LIDs anew"),
    Option("x", "honor_guid2lid", help="keep to the LIDs of the file after standing by"),
    Option("l", "lmc", "LMC", help="(not modelled) several LIDs for each port"),
    Option("Q", "qos", help="(not modelled) set up quality of service"),
    Option("d", "debug", "NUMBER", help="(not modelled) tests"),
    Option("v", "verbose", help="(not modelled) log more"),
)


async def run(ctx: Context, parsed: Parsed) -> int:
    """Manage the fabric until somebody ends it."""
    version = _version(ctx)
    lacking = next((name for name in _MISSING if name in parsed), None)
    if lacking:
        return ctx.not_modelled(f"opensm --{lacking}")
    _greet(ctx)
    if "create_config" in parsed:
        return _template(ctx, parsed["create_config"] or "")
    if not ctx.is_root:
        ctx.line(f" Log File: {_LOG}\n{_RULE}\n\nError from osm_opensm_init: IB_ERROR.")
        return 1
    for line in (*_told(parsed), f" Log File: {_LOG}", _RULE, version, ""):
        ctx.line(line)
    return await _manage(ctx, parsed)


def _version(ctx: Context) -> str:
    return f"OpenSM {ctx.inventory.software.get('opensm', '')}"


def _greet(ctx: Context) -> None:
    for line in (_RULE, _version(ctx), "Command Line Arguments:"):
        ctx.line(line)


def _start(ctx: Context) -> int | Awaitable[int]:
    """The version is in the greeting; there is nothing more to say about it."""
    if "--version" in ctx.arguments:
        _greet(ctx)
        return 0
    return _ITSELF.run(ctx)


def _told(parsed: Parsed) -> list[str]:
    """What it says of its own command line."""
    texts = {
        "once": " Run Once",
        "reassign_lids": " Reassign LIDs",
        "honor_guid2lid": " Honor guid2lid file, if possible",
        "guid": f" Guid <{parsed['guid']}>",
        "sweep": f" sweep interval = {parsed['sweep']}",
        "priority": f" Priority = {parsed['priority']}",
        "smkey": f" SM Key <{parsed['smkey']}>",
        "routing_engine": f" Activate '{parsed['routing_engine']}' routing engine(s)",
        "lfts_file": f" LFTs file is '{parsed['lfts_file']}'",
        "root_guid_file": f" Root Guid File: {parsed['root_guid_file']}",
    }
    return [text for name, text in texts.items() if name in parsed]


def _template(ctx: Context, path: str) -> int:
    """Write the settings as they are when nobody has changed them."""
    ctx.line(f" Creating config file template '{path}'.")
    where = path if path.startswith("/") else f"{ctx.directory.rstrip('/')}/{path}"
    try:
        ctx.files.write(where, default_file.text(ctx.inventory, "").encode())
    except FileError:
        ctx.error(f"cannot open file '{path}' for writing: Permission denied")
        return 1
    return 0


async def _manage(ctx: Context, parsed: Parsed) -> int:
    world, host = ctx.world, ctx.host
    given = parsed["guid"]
    wanted = int(given, 16) if given else 0
    port = port_of(world, host)
    known = next((hca.port for hca in ctx.node.hcas if hca.port_guid == wanted), None) if wanted else port
    if known is None or service_state.is_active(world, host, UNIT) or world.managers[host].enabled:
        ctx.line("\nError from osm_opensm_bind (0x2A)\nPerhaps another instance of OpenSM is already running")
        return 1
    if not wanted:
        ctx.line(f"Using default GUID 0x{port_guid(ctx.inventory, known):x}")
    values = tuple((_SETTINGS[name], parsed[name] or "") for name in _SETTINGS if name in parsed)
    settings = (*values, *((setting, "TRUE") for name, setting in _SWITCHES.items() if name in parsed))
    command = " ".join(("opensm", *ctx.arguments))
    pid: int = ctx.simulation.apply(programs.BeginProgram(host, "root", command, resident_kib=19_000))
    ctx.simulation.apply(ManageByHand(host, pid, settings))
    try:
        await _watch(ctx, pid, once="once" in parsed)
    except Interrupted:
        ctx.line("OpenSM: Got signal 2 - exiting...")
    finally:
        ctx.simulation.apply(programs.EndProgram(host, pid))
    ctx.line("Exiting SM\n")
    return 0


async def _watch(ctx: Context, pid: int, *, once: bool) -> None:
    """Tell each state that it takes, until it ends or, `once`, is master."""
    shown = ""
    while programs.runs(ctx.world, ctx.host, pid):
        role = ctx.world.managers[ctx.host].role or ""
        if role != shown:
            ctx.line(f"Entering {role.upper()} state\n")
            await ctx.flush()
            shown = role
        if once and role == MASTER:
            return
        await ctx.sleep(SECOND)


_ITSELF = Program("opensm", "InfiniBand subnet manager", run, PLAIN, "opensm [options]", OPTIONS, True, 1)
COMMAND = Command(
    "opensm",
    "InfiniBand subnet manager and administration",
    _start,
    "opensm [options]",
    OPTIONS,
    "Manages the InfiniBand fabric in the foreground, until Ctrl-C. Usually its service does: systemctl status opensm.",
    "/usr/sbin",
    8,
)
