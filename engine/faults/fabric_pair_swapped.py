"""The two fibres of a twin-port transceiver are swapped: an OSFP cage of a switch has two ports (5 and 6, say) with a
fibre connector each, and what belongs in one is in the other.

All links are up and clean. Two cables end at each other's port: where these come from two nodes or spines, whoever
works by port numbers works on the wrong one (disabling the port of one node takes down its neighbour).
"""

from __future__ import annotations

from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics import cabling
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The connectors change places."""
    device, _, number = target.rpartition("/")
    cabling.exchange(simulation, target, f"{device}/{(int(number) - 1 ^ 1) + 1}")


FAULT = Fault(
    id="fabric.pair_swapped",
    title="The two fibres of a switch's twin-port transceiver are swapped",
    targets=("switch_port",),
    inject=inject,
    doc="Links are up and clean; two neighbouring ports lead where the other one should. Moving the cables mends it.",
)
