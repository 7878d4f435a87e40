"""A partition for the cluster's adapters leaves those of one node out: it was written before the node's cards were
replaced, so that it names other port GUIDs.

The node's ports are Active and have only the default key, as limited members; it reaches the manager and no other node.
"""

from __future__ import annotations

from engine.control.subnet_manager.lids import fresh_lids, host_of_manager
from engine.faults._subnet_manager import divide
from engine.faults.fault import Fault, Parameter, Values
from engine.kernel.simulation import Simulation
from engine.physics import links
from engine.world.inventory import Hca
from engine.world.world import World

_REPLACED = 0x00A0_0000
"""By how much the GUIDs of the cards that were there before differ."""


def inject(simulation: Simulation[World], target: str, values: Values) -> None:
    """Write the partition with the former GUIDs of the node, and restart opensm."""
    inventory = simulation.world.inventory
    own = host_of_manager(inventory)
    devices = [links.place(inventory, end).device for end in fresh_lids(inventory)]
    members = []
    for device in sorted((each for each in devices if isinstance(each, Hca)), key=lambda each: each.id):
        guid = device.port_guid ^ (_REPLACED if device.node == target else 0)
        members.append(f"    0x{guid:016x}=full")
    text = f"Default=0x7fff, ipoib : ALL=limited, SELF=full;\n{values['name']}={values['key']}, ipoib, indx0 :\n"
    if own:
        divide(simulation, own.node, text + ",\n".join(members) + ";\n")


FAULT = Fault(
    id="partition.member_missing",
    title="The ports of a node are not in the cluster's partition",
    targets=("gpu_node",),
    inject=inject,
    parameters=(
        Parameter("name", "text", "compute", "The partition."),
        Parameter("key", "text", "0x8020", "Its key."),
    ),
    doc="pkeys/0 of the node is 0x7fff, that of others the key. Add its port GUIDs to partitions.conf.",
)
