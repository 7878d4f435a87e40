"""IP over InfiniBand: which broadcast groups the interfaces of a host have joined.

An interface takes the partition of its port's first key, as a full member whatever it is there (Linux 6.8,
ipoib_main.c: ipoib_intf_init), and joins that partition's group for IP broadcasts while it is up. The manager takes in
only members of the partition (opensm, osm_sa_mcmember_record.c), and there is no group where the partition has none.
"""

from __future__ import annotations

from engine.control import modules, network
from engine.physics import partition_keys
from engine.physics.traffic import forwarding
from engine.world.inventory import Hca
from engine.world.world import World

_MODULE = "ib_ipoib"


def joined_keys(world: World, hca: Hca) -> tuple[int, ...]:
    """The partitions, as 15 bits, whose broadcast groups the interface of an adapter has joined."""
    if hca.link_layer != "InfiniBand" or hca.node not in world.inventory.node_index:
        return ()
    if not modules.is_loaded(world, hca.node, _MODULE):
        return ()
    interface = next((each for each in network.interfaces(world, hca.node) if each.name == hca.netdev), None)
    if interface is None or not interface.up or not forwarding.active(world, hca.port):
        return ()
    key = partition_keys.key_at(world, hca.port)
    return (partition_keys.base(key),) if key else ()
