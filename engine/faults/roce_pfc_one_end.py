"""PFC is off at one end of a link: somebody configured a port of a switch anew and left it out.

The neighbour still obeys pause and sends it, the port does neither: what it has no room for is dropped, although the
class is called lossless. Seen where the port is asked for more than it takes: out_of_sequence at receivers,
packet_seq_err at senders, discards at the port; pause counters of the link stay still. Switching PFC on for the
priority mends it.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics.ethernet import settings
from engine.world.records.ethernet import NONE
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The port neither sends nor obeys pause any more."""
    simulation.apply(settings.SetPortQos((target,), (("pause_sent", NONE), ("pause_obeyed", NONE))))


FAULT = Fault(
    id="roce.pfc_one_end",
    title="PFC is off at one end of a link",
    targets=("ethernet_port",),
    inject=inject,
    doc="Drops in a class that should be lossless; no pause on the link. PFC has to be switched on at the port.",
)
