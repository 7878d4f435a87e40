"""mget_temp of MFT 4.30: the temperature of a network card's chip in °C.

Format: mget_temp.c of mstflint (the number and eight blanks). A ConnectX-7 under a link is 55 to 68 °C warm (guess).
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.mellanox._mft import devices
from engine.commands.mellanox._mft.arguments import Refused, read
from engine.commands.options import Option
from engine.kernel.random import hash64

_OPTIONS = (
    Option("h", "help", help="print the usage"),
    Option("d", "device", "DEVICE", help="the device"),
    Option("v", "verbose", help="(not modelled) all sensors"),
    Option(None, "version", help="print the version"),
)
_LEAST, _SPAN = 55, 14


def run(context: Context) -> int:
    """Print the temperature of one card."""
    try:
        words = read(context.arguments, _OPTIONS)
    except Refused as refused:
        context.error(f"-E- Unknown option: {refused}")
        return 1
    if "help" in words or "device" not in words:
        context.write("Usage: mget_temp -d DEVICE\n  Prints the temperature of a device in degrees centigrade.\n")
        return 0 if "help" in words else 1
    if "verbose" in words:
        return context.not_modelled("mget_temp -v")
    hca = devices.opened(context, words["device"])
    if hca is None:
        context.error(f"-E- Failed to open {words['device']}: {devices.trouble(context, words['device'])}")
        return 1
    slot = hca.address.rpartition(".")[0]
    context.line(f"{_LEAST + hash64(context.world.seed, 'card temperature', hca.node, slot) % _SPAN:<8}")
    return 0


COMMAND = Command(
    "mget_temp",
    "show the temperature of a network card",
    run,
    synopsis="mget_temp -d DEVICE",
    options=_OPTIONS,
    manual="The chip's own temperature; that of a transceiver is shown by mlxlink -m.",
)
