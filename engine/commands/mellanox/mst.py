"""mst of MFT 4.30: starts and stops the driver that gives the other tools their devices, and lists these.

Texts: captures of `mst start`, `mst status` and `mst status -v` (ConnectX-6 and -7, BlueField-3), the mst script as
published. Serial and in-band devices (`mst ib add`, cables, remote servers) are not modelled.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.mellanox._mft import devices
from engine.control.modules import LoadModule, UnloadModule
from engine.kernel.units import SECOND

_BUS_MODULE = "mst_pci"
_COLUMNS = "{:<24}{:<30}{:<10}{:<16}{:<40}{}"
_NOT_MODELLED = ("ib", "cable", "remote", "server", "gearbox", "save", "load", "rm", "add")
_STARTED = "Starting MST (Mellanox Software Tools) driver set"


async def run(context: Context) -> int:
    """One of mst's commands."""
    words = list(context.arguments)
    command = words[0] if words else ""
    if command in ("", "help", "-h", "--help"):
        context.write(_USAGE)
        return 0 if command else 1
    if command in ("version", "-v", "--version"):
        version = context.inventory.software.get("mft", "4.30.1")
        context.line(f"mst, mft {version}-139, built on Nov 20 2024, 10:48:51. Git SHA Hash: N/A")
        return 0
    if command in _NOT_MODELLED:
        return context.not_modelled(f"mst {command}")
    if command not in ("start", "stop", "restart", "status"):
        context.line(f'-E- Unknown argument "{command}"')
        return 1
    if not context.is_root:
        context.line("-E- You must be root to use mst tool")
        return 1
    if command == "status":
        return _status(context, words[1:])
    if command in ("stop", "restart"):
        await _stop(context)
    if command in ("start", "restart"):
        await _start(context)
    return 0


async def _start(context: Context) -> None:
    context.line(_STARTED)
    running = devices.started(context)
    context.simulation.apply(LoadModule(context.host, _BUS_MODULE))
    context.line("Loading MST PCI module - Success")
    if running:
        context.line(f"[warn] {devices.CONFIGURATION_MODULE} is already loaded, skipping")
    else:
        context.simulation.apply(LoadModule(context.host, devices.CONFIGURATION_MODULE))
        context.line("Loading MST PCI configuration module - Success")
    context.line("Create devices")
    await context.sleep(SECOND)
    context.simulation.apply(UnloadModule(context.host, _BUS_MODULE))
    context.line("Unloading MST PCI module (unused) - Success")


async def _stop(context: Context) -> None:
    context.line("Stopping MST (Mellanox Software Tools) driver set")
    await context.sleep(SECOND // 2)
    if devices.started(context):
        context.simulation.apply(UnloadModule(context.host, devices.CONFIGURATION_MODULE))
        context.line("Unloading MST PCI configuration module (unused) - Success")


def _status(context: Context, words: list[str]) -> int:
    running = devices.started(context)
    context.line("MST modules:\n------------\n    MST PCI module is not loaded")
    context.line(f"    MST PCI configuration module {'loaded' if running else 'is not loaded'}")
    if words and words[0] in ("-v", "-vv"):
        _table(context, running)
        return 0
    if words:
        context.line(f'    -E- Unknown argument "{words[0]}"')
        return 1
    if not running:
        context.line("\nPCI Devices:\n------------\n")
        for hca in devices.adapters(context):
            context.line(hca.address.removeprefix("0000:"))
        context.line()
        return 0
    context.line("\nMST devices:\n------------")
    for hca in devices.first_functions(context):
        name = devices.path(context, hca)
        context.line(f"{name:<33}- PCI configuration cycles access.")
        place = f"domain:bus:dev.fn={hca.address} addr.reg=88 data.reg=92 cr_bar.gw_offset=-1"
        context.line(f"{'':35}{place}\n{'':35}Chip revision is: 00")
    context.line()
    return 0


def _table(context: Context, running: bool) -> None:
    context.line("PCI devices:\n------------")
    context.line(_COLUMNS.format("DEVICE_TYPE", "MST", "PCI", "RDMA", "NET", "NUMA  ").rstrip(" ") + "  ")
    for hca in devices.adapters(context):
        name = devices.path(context, hca) if running else "NA"
        row = (f"{devices.chip(hca)}(rev:0)", name, hca.address.removeprefix("0000:"), hca.name, f"net-{hca.netdev}")
        context.line(_COLUMNS.format(*row, f"{hca.numa:<6}"))
        context.line()


_USAGE = """\
Usage:
    mst {start|stop|status|restart|version|help}

    start        load the driver and make the devices in /dev/mst
    stop         take them away again
    status [-v]  list the devices; -v with RDMA devices, interfaces and NUMA nodes
    restart      stop, then start
    version      print the version
"""
COMMAND = Command(
    "mst",
    "start and stop the driver of NVIDIA's firmware tools, list its devices",
    run,
    synopsis="mst {start|stop|status [-v]|restart|version}",
    manual="The devices /dev/mst/mt4129_pciconf0 ... are there after `mst start`, until `mst stop` or a restart of\n"
    "the node. mlxlink, mlxconfig, flint and mlxfwreset also take RDMA devices (mlx5_0) and PCI addresses, without it.",
)
