"""Write the fabric of a site for another program: `ibsim`, a netlist that ibsim and OpenSM's tools read, as
ibnetdiscover would print it: every link that is up, with names, GUIDs, speeds and LIDs.
"""

from __future__ import annotations

import argparse
import sys

from tui.opening import add_opening_arguments, opening_from


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What `breakfix export` takes."""
    parser.add_argument("format", choices=("ibsim",), help="ibsim: a netlist, as ibnetdiscover prints it")
    add_opening_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the netlist of the site after its faults have struck and the subnet manager has swept."""
    from engine.commands.infiniband._diags.netlist_text import netlist
    from engine.kernel.units import SECOND

    opening = opening_from(arguments)
    simulation = opening.play().simulation
    if opening.faults:
        simulation.advance(_SETTLED_AFTER * SECOND)
    sys.stdout.writelines(f"{line}\n" for line in netlist(simulation.world, simulation.now))
    return 0


_SETTLED_AFTER = 5
