"""setpci of pciutils: writes into the configuration space. Not modelled; what the driver and firmware set is what lspci
shows.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context

_USAGE = """\
Usage: setpci [options] (device selection) register[=values]...
breakfix does not model writing to the configuration space; `lspci -vvv` and `lspci -xxxx` show it.
"""


def run(context: Context) -> int:
    """Say that this is missing."""
    if context.arguments and context.arguments[0] in ("--help", "-h"):
        context.write(_USAGE)
        return 0
    return context.not_modelled("setpci")


COMMAND = Command(
    "setpci",
    "configure PCI devices",
    run,
    synopsis="setpci [options] devices register[=values]...",
    manual="Writing to the configuration space is not modelled. Use `lspci -vvv` or `lspci -xxxx` to look at it.",
    section=8,
)
