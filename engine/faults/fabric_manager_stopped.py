"""The fabric manager of a node does not run: killed (new CUDA programs get error 802, system not yet initialized, and
the GPUs are not registered with the fabric), or stopped and disabled in good order, which nobody notices until the node
is started again without it.
"""

from __future__ import annotations

from engine.control import processes, service_state, systemd
from engine.control.nvlink_fabric import FABRIC_MANAGER
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_KILLED, _DISABLED = "killed", "disabled"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """End its main process, or stop and disable the unit."""
    if values["how"] == _DISABLED:
        simulation.apply(systemd.StopUnit(target, FABRIC_MANAGER, ""))
        simulation.apply(systemd.DisableUnit(target, FABRIC_MANAGER, ""))
        return
    service = service_state.service(simulation.world, target, FABRIC_MANAGER)
    if service.active:
        processes.end(simulation, target, [service.pid], "killed")


FAULT = Fault(
    id="fabric_manager.stopped",
    title="The fabric manager does not run",
    targets=("gpu_node",),
    inject=inject,
    parameters=(Parameter("how", "choice", _KILLED, "Killed now, or stopped and disabled.", (_KILLED, _DISABLED)),),
    doc="CUDA error 802 for new programs (disabled: after the next restart). Starting it again mends it.",
)
