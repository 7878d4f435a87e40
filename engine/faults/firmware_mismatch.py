"""A component of one node runs another firmware than the same component of its neighbours: it was left out of an
update, or came with a part from the shelf. Everything works; the node differs in behaviour that the release notes tell
of, and support asks for one level first. Whoever compares the inventories of the nodes finds it.
"""

from __future__ import annotations

from engine.control import firmware
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

_COMPONENTS = (
    "CPLDMB_0",
    "CPLDMID_0",
    "HostBIOS_0",
    "HGX_FW_GPU_SXM_1",
    "HGX_FW_GPU_SXM_5",
    "EROT_BMC_0",
    "HGX_FW_BMC_0",
    "HGX_FW_FPGA_0",
    "HGX_FW_PCIeSwitch_0",
    "HGX_FW_PCIeRetimer_3",
    "HostBMC_0",
    "PSU_0",
)
"""What can be left behind. Of the BIOS and the GPUs the host's own tools tell too: dmidecode, nvidia-smi."""


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The component runs that version."""
    firmware.flash(simulation, target, str(values["component"]), str(values["version"]))


FAULT = Fault(
    id="firmware.mismatch",
    title="A component runs other firmware than its neighbours'",
    targets=("gpu_node",),
    inject=inject,
    parameters=(
        Parameter("component", "choice", "CPLDMB_0", "The component, as the firmware inventory names it.", _COMPONENTS),
        Parameter("version", "text", "0.2.1.6", "What it runs."),
    ),
    doc="nvfwupd show_version, or Redfish's FirmwareInventory, compared between nodes, shows it.",
)
