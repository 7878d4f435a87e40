"""RDMA devices as programs use them through libibverbs: whether they can be opened, queue pairs and memory regions.

Numbers of queue pairs go up for each one made on a device, as mlx5's do; where they begin, and keys of memory regions,
are drawn per device and boot. Kernel modules: mlx5_ib makes the devices, ib_uverbs the files /dev/infiniband/uverbs*.
"""

from __future__ import annotations

from engine.control import modules
from engine.kernel.actions import Action
from engine.kernel.quick_dataclass import dataclass
from engine.kernel.random import hash64
from engine.kernel.simulation import Simulation
from engine.world.inventory import Hca
from engine.world.world import World

_DRIVER, _USER_ACCESS = "mlx5_ib", "ib_uverbs"
_NUMBERS = 0x1000000


def devices(world: World, host: str) -> tuple[Hca, ...]:
    """The devices that libibverbs lists, in the order in which the driver found them."""
    there = all(modules.is_loaded(world, host, name) for name in (_DRIVER, _USER_ACCESS))
    return world.node(host).hcas if there else ()


def _first(world: World, hca: Hca, what: str, span: int) -> int:
    return hash64(world.seed, "verbs", what, hca.id, world.nodes[hca.node].boots) % span


@dataclass(frozen=True, slots=True)
class CreateQueuePairs(Action):
    """A program makes queue pairs on the device `hca`. Gives their numbers."""

    hca: str
    count: int

    def perform(self, simulation: Simulation[World]) -> tuple[int, ...]:
        world = simulation.world
        hca, made = world.inventory.hca(self.hca), world.rdma[self.hca].queue_pairs
        world.rdma.update(self.hca, queue_pairs=made + self.count)
        first = 0x40 + _first(world, hca, "queue pairs", 0x300) + made
        return tuple((first + index) % _NUMBERS for index in range(self.count))


@dataclass(frozen=True, slots=True)
class RegisterMemory(Action):
    """A program registers memory with the device `hca`. Gives the remote key."""

    hca: str

    def perform(self, simulation: Simulation[World]) -> int:
        world = simulation.world
        hca, made = world.inventory.hca(self.hca), world.rdma[self.hca].regions
        world.rdma.update(self.hca, regions=made + 1)
        index = _first(world, hca, "regions", 0x2000) + made
        return (index << 8 | hash64(hca.id, "key", index) & 0xFF) & 0xFFFFFFFF
