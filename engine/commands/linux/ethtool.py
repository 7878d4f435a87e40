"""ethtool 6.7: the link and the driver of a network interface, in a first form. Format after ethtool's source.

From engine.control.network: speed, duplex, link; driver, firmware, bus address. What is not modelled of an interface's
settings is left out. Statistics, module data, rings and pause settings are not modelled.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.options import Option, UsageError, option_lines
from engine.control import kernel_image, network
from engine.control.network import Interface

_NO_DATA = 75
_REQUESTS = 5
"""How many kinds of settings ethtool asks the kernel for; each fails alone."""

_SUPPORTS = ("statistics", "test", "eeprom-access", "register-dump", "priv-flags")
_DRIVERS = {
    "mlx5_core": (True, True, False, False, True),
    "mlx5_core[ib_ipoib]": (True, True, False, False, False),
    "ixgbe": (True, True, True, True, True),
    "bonding": (False, False, False, False, False),
}
"""What each driver offers, from its ethtool operations in Linux 6.8."""

_OPTIONS = (
    Option("i", "driver", "INTERFACE", help="driver, versions and bus address"),
    Option("S", "statistics", "INTERFACE", help="statistics"),
    Option("a", "show-pause", "INTERFACE", help="pause settings"),
    Option("c", "show-coalesce", "INTERFACE", help="coalescing"),
    Option("g", "show-ring", "INTERFACE", help="ring sizes"),
    Option("k", "show-features", "INTERFACE", help="offloads"),
    Option("l", "show-channels", "INTERFACE", help="channels"),
    Option("m", "module-info", "INTERFACE", help="data of the transceiver"),
    Option("P", "show-permaddr", "INTERFACE", help="the permanent address"),
    Option("s", "change", "INTERFACE SETTING...", help="change settings"),
    Option("h", "help", help="print this text"),
    Option(None, "version", help="print the version"),
)


async def run(ctx: Context) -> int:
    """Show an interface's link, or what an option asks for."""
    words = list(ctx.arguments)
    if not words:
        raise UsageError("ethtool: bad command line argument(s)\nFor more information run ethtool -h\n")
    if words[0] in ("-h", "--help"):
        ctx.write("\n".join(["Usage: ethtool INTERFACE | ethtool OPTION INTERFACE", "", *option_lines(_OPTIONS), ""]))
        return 0
    if words[0] == "--version":
        ctx.line("ethtool version 6.7")
        return 0
    if not words[0].startswith("-"):
        return await _settings(ctx, words[0])
    option = next((each for each in _OPTIONS if words[0] in (f"-{each.short}", f"--{each.long}")), None)
    if option is None or len(words) < 2:
        raise UsageError("ethtool: bad command line argument(s)\nFor more information run ethtool -h\n")
    if option.short == "i":
        return _driver(ctx, words[1])
    if option.short == "P":
        return _address(ctx, words[1])
    return ctx.not_modelled(f"ethtool --{option.long}")


async def _settings(ctx: Context, name: str) -> int:
    found = network.interface(ctx.world, ctx.host, name)
    if found is None:
        for _ in range(_REQUESTS):
            ctx.error("netlink error: no device matches name (offset 24)\nnetlink error: No such device")
        await ctx.flush()
        ctx.line("No data available")
        return _NO_DATA
    ctx.line(f"Settings for {name}:")
    if found.kind != "loopback":
        speed = _speed(ctx, found)
        ctx.line(f"\tSpeed: {f'{speed}Mb/s' if speed else 'Unknown!'}")
        ctx.line(f"\tDuplex: {'Full' if speed else 'Unknown! (255)'}")
    ctx.line(f"\tLink detected: {'yes' if found.up and found.carrier else 'no'}")
    return 0


def _speed(ctx: Context, found: Interface) -> int:
    """Mb/s of a link that is up; a bond has that of its members together."""
    if not (found.up and found.carrier):
        return 0
    if not found.members:
        return found.speed
    members = [network.interface(ctx.world, ctx.host, member) for member in found.members]
    return sum(each.speed for each in members if each and each.up and each.carrier)


def _driver(ctx: Context, name: str) -> int:
    found = network.interface(ctx.world, ctx.host, name)
    if found is None:
        ctx.error("Cannot get driver information: No such device")
        return 71
    if found.kind == "loopback":
        ctx.error("Cannot get driver information: Operation not supported")
        return 71
    hca = next((each for each in ctx.node.hcas if each.address == found.pci_address), None)
    version = ctx.inventory.software.get("ofed", "") if hca else kernel_image.running(ctx.world, ctx.host)
    firmware = f"{hca.firmware} ({hca.board_id})" if hca else "2" if found.kind == "bond" else ""
    ctx.line(f"driver: {found.driver}\nversion: {version}\nfirmware-version: {firmware}\nexpansion-rom-version: ")
    ctx.line(f"bus-info: {found.pci_address or ''}")
    offered = _DRIVERS.get(found.driver, (True, False, False, False, False))
    for what, offers in zip(_SUPPORTS, offered, strict=True):
        ctx.line(f"supports-{what}: {'yes' if offers else 'no'}")
    return 0


def _address(ctx: Context, name: str) -> int:
    found = network.interface(ctx.world, ctx.host, name)
    if found is None:
        ctx.error("netlink error: no device matches name (offset 24)\nnetlink error: No such device")
        return 1
    ctx.line(f"Permanent address: {found.permanent or found.mac if found.kind != 'loopback' else 'not set'}")
    return 0


COMMAND = Command(
    "ethtool",
    "show the link and the driver of a network interface",
    run,
    "ethtool INTERFACE | ethtool OPTION INTERFACE",
    _OPTIONS,
    "Without an option: speed, duplex and whether there is a link. Statistics are not modelled.",
    path="/usr/sbin",
    section=8,
    complete=lambda ctx, words: [each.name for each in network.interfaces(ctx.world, ctx.host)],
)
