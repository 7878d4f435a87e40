"""The fabric manager's package is of another version than the driver: it ends at its start, GPUs are not registered and
CUDA programs get error 802 (NVIDIA/gpu-operator#544). The package was upgraded alone, and its service restarted.

Installing the version of the loaded driver and starting the service mends it.
"""

from __future__ import annotations

from engine.control import packages, systemd
from engine.control.nvlink_fabric import FABRIC_MANAGER
from engine.faults.driver_library_mismatch import COMMAND, next_release
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Let the package manager upgrade it, and restart the service as its package does."""
    world = simulation.world
    installed = packages.fabric_manager_version(world, target)
    if installed is None:
        return
    version = str(values["version"] or next_release(installed))
    changed = simulation.apply(packages.Upgrade(target, "nvidia-fabricmanager-*", version, by="", command=COMMAND))
    if changed:
        simulation.apply(systemd.RestartUnit(target, FABRIC_MANAGER, ""))


FAULT = Fault(
    id="fabric_manager.version_mismatch",
    title="The fabric manager is of another version than the driver",
    targets=("gpu_node",),
    inject=inject,
    parameters=(
        Parameter("version", "text", None, "The version installed; a later one of the same branch if not given."),
    ),
    doc="The service fails and says so in the journal; CUDA error 802. The driver's own version mends it.",
)
