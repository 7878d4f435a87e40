"""The interface of an adapter was given, beside its own, the address of another host of the same network. Both answer
ARP; each asker believes one of them. RDMA that should go to the other host reaches this one and gets no answer.
"""

from __future__ import annotations

from engine.control import interface_settings
from engine.faults.fault import Fault, Values
from engine.kernel.simulation import Simulation
from engine.physics import host_interfaces
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Take the address of the next host that has one in the network."""
    host, _, _ = target.partition("/")
    inventory = simulation.world.inventory
    name = inventory.hca(target).netdev
    own = host_interfaces.configured(inventory.node(host), name)
    assert own is not None
    names = [each for each in inventory.node_names if own.network in inventory.addresses(each)]
    victim = names[(names.index(host) + 1) % len(names)]
    cidr = inventory.addresses(victim)[own.network]
    interface_settings.AddAddress(host, name, cidr).perform(simulation)


FAULT = Fault(
    id="roce.address_duplicate",
    title="Two hosts have the same address on a RoCE network",
    targets=("roce_hca",),
    inject=inject,
    doc=(
        "Some hosts reach the wrong one: RDMA times out between some pairs. Remove the address where it does not "
        "belong."
    ),
)
