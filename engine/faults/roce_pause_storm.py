"""An adapter sends pause frames without end: the receiving side of its chip hangs (a firmware bug).

Nothing reaches the node by that port, its own transfers end with status 12. Its leaf keeps what is for it,
pauses the ports that it came by, and so on: nodes that send to it, and all that share their queues, stand still, and
the noisiest counters are those of victims. Where it begins, pause comes from a host while no data arrives there.
Resetting the adapter, or a restart of the node, mends it; a watchdog on the leaf confines it.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics.ethernet import settings
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The port pauses its lossless priorities from now on."""
    port = simulation.world.inventory.hca(target).port
    sent = simulation.world.port_qos[port].pause_sent
    priorities = tuple(number for number, on in enumerate(sent) if on) or (0,)
    settings.flood(simulation, port, priorities)


FAULT = Fault(
    id="roce.pause_storm",
    title="An adapter floods pause frames",
    targets=("roce_hca",),
    inject=inject,
    doc="Endless pause from one host, victims all around. A reset of the adapter or a restart of the node mends it.",
)
