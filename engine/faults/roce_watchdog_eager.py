"""The PFC watchdog of a switch is too eager: it takes ordinary pause for a storm.

A queue that congestion keeps paused for half of the time is stormed after a few milliseconds, and what is in it and
comes to it is thrown away, until pause has stayed away for the restoration time; then it begins again. Transfers that
pause alone holds back break off, although no port floods pause and the class is lossless from end to end. Where marks
hold senders back nothing is seen. The vendor's times (detection and restoration of 200 ms and more) mend it.
"""

from __future__ import annotations

from engine.faults._ethernet import ports_of
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics.ethernet import settings
from engine.world.world import World

_RESTORATION_MS = 400


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """All its ports watch for so many milliseconds."""
    patience = int(values["detection"] or 10)
    ports = ports_of(simulation.world.inventory, target)
    simulation.apply(settings.SetWatchdog(ports, True, patience, _RESTORATION_MS, patience))


FAULT = Fault(
    id="roce.watchdog_eager",
    title="A switch's PFC watchdog is too eager",
    targets=("ethernet_switch",),
    inject=inject,
    parameters=(Parameter("detection", "integer", "10", "Milliseconds of pause that it bears.", least=1, most=99),),
    doc="Ordinary pause counts as a storm, and the queue is emptied. Usual detection and restoration times mend it.",
)
