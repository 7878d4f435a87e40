"""mlxcables of MFT 4.30: the plugs in a host's adapters, as their memories describe them.

Format: NVIDIA's MFT manual. Reading and writing registers of cables and updating their firmware is not modelled.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.mellanox._mft import devices
from engine.commands.mellanox._mft.arguments import Refused, read
from engine.commands.mellanox._mft.module_report import compliance
from engine.commands.options import Option
from engine.kernel.units import SECOND
from engine.physics import optics
from engine.world.inventory import Hca

_OPTIONS = (
    Option("h", "help", help="print the usage"),
    Option("v", "version", help="print the version"),
    Option("d", "device", "DEVICE", help="one cable"),
    Option("q", "query", help="show the cables (the default)"),
    Option("r", "read_reg", "REGISTER", help="(not modelled) read a register"),
    Option(None, "DDM", help="(not modelled) thresholds and measurements"),
    Option(None, "dump", help="(not modelled) the whole memory"),
)
_TECHNOLOGIES = {
    "850 nm VCSEL": "850 nm VCSEL (00h)",
    "Copper cable, passive, unequalized": "Copper cable unequalized (a0h)",
}


async def run(context: Context) -> int:
    """Describe one plug after the other."""
    try:
        words = read(context.arguments, _OPTIONS)
    except Refused as refused:
        context.error(f"-E- Unknown option: {refused}")
        return 1
    if "help" in words:
        context.write("usage: mlxcables [-h] [-v] [-d DEVICE] [-q]\n\nShows the plugs in the host's adapters.\n")
        return 0
    if lacking := next((name for name in ("read_reg", "DDM", "dump") if name in words), None):
        return context.not_modelled(f"mlxcables --{lacking}")
    context.line("Querying Cables ....\n")
    if not (context.is_root and devices.started(context)):
        context.line("-E- No cables were found, run 'mst start' and 'mst cable add' first.")
        return 1
    await context.sleep(SECOND)
    plugged = [hca for hca in devices.adapters(context) if optics.product(context.world, hca.port)]
    named = [(hca, f"{devices.path(context, hca).rpartition('/')[2]}_cable_0") for hca in plugged]
    chosen = [(hca, name) for hca, name in named if words["device"] in ("", name)]
    for number, (hca, name) in enumerate(chosen, 1):
        _describe(context, number, hca, name)
    return 0 if chosen else 1


def _describe(context: Context, number: int, hca: Hca, name: str) -> None:
    kind = optics.product(context.world, hca.port)
    assert kind is not None
    heat = optics.temperature(context.world, hca.port, context.now)
    length = context.inventory.cables[hca.port].length_m
    context.line(f"Cable #{number}:\n---------\nCable name    : {name}")
    context.line("\n-------- Cable EEPROM --------")
    for label, value in (
        ("Identifier", "OSFP (19h)"), ("Technology", _TECHNOLOGIES.get(kind.technology, kind.technology)),
        ("Compliance", compliance(kind, hca.link_layer == "Ethernet")),
        ("Wavelength", f"{kind.wavelength} nm" if kind.optical else "N/A"),
        ("OUI", "0x48b02d" if kind.vendor == "NVIDIA" else "0x000000"), ("Vendor", kind.vendor),
        ("Serial number", optics.serial(context.world, hca.port)), ("Part number", kind.part),
        ("Revision", "A3" if kind.vendor == "NVIDIA" else "00"),
        ("Temperature", "N/A" if heat is None else f"{heat // 1000} C"),
        ("Length", "50 m" if kind.optical else f"{length} m"),
    ):  # fmt: skip
        context.line(f"{label:<16}: {value}")
    context.line()


COMMAND = Command(
    "mlxcables",
    "describe the plugs in the network cards",
    run,
    synopsis="mlxcables [-d CABLE] [-q]",
    options=_OPTIONS,
    manual="Needs `mst start`. mlxlink -m shows what a plug measures.",
)
