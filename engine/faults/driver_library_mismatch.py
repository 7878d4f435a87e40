"""The NVIDIA packages of a node are upgraded while the old module stays in the kernel, as unattended-upgrades did in
several reports.

Running programs go on, new ones cannot talk to the driver; loading the new module (a reboot, or a reload with nobody
using it) mends it.
"""

from __future__ import annotations

from engine.control import packages
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

COMMAND = "/usr/bin/unattended-upgrade"

_PATTERNS = {
    "upgraded": ("libnvidia-compute-*", "nvidia-fabricmanager-*"),
    "left": ("libnvidia-compute-*",),
}
"""Names by which the package manager finds the driver's family and the fabric manager; each is a transaction."""


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Let the package manager do its nightly work."""
    installed = packages.library_version(simulation.world, target) or simulation.world.inventory.software["driver"]
    version = str(values["version"] or next_release(installed))
    for pattern in _PATTERNS[str(values["fabric_manager"])]:
        simulation.apply(packages.Upgrade(target, pattern, version, by="", command=COMMAND))


def next_release(version: str) -> str:
    """A later release of the same branch: 590.52.01 of 590.48.01. The number is made up; branches do move on like
    this.
    """
    parts = version.split(".")
    minor = int(parts[1]) + 4 if len(parts) > 1 and parts[1].isdecimal() else 1
    return ".".join([parts[0], f"{minor:02d}", *(["01"] if len(parts) > 2 else [])])


FAULT = Fault(
    id="driver.library_mismatch",
    title="The driver's packages are upgraded under the loaded module",
    targets=("gpu_node",),
    inject=inject,
    parameters=(
        Parameter(
            "version", "text", None, "The driver version installed; a later one of the same branch if not given."
        ),
        Parameter(
            "fabric_manager", "choice", "upgraded", "Whether the fabric manager goes with it.", ("upgraded", "left")
        ),
    ),
    doc="New programs fail to open the driver, running ones do not notice. Loading the new module mends it.",
)
