"""The interface of an adapter has a smaller MTU than the others. RDMA programs agree on packets that fit both ends
(active MTU 1024 at an MTU of 1500): it works, with more headers. Packets of IP that are larger than that do not arrive.
"""

from __future__ import annotations

from engine.control import interface_settings
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Set the MTU."""
    hca = simulation.world.inventory.hca(target)
    interface_settings.SetMtu(hca.node, hca.netdev, int(values["mtu"] or 0)).perform(simulation)


FAULT = Fault(
    id="roce.host_mtu_small",
    title="An adapter's interface has a small MTU",
    targets=("roce_hca",),
    inject=inject,
    parameters=(Parameter("mtu", "integer", "1500", "The MTU in bytes.", least=576, most=4000),),
    doc="RDMA of that rail runs with small packets, some percent slower. ip link set dev NAME mtu 9000.",
)
