"""ethtool 6.7: link, driver, statistics and settings of a network interface. Formats after ethtool's source.

mlx5 Ethernet interfaces in full (engine.commands.linux._ethtool); of others link, driver and addresses.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.linux._ethtool import link
from engine.commands.options import Option, UsageError, option_lines
from engine.control import kernel_image, network
from engine.world.inventory import Hca

_BAD = "ethtool: bad command line argument(s)\nFor more information run ethtool -h\n"
_FEC = {"show-fec": "fec", "set-fec": "set-fec"}
_CHANGES = ("A", "C", "G", "K", "L", "s", "set-fec")

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
    Option(None, "show-fec", "INTERFACE", help="error correction"),
    Option("A", "pause", "INTERFACE rx|tx on|off", help="set global pause"),
    Option("C", "coalesce", "INTERFACE NAME VALUE...", help="set coalescing"),
    Option("G", "set-ring", "INTERFACE rx|tx N", help="set ring sizes"),
    Option("K", "features", "INTERFACE FEATURE on|off", help="set offloads"),
    Option("L", "set-channels", "INTERFACE combined N", help="set channels"),
    Option(None, "set-fec", "INTERFACE encoding auto|rs|baser|off", help="set error correction"),
    Option("s", "change", "INTERFACE SETTING...", help="change link settings"),
    Option("h", "help", help="print this text"),
    Option(None, "version", help="print the version"),
)


async def run(ctx: Context) -> int:
    """Show an interface's link, or do what an option asks."""
    words = list(ctx.arguments)
    if not words:
        raise UsageError(_BAD)
    if words[0] in ("-h", "--help"):
        ctx.write("\n".join(["Usage: ethtool INTERFACE | ethtool OPTION INTERFACE", "", *option_lines(_OPTIONS), ""]))
        return 0
    if words[0] == "--version":
        ctx.line("ethtool version 6.7")
        return 0
    if not words[0].startswith("-"):
        return await link.show(ctx, words[0])
    option = next((each for each in _OPTIONS if words[0] in (f"-{each.short}", f"--{each.long}")), None)
    if option is None or len(words) < 2:
        raise UsageError(_BAD)
    return _request(ctx, option, words[1], words[2:])


def _request(ctx: Context, option: Option, name: str, rest: list[str]) -> int:
    key = option.short or _FEC.get(option.long or "", "")
    if key == "i":
        return _driver(ctx, name)
    if key == "P":
        return _address(ctx, name)
    found = network.interface(ctx.world, ctx.host, name)
    if found is None:
        ctx.error("netlink error: no device matches name (offset 24)\nnetlink error: No such device")
        return 1
    hca = next((each for each in ctx.node.hcas if each.netdev == name and each.link_layer == "Ethernet"), None)
    if hca is not None:
        return _of_adapter(ctx, key, hca, rest)
    if found.kind in ("loopback", "bond"):
        if key == "S":
            ctx.error("no stats available")
            return 94
        ctx.error("netlink error: Operation not supported")
        return 1
    return ctx.not_modelled(f"ethtool --{option.long} of {found.driver}")


def _of_adapter(ctx: Context, key: str, hca: Hca, rest: list[str]) -> int:
    """A request for an mlx5 interface. Each kind is imported when it is asked for."""
    if key == "S":
        from engine.commands.linux._ethtool import statistics

        ctx.write("\n".join(statistics.lines(ctx, hca)) + "\n")
        return 0
    if key == "m":
        from engine.commands.linux._ethtool import module

        return module.show(ctx, hca)
    if key in _CHANGES:
        from engine.commands.linux._ethtool import changes

        return changes.change(ctx, key, hca, rest)
    from engine.commands.linux._ethtool import tables

    ctx.write("\n".join(tables.lines(ctx, key, hca)) + "\n")
    return 0


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
    """Without an option: modes, speed, and whether there is a link. -S shows every counter of an mlx5 interface: those
with _phy are the port's, RDMA included; rx_prioN_pause is pause that came in, tx_prioN_pause what this end sent because
it could not take more.""",
    path="/usr/sbin",
    section=8,
    complete=lambda ctx, words: [each.name for each in network.interfaces(ctx.world, ctx.host)],
)
