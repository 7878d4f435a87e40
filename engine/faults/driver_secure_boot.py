"""Secure Boot is on after the BIOS was set to its defaults, and the firmware does not know the key with which DKMS
signed the NVIDIA modules: the kernel rejects them.

Seen in the kernel's log (`Loading of module with unavailable key is rejected`), modprobe (`Key was rejected by
service`) and mokutil --sb-state. Remedies: enrol the machine's key (mokutil --import, and somebody at the console), or
switch Secure Boot off where the rules allow that. Sources: NVIDIA/gpu-operator issues 266 and 1726,
google/gasket-driver issue 11. That a service visit leaves Secure Boot on is the design's guess.
"""

from __future__ import annotations

from engine.control import secure_boot
from engine.faults._system_image import RESTART, restart
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Switch it on, and start with it."""
    secure_boot.switch(simulation, target, True)
    restart(simulation, target, values)


FAULT = Fault(
    id="driver.secure_boot",
    title="Secure Boot rejects the NVIDIA modules",
    targets=("gpu_node",),
    inject=inject,
    parameters=(RESTART,),
    doc="The modules' key is not enrolled. Enrol it, or switch Secure Boot off.",
)
