"""ethtool -m: what is in the memory of a plug with CMIS, and what it measures. Format: ethtool 6.7, cmis.c, sff-common.

A plug's own pages hold more; shown are identity, monitors and their thresholds as the model knows them. Without a plug
reading fails.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.commands.context import Context
from engine.physics import optics
from engine.world.inventory import Hca

_HUNDRED = 100
# Milliwatts of -30 to 9 dBm in whole steps, in ten-thousandths; between them the line is straight.
_STEPS = (
    10, 13, 16, 20, 25, 32, 40, 50, 63, 79, 100, 126, 158, 200, 251, 316, 398, 501, 631, 794, 1000, 1259, 1585, 1995,
    2512, 3162, 3981, 5012, 6310, 7943, 10000, 12589, 15849, 19953, 25119, 31623, 39811, 50119, 63096, 79433,
)  # fmt: skip


def show(ctx: Context, hca: Hca) -> int:
    """The plug in the cage of an adapter."""
    if not ctx.is_root:
        ctx.error("netlink error: Operation not permitted")
        return 1
    if optics.product(ctx.world, hca.port) is None:
        ctx.error("netlink error: mlx5_core: query_mcia_reg failed: status: 0x3\nnetlink error: Input/output error")
        return 1
    for name, value in _rows(ctx, hca):
        ctx.line(f"\t{name:<42}: {value}")
    return 0


def _rows(ctx: Context, hca: Hca) -> Iterator[tuple[str, str]]:
    world, port = ctx.world, hca.port
    kind = optics.product(world, port)
    assert kind is not None
    yield "Identifier", "0x19 (OSFP 8X Pluggable Transceiver)"
    yield "Power class", "8" if kind.optical else "1"
    yield "Max power", "17.00W" if kind.optical else "0.00W"
    yield "Connector", "0x28 (MPO 1x16)" if kind.optical else "0x23 (No separable connector)"
    yield "Vendor name", kind.vendor
    yield "Vendor PN", kind.part
    yield "Vendor SN", optics.serial(world, port)
    yield "Revision compliance", "Rev. 5.0"
    yield "Module State", "0x03 (ModuleReady)"
    heat = optics.temperature(world, port, ctx.now)
    if heat is None:
        return
    volts = optics.voltage(world, port)
    yield "Module temperature", f"{heat // 1000}.{heat % 1000 // 10:02d} degrees C / {_fahrenheit(heat)} degrees F"
    yield "Module voltage", f"{volts // 10000}.{volts % 10000:04d} V"
    for number, current in enumerate(optics.bias(world, port), 1):
        yield f"Laser bias current (Channel {number})", f"{current // 1000}.{current % 1000:03d} mA"
    for title, law in (("Transmit avg optical power", optics.sent), ("Rcvr signal avg optical power", optics.received)):
        for number, light in enumerate(law(world, port), 1):
            yield f"{title} (Channel {number})", _light(light)


def _fahrenheit(thousandths: int) -> str:
    value = thousandths * 9 // 5 + 32_000
    return f"{value // 1000}.{value % 1000 // 10:02d}"


def _light(hundredths: int) -> str:
    """Hundredths of a dBm as mW and dBm."""
    sign = "-" if hundredths < 0 else ""
    shown = f"{sign}{abs(hundredths) // _HUNDRED}.{abs(hundredths) % _HUNDRED:02d} dBm"
    place, rest = divmod(max(-30 * _HUNDRED, min(hundredths, 8 * _HUNDRED)) + 30 * _HUNDRED, _HUNDRED)
    power = _STEPS[place] + (_STEPS[place + 1] - _STEPS[place]) * rest // _HUNDRED
    return f"{power // 10000}.{power % 10000:04d} mW / {shown}"
