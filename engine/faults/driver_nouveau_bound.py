"""A node's image has the kernel of the hardware enablement stack, whose nouveau knows these GPUs, and does not
blacklist it: nouveau takes the GPUs before the NVIDIA driver can.

Seen in lspci -k, lsmod and the kernel's log (`NVRM: No NVIDIA devices probed.`). A blacklist in /etc/modprobe.d, a new
initramfs and a restart mend it. Sources: NVIDIA/k8s-driver-manager issue 37, NVIDIA/gpu-operator issue 8; nouveau
drives Hopper and Blackwell since Linux 6.16.
"""

from __future__ import annotations

from engine.control import kernels, packages
from engine.control.grub import DROP_INS
from engine.control.modprobe_settings import NOUVEAU_FILE
from engine.faults._system_image import RESTART, finish, remove
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

KERNEL = "6.17.0-8-generic"
COMMAND = "apt-get install -y linux-image-6.17.0-8-generic linux-headers-6.17.0-8-generic"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The kernel with its headers, and an image without the settings."""
    for part in (kernels.HEADERS, kernels.IMAGE):
        name = f"{part}{KERNEL}"
        version = kernels.package_version(simulation.world.inventory, name)
        if version is not None:
            simulation.apply(packages.Upgrade(target, name, version, by="", command=COMMAND))
    remove(simulation, target, NOUVEAU_FILE, f"{DROP_INS}30-nouveau.cfg")
    finish(simulation, target, values)


FAULT = Fault(
    id="driver.nouveau_bound",
    title="nouveau holds the GPUs of a node",
    targets=("gpu_node",),
    inject=inject,
    parameters=(RESTART,),
    doc="The NVIDIA module finds no GPU that is free. Blacklist, new initramfs, restart.",
)
