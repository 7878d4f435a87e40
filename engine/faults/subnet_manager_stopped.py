"""No subnet manager: opensm of a node was stopped and does not start at boot, or its process was killed.

Traffic goes on over the tables that the switches have. But a port that comes up anew stays Initializing. If all of the
fabric lost its power meanwhile (`cold`), no port has a LID and no switch a table: every link is up, and nothing passes.
"""

from __future__ import annotations

from engine.control import processes, service_state, systemd
from engine.control.subnet_manager.cold_start import lose_power
from engine.control.subnet_manager.managers import UNIT
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_KILLED, _DISABLED, _YES, _NO = "killed", "disabled", "yes", "no"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """End opensm, and start the whole fabric anew without it if that is asked for."""
    if values["how"] == _DISABLED:
        simulation.apply(systemd.StopUnit(target, UNIT, ""))
        simulation.apply(systemd.DisableUnit(target, UNIT, ""))
    else:
        service = service_state.service(simulation.world, target, UNIT)
        if service.active:
            processes.end(simulation, target, [service.pid], "killed")
    if values["cold"] == _YES:
        lose_power(simulation)


FAULT = Fault(
    id="subnet_manager.stopped",
    title="No subnet manager runs",
    targets=("node",),
    inject=inject,
    parameters=(
        Parameter("how", "choice", _KILLED, "Killed, or stopped and disabled.", (_KILLED, _DISABLED)),
        Parameter("cold", "choice", _NO, "Whether the fabric was without power since.", (_YES, _NO)),
    ),
    doc="Ports that come up stay Initializing; saquery times out. Starting opensm mends it.",
)
