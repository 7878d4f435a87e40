"""A udev rule holds the link of a GPU at a low speed: somebody tried to keep links from changing their speed, and set
Target Link Speed and Hardware Autonomous Speed Disable of the port above it at the wrong moment
(local-inference-lab/rtx6kpro#88).

Seen in nvidia-smi (pcie.link.gen.current below max, also under load), `lspci -vvv` (LnkSta downgraded; LnkCtl2 of the
port above: Target Link Speed, SpeedDis+) and in copies to and from the GPU. There are no errors. setpci on the port
(target speed, then Retrain Link) mends it until the rule runs again at the next start; the rule has to go as well.
"""

from __future__ import annotations

from engine.faults._pcie_parts import function_of, leave_rule, rule
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World

RULES = "/etc/udev/rules.d/71-pcie-link-speed.rules"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The rule is there and has run."""
    device = function_of(simulation.world, target)
    port, speed = device.parent or device.address, int(values["generation"] or 2)
    lines = (
        "# keep the link from going up and down",
        rule(device.address, port, f"CAP_EXP+30.w={0x20 | speed:x}:2f"),
        rule(device.address, port, "CAP_EXP+10.w=20:20"),
    )
    leave_rule(simulation, target.partition("/")[0], RULES, lines)


FAULT = Fault(
    id="pcie.speed_pinned",
    title="A udev rule holds a GPU's PCIe link at a low speed",
    targets=("gpu",),
    inject=inject,
    parameters=(Parameter("generation", "choice", "2", "The generation at which it is held.", ("1", "2", "3", "4")),),
    doc="LnkCtl2 of the port above has a low target. Take the rule away, set the target with setpci and retrain.",
)
