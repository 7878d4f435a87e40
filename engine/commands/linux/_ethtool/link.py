"""ethtool INTERFACE without an option: modes, speed and link. Format: ethtool 6.7, netlink/settings.c.

Modes of an mlx5 adapter: the driver's table of extended modes (Linux 6.8, en_ethtool.c) up to its rate, in ethtool's
order. Guesses: that FEC is RS alone at these speeds, and that a link partner reports nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.context import Context
from engine.control import interface_settings, network
from engine.control.network import Interface
from engine.physics import links
from engine.world.inventory import Hca

_NO_DATA = 75
_REQUESTS = 5
"""How many kinds of settings ethtool asks the kernel for; each fails alone."""

_MODES = """
1 1000baseT 1000baseKX 1000baseX
10 10000baseT 10000baseKR 10000baseR_FEC 10000baseCR 10000baseSR 10000baseLR 10000baseER
25 25000baseCR 25000baseKR 25000baseSR
40 40000baseKR4 40000baseCR4 40000baseSR4 40000baseLR4
50 50000baseCR2 50000baseKR2 50000baseSR2 50000baseKR 50000baseSR 50000baseCR 50000baseLR_ER_FR 50000baseDR
100 100000baseKR4 100000baseSR4 100000baseCR4 100000baseLR4_ER4 100000baseKR2 100000baseSR2 100000baseCR2
100 100000baseLR2_ER2_FR2 100000baseDR2 100000baseKR 100000baseSR 100000baseLR_ER_FR 100000baseCR 100000baseDR
200 200000baseKR4 200000baseSR4 200000baseLR4_ER4_FR4 200000baseDR4 200000baseCR4
200 200000baseKR2 200000baseSR2 200000baseLR2_ER2_FR2 200000baseDR2 200000baseCR2
400 400000baseKR4 400000baseSR4 400000baseLR4_ER4_FR4 400000baseDR4 400000baseCR4
"""
_INDENT = "\t                        "


async def show(ctx: Context, name: str) -> int:
    """The settings of an interface."""
    found = network.interface(ctx.world, ctx.host, name)
    if found is None:
        for _ in range(_REQUESTS):
            ctx.error("netlink error: no device matches name (offset 24)\nnetlink error: No such device")
        await ctx.flush()
        ctx.line("No data available")
        return _NO_DATA
    ctx.line(f"Settings for {name}:")
    hca = next((each for each in ctx.node.hcas if each.netdev == name and each.link_layer == "Ethernet"), None)
    if hca is not None:
        for line in _adapter(ctx, found, hca):
            ctx.line(line)
        if not ctx.is_root:
            await ctx.flush()
            ctx.error("netlink error: Operation not permitted")
    elif found.kind != "loopback":
        for line in _speed_lines(speed(ctx, found)):
            ctx.line(line)
    ctx.line(f"\tLink detected: {'yes' if found.up and found.carrier else 'no'}")
    return 0


def speed(ctx: Context, found: Interface) -> int:
    """Mb/s of a link that is up; a bond has that of its members together."""
    if not (found.up and found.carrier):
        return 0
    if not found.members:
        return found.speed
    members = [network.interface(ctx.world, ctx.host, member) for member in found.members]
    return sum(each.speed for each in members if each and each.up and each.carrier)


def _speed_lines(rate: int) -> Iterator[str]:
    yield f"\tSpeed: {f'{rate}Mb/s' if rate else 'Unknown!'}"
    yield f"\tDuplex: {'Full' if rate else 'Unknown! (255)'}"


def _adapter(ctx: Context, found: Interface, hca: Hca) -> Iterator[str]:
    cable = links.cable(ctx.inventory, hca.port)
    copper = cable is not None and cable.kind == "copper"
    state = interface_settings.state(ctx.world, ctx.host, found.name)
    modes = supported_modes(hca.rate)
    negotiates = state.forced_speed is None
    advertised = modes if negotiates else [mode for mode in modes if mode.startswith(f"{state.forced_speed}base")]
    yield f"\tSupported ports: [ {'Backplane' if copper else 'FIBRE'} ]"
    yield from _list("Supported link modes:   ", modes)
    yield "\tSupported pause frame use: Symmetric"
    yield "\tSupports auto-negotiation: Yes"
    yield "\tSupported FEC modes: RS"
    yield from _list("Advertised link modes:  ", advertised)
    yield f"\tAdvertised pause frame use: {'Symmetric' if any(state.pause) else 'No'}"
    yield f"\tAdvertised auto-negotiation: {'Yes' if negotiates else 'No'}"
    yield "\tAdvertised FEC modes: RS"
    yield from _speed_lines(speed(ctx, found))
    yield f"\tAuto-negotiation: {'on' if negotiates else 'off'}"
    yield f"\tPort: {'Direct Attach Copper' if copper else 'FIBRE'}"
    yield "\tPHYAD: 0"
    yield "\tTransceiver: internal"
    if ctx.is_root:
        yield "\tSupports Wake-on: d"
        yield "\tWake-on: d"
        yield "\tCurrent message level: 0x00000004 (4)"
        yield "\t\t\t       link"


def supported_modes(rate: int) -> list[str]:
    """Link modes up to `rate` Gb/s."""
    rows = [line.split() for line in _MODES.strip().splitlines()]
    return [mode for most, *modes in rows if int(most) <= rate for mode in modes]


def _list(head: str, modes: list[str]) -> Iterator[str]:
    for number, mode in enumerate(modes):
        yield f"\t{head}{mode}/Full" if number == 0 else f"{_INDENT}{mode}/Full"
    if not modes:
        yield f"\t{head}Not reported"
