"""An adapter's port speaks Ethernet, though it is cabled to InfiniBand (LINK_TYPE_P1=2 in its settings, written for
another place and loaded by a reset): no link, Link layer Ethernet, another name of the interface.

Setting the link type to IB and resetting the card, or restarting the node, mends it.
"""

from __future__ import annotations

from engine.control import adapter_firmware
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.adapters import ETHERNET, setting_of_link_type
from engine.world.world import World

_NOW, _NEXT_START = "now", "next_start"


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """The setting is written, and loaded at once or by the next start."""
    hca = simulation.world.inventory.hca(target)
    simulation.apply(adapter_firmware.StoreSettings(target, ((setting_of_link_type(hca), ETHERNET),)))
    if values["when"] == _NOW:
        simulation.apply(adapter_firmware.ResetAdapter(target))


FAULT = Fault(
    id="hca.ethernet_mode",
    title="An adapter is set to Ethernet",
    targets=("cabled_hca",),
    inject=inject,
    parameters=(
        Parameter("when", "choice", _NOW, "Whether it runs so at once or from the next start.", (_NOW, _NEXT_START)),
    ),
    doc="ibstat shows Link layer Ethernet, mlxconfig LINK_TYPE_P1 ETH(2). Setting IB and a reset mend it.",
)
