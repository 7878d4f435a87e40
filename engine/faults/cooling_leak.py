"""The leak rope under a rack's cooling door raises its alarm, and the door closes its valve: the air at the inlets of
the rack becomes hotter, in every node of it. `water` runs out of a hose; a `sensor` says so over a dry floor. The
controller's message is the same; who looks at the rack sees the difference. Mending the door ends both.
"""

from __future__ import annotations

from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics import cooling_door
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The alarm."""
    cooling_door.raise_alarm(simulation, target, water=values["what"] == "water")


FAULT = Fault(
    id="cooling.leak",
    title="A rack's cooling door leaks, or says so",
    targets=("rack",),
    inject=inject,
    parameters=(Parameter("what", "choice", "water", "Water, or a rope that is broken.", ("water", "sensor")),),
    doc="The door stops cooling, the rack's inlets get hotter. The login host's journal has the alarm; somebody has to "
    "mend the door.",
)
