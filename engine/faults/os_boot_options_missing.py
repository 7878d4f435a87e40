"""A node runs from an image whose boot loader settings lack `iommu=pt`, so that its IOMMU translates every access of
its devices: collectives between nodes reach a fraction of their rate, and nothing reports an error (a case of H200
nodes with 100 instead of 337 GB/s).

Seen in /proc/cmdline, the kernel's log (`iommu: Default domain type: Translated`) and what is measured. Putting the
option back into /etc/default/grub.d, update-grub and a restart mend it.
"""

from __future__ import annotations

from engine.control.grub import DROP_INS
from engine.faults._system_image import RESTART, finish, remove
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Take the setting out of the image."""
    remove(simulation, target, f"{DROP_INS}10-nv-iommu.cfg")
    finish(simulation, target, values)


FAULT = Fault(
    id="os.boot_options_missing",
    title="A node's image starts the kernel without iommu=pt",
    targets=("gpu_node",),
    inject=inject,
    parameters=(RESTART,),
    doc="DMA goes through the IOMMU's page tables and is slow. The option, update-grub and a restart mend it.",
)
