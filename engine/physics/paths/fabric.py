"""Between two ports of the network: switches on the way, the narrowest link, packets lost on all of them.

The way is the one on which the traffic model sends flows.
"""

from __future__ import annotations

from engine.kernel.quick_dataclass import dataclass
from engine.physics import links, optics
from engine.physics.ethernet import passing
from engine.physics.paths import network
from engine.physics.traffic import routes
from engine.world.inventory import Cable, Inventory
from engine.world.records import CableState, Flow, ServiceClass
from engine.world.world import World

_CLEAN = CableState().error_exponent


@dataclass(frozen=True, slots=True)
class FabricPath:
    """A way through the network: egress ports in order, Gb/s of its slowest link, payload of a packet in bytes, and the
    share of packets of that size that its cables spoil.
    """

    links: tuple[str, ...]
    rate: int
    mtu: int
    loss: float

    @property
    def switches(self) -> int:
        """How many switches it crosses."""
        return max(0, len(self.links) - 1)


def between(
    world: World, port_a: str, port_b: str, key_index: int = 0, *, dscp: int = 0, payload: int | None = None
) -> FabricPath | None:
    """The way from one port to another for a program that uses the partition key at `key_index`; None where there is
    none (a port without a link, different networks or partitions), or where nothing of a RoCE flow that asks for `dscp`
    gets through, with `payload` bytes in a packet if that is less than a full one.
    """
    way = routes.path(world, port_a, port_b, key_index)
    if not way:
        return None
    size = min(network.packet_size(world, end) for end in (port_a, port_b))
    if passing.shut(world, Flow(port_a, port_b, 0, way, ServiceClass(dscp=dscp, mtu=min(payload or size, size)))):
        return None
    found = [_link(world, port) for port in way if routes.end_of_unseen(port) is None]
    loss = sum(network.packet_loss(exponent, size) for _, exponent in found)
    return FabricPath(way, min(rate for rate, _ in found), size, min(1.0, loss))


def _link(world: World, port: str) -> tuple[int, int]:
    """Gb/s of the link in a port, which is up, and the exponent of its cable's bit error rate."""
    rate, cable = world.inventory.once(("link of", port), lambda: _as_built(world.inventory, port))
    if cable is None:
        return rate, _CLEAN
    return optics.fastest(world, cable, rate), optics.worst_exponent(world, cable)


def _as_built(inventory: Inventory, port: str) -> tuple[int, Cable | None]:
    """What a link runs at with a good cable, and the cable in it."""
    cable = links.cable(inventory, port)
    ends = cable.ends if cable else (port,)
    return min(links.place(inventory, end).device.rate for end in ends), cable


def carried(
    world: World, port_a: str, port_b: str, *, mtu: int | None = None, share: int = network.WHOLE, key_index: int = 0
) -> float:
    """GB/s of payload from one port to another in one direction, adapters and hosts left aside; 0.0 without a way."""
    way = between(world, port_a, port_b, key_index)
    return 0.0 if way is None else along(world, way, port_a, mtu=mtu, share=share)


def along(world: World, way: FabricPath, port: str, *, mtu: int | None = None, share: int = network.WHOLE) -> float:
    """GB/s of payload over a way from a port on."""
    size = min(mtu or way.mtu, way.mtu)
    loss = way.loss * size / way.mtu
    return network.wire_rate(way.rate, links.place(world.inventory, port).ethernet, size, loss, share)
