"""ofed_info of MLNX_OFED: the version of the installed network software.

Texts: `ofed_info -s` and `-n` of MLNX_OFED 24.10. The list of source versions that it prints without options is not
modelled; dpkg -l has the packages.
"""

from __future__ import annotations

from engine.commands.command import Command
from engine.commands.context import Context
from engine.commands.options import Option

_USAGE = "Usage: ofed_info [-s|-n|-l|-h]\n"


def run(context: Context) -> int:
    """Print the version."""
    words = context.arguments
    version = context.inventory.software.get("ofed", "") + ".0"
    if not words or words[0] == "-l":
        return context.not_modelled("ofed_info without -s or -n")
    if words[0] == "-h":
        context.write(_USAGE)
        return 0
    if words[0] not in ("-s", "-n"):
        context.write(_USAGE)
        return 1
    context.line(f"MLNX_OFED_LINUX-{version}:" if words[0] == "-s" else version)
    return 0


COMMAND = Command(
    "ofed_info",
    "print the version of MLNX_OFED",
    run,
    synopsis="ofed_info [-s|-n]",
    options=(
        Option("s", help="name and version"),
        Option("n", help="the version alone"),
        Option("h", help="the usage"),
    ),
    manual="The version is that of the packages; modinfo mlx5_core shows the driver's.",
)
