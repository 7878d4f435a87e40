"""A node gets a new kernel without its headers, so that DKMS builds no NVIDIA module for it: after the next start there
is no driver.

Seen in dkms status, modprobe (`Module nvidia not found in directory`), systemd-modules-load, and what apt's history
tells. Installing the headers builds the modules; going back to the kernel before helps as well.
"""

from __future__ import annotations

from engine.control import kernels, packages
from engine.faults._system_image import RESTART, restart
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

COMMAND = "/usr/bin/unattended-upgrade"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Let the package manager bring the kernel, and start into it."""
    name = f"{kernels.IMAGE}{values['kernel']}"
    version = kernels.package_version(simulation.world.inventory, name)
    if version is not None:
        simulation.apply(packages.Upgrade(target, name, version, by="", command=COMMAND))
    restart(simulation, target, values)


FAULT = Fault(
    id="driver.module_not_built",
    title="A new kernel has no NVIDIA modules, for want of its headers",
    targets=("gpu_node",),
    inject=inject,
    parameters=(
        Parameter("kernel", "choice", "6.8.0-52-generic", "The kernel that is installed.", tuple(kernels.MIRRORED)),
        RESTART,
    ),
    doc="After the restart no driver is there. The kernel's headers make DKMS build it.",
)
