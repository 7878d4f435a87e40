"""A node with NVSwitches of the fifth NVLink generation (B200) lacks the NVLink subnet manager, through which the
fabric manager works: it finds no switch and ends, GPUs stay `In Progress`, CUDA programs get error
802 (siderolabs/extensions#717, #893). A cleaning of packages took it away; older boards do not need it.

Installing nvlsm and starting the fabric manager mends it.
"""

from __future__ import annotations

from engine.control import packages, systemd
from engine.control.nvlink_fabric import FABRIC_MANAGER
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

COMMAND = "apt-get autoremove --purge -y"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Remove the package, and restart the service."""
    found = packages.installed(simulation.world, target).get(packages.SUBNET_MANAGER)
    if found is None:
        return
    packages.record_change(simulation, target, ((found.name, found.version, ""),), by="", command=COMMAND)
    simulation.apply(systemd.RestartUnit(target, FABRIC_MANAGER, ""))


FAULT = Fault(
    id="fabric_manager.nvlsm_missing",
    title="The NVLink subnet manager is not installed",
    targets=("gpu_node",),
    inject=inject,
    doc="B200: the fabric manager finds nothing to do and fails, fabric In Progress. Install nvlsm and start it again.",
)
