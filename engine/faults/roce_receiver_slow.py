"""An adapter takes less than its link brings: its receiving side is slow (thrashing translation tables, a hung queue).

Its port pauses the leaf for a good part of the time; the leaf's queue fills and marks, senders slow down to what
is taken, and a collective runs at the pace of that one member. Nothing is lost, PCI Express is as it should be, what
the node sends is as fast as ever. A reset of the adapter, or a restart of the node, mends it.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics.ethernet import settings
from engine.world.world import World

_GIGA = 1_000_000_000


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The port takes less from now on."""
    port = simulation.world.inventory.hca(target).port
    settings.take(simulation, port, int(values["gbps"] or 0) * _GIGA)


FAULT = Fault(
    id="roce.receiver_slow",
    title="An adapter receives slowly",
    targets=("roce_hca",),
    inject=inject,
    parameters=(Parameter("gbps", "integer", "120", "Gb/s that it takes.", least=1, most=390),),
    doc="Pause from one host part of the time; what it sends is fast. A reset of the adapter or a restart mends it.",
)
