"""The link between a PCIe switch and the processor trained a generation down: a bad contact of the riser. GPU, adapter
and drives below it show their full speed, and what goes between them is as fast as ever; what goes to or from the
host's memory is not (scitix/sichek#122).

Seen in `lspci -vvv` of the switch's upstream port (downgraded), its current_link_speed, in the kernel's line of the
adapter after the next start ("limited by ... at" the root port), and in bandwidths with host memory. Reseating the
adapter with its riser mends it.
"""

from __future__ import annotations

from engine.faults._pcie_parts import function_of, uplink_of
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics.pcie import limit_link
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The link above the switch trains to what is left."""
    node = simulation.world.inventory.node(target.partition("/")[0])
    address = uplink_of(node, function_of(simulation.world, target).address)
    limit_link(simulation, node.name, address, generation=int(values["generation"] or 4), width=None)


FAULT = Fault(
    id="pcie.uplink_slow",
    title="The link between a PCIe switch and the processor is slow",
    targets=("hca",),
    inject=inject,
    parameters=(Parameter("generation", "choice", "3", "The fastest generation that is left.", ("1", "2", "3", "4")),),
    doc="The adapter's own link is sound, the one above its switch is downgraded. Reseat the adapter with its riser.",
)
