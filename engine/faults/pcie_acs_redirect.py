"""The BIOS of a node has access control (ACS) on, as servers for virtual machines have it: every PCIe port sends what
one device asks of another up to the processor and down again. Traffic between a GPU and the adapter of its rail no
longer turns round in their switch; collectives over several nodes run at about half their rate and nothing reports an
error (NVIDIA/nccl#2079, #606, #949).

Seen in `lspci -vvv` (ACSCtl: ReqRedir+ CmpltRedir+ on the ports above GPUs and adapters) and among the BIOS attributes
by Redfish (AcsControl). setpci clears it until the next start; the BIOS attribute and a restart clear it for good.
"""

from __future__ import annotations

from engine.control import pci_setup
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The attribute is on, and the firmware has written it to the ports."""
    chosen = dict(simulation.world.bmcs[target].bios) | {"AcsControl": "Enabled"}
    simulation.world.bmcs.update(target, bios=tuple(sorted(chosen.items())))
    pci_setup.apply_firmware(simulation, target)


FAULT = Fault(
    id="pcie.acs_redirect",
    title="PCIe ports of a node redirect peer traffic to the processor (ACS)",
    targets=("gpu_node",),
    inject=inject,
    doc="lspci shows ReqRedir+ on the ports. setpci helps until the next start, BIOS AcsControl for good.",
)
