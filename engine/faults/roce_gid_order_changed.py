"""Somebody gave the interface of an adapter a further address and then its own one again: the new one took the places
in the GID table, the old one comes after it. Who names an entry by its index (NCCL_IB_GID_INDEX=3, ib_write_bw -x 3)
gets the wrong one; who looks for the type does not notice.
"""

from __future__ import annotations

from engine.control import interface_settings, network
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.world.world import World


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Take the address away, add another one, and give the first one back."""
    host, _, _ = target.partition("/")
    name = simulation.world.inventory.hca(target).netdev
    found = network.interface(simulation.world, host, name)
    usual = [cidr for cidr in (found.addresses if found else ()) if not cidr.startswith("fe80")]
    for cidr in usual:
        interface_settings.RemoveAddress(host, name, cidr).perform(simulation)
    for cidr in (str(values["address"]), *usual):
        interface_settings.AddAddress(host, name, cidr).perform(simulation)


FAULT = Fault(
    id="roce.gid_order_changed",
    title="The order of an adapter's GID table changed",
    targets=("roce_hca",),
    inject=inject,
    parameters=(Parameter("address", "text", "fd00:40::1/64", "The address that came first."),),
    doc=(
        "RoCE with a fixed GID index fails over that adapter. Remove the address and add the old one anew, or drop "
        "the index."
    ),
)
